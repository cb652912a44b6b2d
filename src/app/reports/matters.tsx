/** @jsxImportSource preact */
import type { MatterFilter } from '../../matters/filter.ts';
import { type MattersReport, reportMatters, type StageLoad } from '../../reports/matters.ts';
import { matterFields, mattersAddress } from '../matters/fields.tsx';
import { spanWords } from '../moments.tsx';
import { ToPracticeAreas } from '../page-parts.tsx';
import { report } from './report.tsx';
import { type Column, Counted, shareOf, table } from './tables.tsx';

/** Report 3: where the matters are now, and what was opened and closed. */
export const matters = report<MattersReport>({
  path: '/reports/matters',
  name: 'Matters',
  reads: 'matters:read',
  hasPeriod: true,
  read: (reader, { period }) => reportMatters(reader, period),
  note: () => 'matters opened and closed. Stages as of today.',
  empty: ({ areas, active, opened, closed }) =>
    areas.length === 0
      ? 'There is no practice area yet.'
      : active + opened + closed === 0 &&
        'No matters are active, and none were opened or closed in this period.',
  toFill: ({ areas }) => areas.length === 0 && <ToPracticeAreas />,
  figures: ({ active, opened, closed }, { period: { from, to } }) => [
    {
      name: 'Active today',
      value: { count: active, href: mattersAddress({ status: 'ACTIVE' }) },
      note: 'in all practice areas',
    },
    {
      name: 'Opened',
      value: { count: opened, href: mattersAddress({ openedFrom: from, openedTo: to }) },
      note: 'this period',
    },
    {
      name: 'Closed',
      value: { count: closed, href: mattersAddress({ closedFrom: from, closedTo: to }) },
      note: 'this period',
    },
  ],
  tables: ({ areas, opened, closed }) => {
    const max = Math.max(1, ...areas.flatMap(({ stages }) => stages.map(({ count }) => count)));
    return [
      ...areas.map((area) => stagesOf(area, max)),
      lastLine('Opened in this period', opened),
      lastLine('Closed in this period', closed),
    ];
  },
});

const stagesOf = ({ id, name, count, stages }: MattersReport['areas'][number], max: number) => {
  const active = { status: 'ACTIVE', area: id } as const;
  return table<StageLoad>({
    id: `area-${id}`,
    title: name,
    beside: (
      <>
        : <Counted count={count} href={mattersAddress(active)} /> active
      </>
    ),
    look: 'bars',
    heads: true,
    columns: columnsOf(name, active, max),
    rows: stages,
  });
};

const columnsOf = (
  line: string,
  active: Partial<MatterFilter>,
  max: number,
): Column<StageLoad>[] => [
  { name: matterFields.area.label, only: 'file', text: () => line },
  { name: matterFields.stage.label, text: ({ name }) => name },
  { name: '', only: 'page', bar: ({ count }) => ({ share: shareOf(count, max) ?? 0 }) },
  {
    name: 'Matters',
    count: ({ id, count }) => ({ count, href: mattersAddress({ ...active, stage: id }) }),
  },
  {
    name: 'Median time',
    fileName: 'Median days in stage',
    isSoft: true,
    text: ({ median }) => (median === null ? '–' : spanWords(median)),
    inFile: ({ median }) => (median === null ? '' : String(Math.round(median / 8_640) / 10)),
  },
];

/** A last line of the file. */
const lastLine = (line: string, count: number) =>
  table<StageLoad>({
    id: line,
    title: line,
    only: 'file',
    columns: columnsOf(line, {}, 0),
    rows: [{ id: '', name: '', count, median: null }],
  });
