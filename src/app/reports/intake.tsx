/** @jsxImportSource preact */

import { written } from '../../base/numbers.ts';
import type { LeadFilter } from '../../leads/filter.ts';
import {
  hiredRate,
  type Intake,
  type IntakeCounts,
  type IntakePart,
  reportIntake,
} from '../../reports/intake.ts';
import { useFrame } from '../frame.tsx';
import { leadFields, leadsAddress } from '../leads/fields.tsx';
import { counted } from '../numbers.ts';
import { type Asked, report } from './report.tsx';
import { bars, type Column, shareOf, shareWords, type Table, table } from './tables.tsx';

/** Report 1: the outcomes of the leads created in a period. */
export const intake = report<Intake>({
  path: '/reports/intake',
  name: 'Intake',
  reads: 'leads:read',
  hasPeriod: true,
  read: (reader, { period }) => reportIntake(reader, period),
  note: ({ all }) => counted(all.leads, 'lead'),
  empty: ({ all }) => all.leads === 0 && 'No leads were created in this period.',
  figures: ({ all, reasons: [first, second] }, asked) => {
    const leads = leadsOf(asked);
    const isClear = first && first.count > (second?.count ?? 0);
    return [
      { name: 'Leads', value: leads(all.leads), note: `${written(all.open)} still open` },
      {
        name: 'Hired',
        value: leads(all.hired, { status: 'HIRED' }),
        note: `of ${written(all.hired + all.notHired)} decided`,
      },
      {
        name: 'Not hired',
        value: leads(all.notHired, { status: 'NOT_HIRED' }),
        note: isClear
          ? `most often: ${first.name ?? 'no reason given'}`
          : first
            ? 'for several reasons'
            : 'none',
      },
      { name: 'Hire rate', value: shareWords(hiredRate(all)), note: 'of those decided' },
      {
        name: 'No next step',
        value: leads(all.withoutStep, { status: 'ACTIVE', next: 'none' }),
        note: `of ${written(all.open)} still open`,
      },
    ];
  },
  tables: (found, asked) => [
    funnel(found, asked),
    outcomes(found, asked),
    onlyAll(found, asked),
    bySource(found, asked),
    byArea(found, asked),
  ],
});

/** A number of leads created in the period, with their list. */
const leadsOf =
  ({ period: { from, to } }: Asked) =>
  (count: number, filter: Partial<LeadFilter> = {}) => ({
    count,
    href: leadsAddress({ from, to, ...filter }),
  });

const funnel = ({ all, stages }: Intake, asked: Asked) => {
  const leads = leadsOf(asked);
  return bars({
    id: 'how-far',
    title: 'Funnel',
    heads: ['Stage reached', 'Leads'],
    all: all.leads,
    rows: [
      { name: 'All leads', ...leads(all.leads) },
      ...stages.map(({ id, name }, at) => ({
        name,
        ...leads(all.reached[at] ?? 0, { reached: id }),
      })),
      { name: 'Hired', isEnd: true, ...leads(all.hired, { status: 'HIRED' }) },
    ],
  });
};

/** The outcomes: each lead counts once. */
const outcomes = ({ all, reasons }: Intake, asked: Asked) => {
  const leads = leadsOf(asked);
  const rows = [
    { name: 'Hired', ...leads(all.hired, { status: 'HIRED' }) },
    ...reasons.map(({ id, name, count }) => ({
      name: `Not hired: ${name ?? 'no reason given'}`,
      ...leads(count, { status: 'NOT_HIRED', reason: id ?? 'none' }),
    })),
    { name: 'Open', ...leads(all.open, { status: 'ACTIVE' }) },
    { name: 'Archived', ...leads(all.archived, { status: 'ARCHIVE' }) },
    { name: 'Drafts', ...leads(all.drafts, { status: 'DRAFT' }) },
  ];
  return table({
    id: 'outcomes',
    title: 'Outcomes',
    only: 'page',
    columns: [
      { name: 'Outcome', text: ({ name }) => name },
      { name: 'Leads', count: (row) => row },
      { name: 'Share', text: ({ count }) => shareWords(shareOf(count, all.leads)) },
    ],
    rows: rows.filter(({ count }) => count > 0),
  });
};

