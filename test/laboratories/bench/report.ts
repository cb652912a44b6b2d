/** What a benchmark found out, as Markdown. */
import { type ContenderName, contenderNames } from './contenders.ts';
import { type Findings, goalsOf, type Row, ratioTo } from './figures.ts';

export const titles: Record<ContenderName, string> = {
  server: 'this server',
  yardstick: 'bare yardstick',
  typical: 'typical server',
  pgbench: 'pgbench',
};

const servers = ['server', 'yardstick', 'typical'] as const;
const others = ['yardstick', 'typical', 'pgbench'] as const;

/** The whole report. */
export const reportOf = (findings: Findings): string =>
  [
    findings.machine,
    ...findings.leftOut,
    ...(findings.isJudged ? ['**Goals**', goals(findings)] : []),
    '**Requests per second**, medians, and how many times the others’ the server answers',
    throughput(findings.rows),
    '**Latency** (p50 / p99 in ms), **and CPU** per request (the program’s + Postgres’s, in ms; the server’s with its later work: sealing the audit log, telling members)',
    latency(findings.rows),
    '**A page of 20 by the firm’s size**, one client, p50 in ms',
    growth(findings),
    '**Memory and start**',
    memoryAndStart(findings),
  ].join('\n\n');

const goals = (findings: Findings) =>
  table(
    ['goal', 'measured', ''],
    goalsOf(findings).map(({ goal, measured, isMet }) => [
      goal,
      measured,
      isMet ? 'met' : '**missed**',
    ]),
  );

const throughput = (rows: Row[]) =>
  table(
    ['case', 'clients', ...contenderNames.map((name) => titles[name]), ...others.map(overTitle)],
    rows.map((row) => [
      row.name,
      String(row.clients),
      ...contenderNames.map((name) => short(row.of[name]?.perSecond)),
      ...others.map((name) => short(ratioTo(row, name))),
    ]),
  );

const overTitle = (name: ContenderName) => `÷ ${titles[name]}`;

const latency = (rows: Row[]) =>
  table(
    [
      ...['case', 'clients', ...contenderNames.map((name) => titles[name])],
      ...servers.map((name) => `CPU, ${titles[name]}`),
    ],
    rows.map((row) => [
      ...[row.name, String(row.clients)],
      ...contenderNames.map((name) => pair(row.of[name]?.p50, row.of[name]?.p99, '/')),
      ...servers.map((name) => pair(row.of[name]?.cpu, row.of[name]?.databaseCpu, '+')),
    ]),
  );

const growth = ({ growth }: Findings) =>
  table(
    ['leads', ...servers.flatMap((name) => [`${titles[name]}, first`, `${titles[name]}, at 90 %`])],
    growth.map(({ size, first, deep }) => [
      size.toLocaleString('en'),
      ...servers.flatMap((name) => [short(first.of[name]?.p50), short(deep.of[name]?.p50)]),
    ]),
  );

const memoryAndStart = ({ memory, starts }: Findings) =>
  table(
    ['', ...servers.map((name) => titles[name])],
    [
      ['most memory after a run, MB', ...servers.map((name) => short(memory[name]?.own))],
      [
        '… with all of Postgres, which all share, MB',
        ...servers.map((name) => short(memory[name]?.withDatabase)),
      ],
      [
        'start to first answer on a running database, ms',
        ...servers.map((name) => short(starts.onDatabase[name])),
      ],
      ['start with its own Postgres on an empty folder, ms', short(starts.empty), '', ''],
      ['start with its own Postgres again, ms', short(starts.again), '', ''],
      ['… it and its Postgres then, MB', short(starts.wholeTree), '', ''],
    ],
  );

/** Three significant digits, with commas; a dash if there is no figure. */
const short = (figure: number | undefined): string => {
  if (figure === undefined || Number.isNaN(figure)) return '–';
  const text = Number(figure.toPrecision(3));
  return figure >= 100 ? Math.round(figure).toLocaleString('en') : String(text);
};

const pair = (one: number | undefined, other: number | undefined, sign: string) =>
  one === undefined || Number.isNaN(one) ? '–' : `${short(one)} ${sign} ${short(other)}`;

const table = (head: string[], rows: string[][]): string => {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
};
