import type { LeadFilter } from '../../leads/filter.ts';
import { reportSpeed, type Speed, type Waits } from '../../reports/speed.ts';
import { leadFields, leadsAddress } from '../leads/fields.tsx';
import { spanWords } from '../moments.tsx';
import { type Asked, report } from './report.tsx';
import { bars, type Column, shareOf, shareWords, table } from './tables.tsx';

/** Report 2: how soon leads had a response and were decided. */
export const speed = report<Speed>({
  path: '/reports/speed',
  name: 'Speed',
  reads: 'leads:read',
  hasPeriod: true,
  read: (reader, { period }) => reportSpeed(reader, period),
  note: () => 'leads created or decided',
  empty: ({ leads, hired, notHired }) =>
    leads + hired.count + notHired.count === 0 &&
    'No leads were created or decided in this period.',
  figures: ({ leads, firstTouch, hired, notHired }, asked) => [
    {
      name: 'Leads created',
      value: { count: leads, href: leadsAddress(created(asked)) },
      note: `${shareWords(shareOf(firstTouch.count, leads))} have had a response`,
    },
    { name: leadFields.touched.label, value: span(firstTouch.median), note: median(firstTouch) },
    { name: 'Hired after', value: span(hired.median), note: median(hired) },
    { name: 'Not hired after', value: span(notHired.median), note: median(notHired) },
  ],
  tables: (found, asked) => [responses(found, asked), measures(found, asked)],
});

const created = ({ period: { from, to } }: Asked): Partial<LeadFilter> => ({ from, to });

const span = (seconds: number | null) => (seconds === null ? '–' : spanWords(seconds));

const median = ({ count, nineInTen }: Waits) =>
  count === 0 ? 'none in this period' : `median; 90% within ${span(nineInTen)}`;

const responses = ({ leads, firstTouch, within }: Speed, asked: Asked) => {
  const counted = (count: number, touched?: string) => ({
    count,
    href: leadsAddress({ ...created(asked), ...(touched && { touched }) }),
  });
  return bars({
    id: 'how-soon',
    title: 'Time to first response',
    heads: [leadFields.touched.label, 'Leads'],
    all: leads,
    rows: [
      { name: 'All leads', ...counted(leads) },
      ...within.map(({ hours, count }) => ({
        name: `Within ${spanWords(hours * 3600)}`,
        ...counted(count, String(hours)),
      })),
      { name: 'Any response', ...counted(firstTouch.count, 'yes') },
      { name: 'Not yet', ...counted(leads - firstTouch.count, 'no') },
    ],
  });
};

const hours = (seconds: number | null) =>
  seconds === null ? '' : String(Math.round(seconds / 36) / 100);

type Measure = { name: string; waits: Waits; filter: Partial<LeadFilter> };

const columns: Column<Measure>[] = [
  { name: 'Step', text: ({ name }) => name },
  {
    name: 'Leads',
    count: ({ waits, filter }) => ({ count: waits.count, href: leadsAddress(filter) }),
  },
  {
    name: 'Median',
    fileName: 'Median (hours)',
    text: ({ waits }) => span(waits.median),
    inFile: ({ waits }) => hours(waits.median),
  },
  {
    name: '90% within',
    fileName: '90% within (hours)',
    text: ({ waits }) => span(waits.nineInTen),
    inFile: ({ waits }) => hours(waits.nineInTen),
  },
];

const measures = ({ firstTouch, hired, notHired }: Speed, asked: Asked) => {
  const { from, to } = asked.period;
  const decided = { decidedFrom: from, decidedTo: to };
  return table({
    id: 'measures',
    title: 'How long it takes',
    columns,
    rows: [
      {
        name: 'First response to leads created in this period',
        waits: firstTouch,
        filter: { ...created(asked), touched: 'yes' },
      },
      {
        name: 'Hired in this period',
        waits: hired,
        filter: { ...decided, status: 'HIRED' },
      },
      {
        name: 'Not hired in this period',
        waits: notHired,
        filter: { ...decided, status: 'NOT_HIRED' },
      },
    ],
    note: 'Counted from when the lead was created. First response: the first note or change by somebody in the firm. Changes through an API key do not count.',
  });
};