/** The same counts of all leads, or of one source or practice area. */
type Line = { name: string | null; counts: IntakeCounts; filter: Partial<LeadFilter> };

type By = { head: string; inFile: string; none: string };

const columnsBy = ({ head, inFile, none }: By, { stages }: Intake, asked: Asked) => {
  const leads = leadsOf(asked);
  const column = (
    name: string,
    count: (counts: IntakeCounts) => number,
    filter: Partial<LeadFilter>,
    more: Partial<Column<Line>> = {},
  ): Column<Line> => ({
    name,
    count: (line) => leads(count(line.counts), { ...line.filter, ...filter }),
    ...more,
  });
  const [wide, inFileOnly] = [{ isWide: true }, { only: 'file' }] as const;
  return [
    { name: 'By', text: () => inFile, ...inFileOnly },
    { name: head, fileName: 'Name', text: ({ name }) => name, none },
    column('Leads', (counts) => counts.leads, {}),
    // Every lead reached the first stage.
    ...stages.map(({ id, name }, at) =>
      column(
        name,
        ({ reached }) => reached[at] ?? 0,
        { reached: id },
        { fileName: `Reached: ${name}`, ...(at === 0 ? inFileOnly : wide) },
      ),
    ),
    column('Hired', (counts) => counts.hired, { status: 'HIRED' }),
    column('Not hired', (counts) => counts.notHired, { status: 'NOT_HIRED' }, wide),
    column('Open', (counts) => counts.open, { status: 'ACTIVE' }, inFileOnly),
    column(
      'No next step',
      (counts) => counts.withoutStep,
      { status: 'ACTIVE', next: 'none' },
      inFileOnly,
    ),
    column('Archived', (counts) => counts.archived, { status: 'ARCHIVE' }, inFileOnly),
    column('Drafts', (counts) => counts.drafts, { status: 'DRAFT' }, inFileOnly),
    { name: 'Hire rate', text: ({ counts }) => shareWords(hiredRate(counts)) },
  ] satisfies Column<Line>[];
};

const lineOfAll = ({ all }: Intake): Line => ({ name: 'All', counts: all, filter: {} });

/** The file begins with all leads. */
const onlyAll = (found: Intake, asked: Asked) =>
  table({
    id: 'all',
    title: 'All',
    only: 'file',
    columns: columnsBy({ head: 'All', inFile: 'All', none: '' }, found, asked),
    rows: [lineOfAll(found)],
  });

const parted = (
  id: string,
  title: string,
  by: By,
  parts: readonly IntakePart[],
  filter: (id: string) => Partial<LeadFilter>,
  found: Intake,
  asked: Asked,
) =>
  table({
    id,
    title,
    columns: columnsBy(by, found, asked),
    rows: parts.map(({ id, name, ...counts }) => ({ name, counts, filter: filter(id ?? 'none') })),
    all: lineOfAll(found),
  });

const { area, source } = leadFields;

const bySource = (found: Intake, asked: Asked): Table => {
  if (!found.bySource) return { Part: () => <NoSource /> };
  const { fieldName, parts } = found.bySource;
  const title = /^source$/i.test(fieldName) ? 'By source' : `By source: ${fieldName}`;
  const by = { head: source.label, inFile: fieldName, none: 'None' };
  return parted('by-source', title, by, parts, (one) => ({ source: one }), found, asked);
};

const byArea = (found: Intake, asked: Asked) => {
  const by = { head: area.label, inFile: area.label, none: 'No area' };
  return parted(
    'by-area',
    'By practice area',
    by,
    found.byArea,
    (one) => ({ area: one }),
    found,
    asked,
  );
};

const NoSource = () => (
  <section aria-labelledby="by-source">
    <h2 id="by-source" class="part">
      By source
    </h2>
    <div class="banner">
      <p>
        The firm has not chosen the field that says where a lead came from.
        {useFrame().admits('/settings/firm') && (
          <>
            {' '}
            <a href="/settings/firm#source">Choose it in the settings</a>.
          </>
        )}
      </p>
    </div>
  </section>
);
