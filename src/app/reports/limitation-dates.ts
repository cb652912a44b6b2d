import { addDays } from '../../base/calendar-date.ts';
import type { MatterFilter } from '../../matters/filter.ts';
import {
  comingWithin,
  type LimitationCounts,
  type LimitationReport,
  reportLimitationDates,
} from '../../reports/limitation-dates.ts';
import { matterFields, mattersAddress } from '../matters/fields.tsx';
import { report } from './report.tsx';
import { bars, type Column, table } from './tables.tsx';

/** Report 4: which limitation dates are past, which come, and which are missing. */
export const limitationDates = report<LimitationReport>({
  path: '/reports/limitation-dates',
  name: 'Limitation dates',
  reads: 'matters:read',
  hasPeriod: false,
  read: (reader, { today }) => reportLimitationDates(reader, today),
  note: () => 'Matters that are not archived, whose limitation date is not met.',
  empty: ({ all }) =>
    all.open + all.missing === 0 && 'No limitation dates are open, and none are missing.',
  figures: ({ all }, { today }) => [
    { name: 'Past', value: counted(all.past, pastOf(today)), note: 'and not met' },
    {
      name: 'Within 30 days',
      value: counted(all.within[1] ?? 0, withinOf(today, 30)),
      note: 'from today',
    },
    {
      name: 'None set',
      value: counted(all.missing, missingDates),
      note: 'active matters that need one',
    },
  ],
  tables: ({ all, byAttorney }, { today }) => {
    const columns = columnsOn(today);
    const ofAll: Line = { name: 'All matters', of: {}, ...all };
    const rows = byAttorney.map(({ id, ...counts }) => ({
      ...counts,
      of: { responsible: id ?? 'none' },
    }));
    const [id, title] = ['attorneys', 'By responsible attorney'];
    return [
      coming(all, today),
      table({ id, title, columns, rows, all: ofAll, only: 'page' }),
      table({ id, title, columns, rows: [ofAll, ...rows], only: 'file' }),
    ];
  },
});

type Wanted = Partial<MatterFilter>;

/** The filters of the list of matters that the figures count. */
const openDates = { status: 'CURRENT', limitation: 'open' } satisfies Wanted;
const missingDates = { status: 'ACTIVE', limitation: 'missing' } satisfies Wanted;
const pastOf = (today: string) => ({ ...openDates, limitationTo: addDays(today, -1) });
const withinOf = (today: string, days: number) => ({
  ...openDates,
  limitationFrom: today,
  limitationTo: addDays(today, days),
});

const counted = (count: number, filter: Wanted) => ({ count, href: mattersAddress(filter) });

const coming = (all: LimitationCounts, today: string) =>
  bars({
    id: 'coming',
    title: 'Coming up',
    heads: [matterFields.limitation.label, 'Matters'],
    all: all.open,
    rows: [
      { name: 'All', ...counted(all.open, openDates) },
      { name: 'Past', ...counted(all.past, pastOf(today)) },
      ...comingWithin.map((days, at) => ({
        name: `Within ${days} days`,
        ...counted(all.within[at] ?? 0, withinOf(today, days)),
      })),
    ],
  });

type Line = LimitationCounts & { name: string | null; of: { responsible?: string } };

const columnsOn = (today: string): Column<Line>[] => [
  { name: 'Responsible attorney', text: ({ name }) => name, none: 'Nobody' },
  { name: 'Past', count: ({ past, of }) => counted(past, { ...pastOf(today), ...of }) },
  ...comingWithin.map((days, at) => ({
    name: `≤ ${days} days`,
    fileName: `Within ${days} days`,
    count: ({ within, of }: Line) => counted(within[at] ?? 0, { ...withinOf(today, days), ...of }),
  })),
  { name: 'None set', count: ({ missing, of }) => counted(missing, { ...missingDates, ...of }) },
];
