/** The ratios of a benchmark as a picture: bars on a logarithmic scale, for light and dark pages. */
import type { ContenderName } from './contenders.ts';
import { busyClients, type Findings, ratioTo } from './figures.ts';
import { titles } from './report.ts';

const others: ContenderName[] = ['yardstick', 'typical', 'pgbench'];
const [left, width, right] = [330, 520, 70];
const [barHeight, groupGap, top, bottom] = [13, 14, 78, 34];
const [from, to] = [0.1, 1_000];

const placeOf = (ratio: number) => {
  const share = Math.log10(Math.min(Math.max(ratio, from), to) / from) / Math.log10(to / from);
  return left + share * width;
};

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const shown = (ratio: number) => (ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0));

/** An SVG document of how many times the others' requests per second the server answers. */
export const plotOf = ({ rows }: Findings): string => {
  const groups = rows
    .filter(({ clients }) => clients === busyClients)
    .map((row) => ({
      name: row.name,
      bars: others.flatMap((name) => {
        const ratio = ratioTo(row, name);
        return ratio === undefined ? [] : [{ name, ratio }];
      }),
    }));
  const parts: string[] = [];
  let y = top;
  for (const { name, bars } of groups) {
    const middle = y + (bars.length * barHeight) / 2 + 4;
    parts.push(`<text x="${left - 12}" y="${middle}" text-anchor="end">${escaped(name)}</text>`);
    for (const { name: other, ratio } of bars) {
      const [start, end] = [placeOf(1), placeOf(ratio)];
      parts.push(
        `<rect class="${other}" x="${Math.min(start, end).toFixed(1)}" y="${y + 1}" width="${Math.max(Math.abs(end - start), 1).toFixed(1)}" height="${barHeight - 2}"/>`,
        `<text class="small" x="${(Math.max(start, end) + 5).toFixed(1)}" y="${y + barHeight - 3}">${shown(ratio)}</text>`,
      );
      y += barHeight;
    }
    y += groupGap;
  }
  const height = y + bottom;
  const grid = [0.1, 1, 10, 100, 1_000].map((ratio) => {
    const x = placeOf(ratio).toFixed(1);
    return `<line class="${ratio === 1 ? 'one' : 'grid'}" x1="${x}" y1="${top - 8}" x2="${x}" y2="${y}"/>
<text class="small" x="${x}" y="${y + 16}" text-anchor="middle">${ratio}×</text>`;
  });
  const legend = others.map(
    (name, index) =>
      `<rect class="${name}" x="${left + index * 170}" y="40" width="12" height="12"/>
<text class="small" x="${left + index * 170 + 18}" y="50">÷ ${titles[name]}</text>`,
  );
  const all = left + width + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${all} ${height}" width="${all}" height="${height}" role="img" aria-label="Requests per second of this server, divided by those of others">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 11px } .title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8c959f; stroke-opacity: .35 } .one { stroke: #8c959f; stroke-width: 1.5 }
.yardstick { fill: #2f81f7 } .typical { fill: #bf8700 } .pgbench { fill: #2da44e }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>
<text class="title" x="20" y="24">Requests per second of this server, divided by those of others (${busyClients} clients; logarithmic)</text>
${[...legend, ...grid, ...parts].join('\n')}
</svg>
`;
};
