/** @jsxImportSource preact */

import type { LeadFilter } from '../../leads/filter.ts';
import { reportSpeed, type Speed, type Waits } from '../../reports/speed.ts';
import { leadsAddress } from '../leads/fields.tsx';
import { spanWords } from '../moments.tsx';
import type { Shown, Visit } from '../visit.ts';
import {
  Bars,
  Count,
  createdIn,
  decidedIn,
  Figures,
  FigureTable,
  periodOf,
  reportFile,
  reportPage,
  shareOf,
  shareWords,
} from './parts.tsx';
import type { Period } from './period.ts';

const path = '/reports/speed';

/** Report 2: how soon leads were touched and decided. */
export const showSpeed = async (visit: Visit): Promise<Shown> => {
  const period = periodOf(visit);
  const speed = await reportSpeed(visit.actor, period);
  return reportPage(
    { path, period, note: 'the leads you may see' },
    <>
      <Summary speed={speed} period={period} />
      <HowSoon speed={speed} period={period} />
      <Measures speed={speed} period={period} />
    </>,
  );
};

type Props = { speed: Speed; period: Period };

const Summary = ({ speed: { leads, firstTouch, hired, notHired }, period }: Props) => (
  <Figures
    figures={[
      {
        name: 'Leads created',
        figure: <Count count={leads} filter={createdIn(period)} />,
        note: `${shareWords(shareOf(firstTouch.count, leads))} were touched`,
      },
      {
        name: 'First touch',
        figure: wait(firstTouch.median),
        note: median(firstTouch),
      },
      {
        name: 'Hired after',
        figure: wait(hired.median),
        note: median(hired),
      },
      {
        name: 'Not hired after',
        figure: wait(notHired.median),
        note: median(notHired),
      },
    ]}
  />
);

const wait = (seconds: number | null) => (seconds === null ? '–' : spanWords(seconds));

const median = ({ count, nineInTen }: Waits) =>
  count === 0 ? 'none in these days' : `median; 9 in 10 within ${wait(nineInTen)}`;

const HowSoon = ({ speed: { leads, firstTouch, within }, period }: Props) => {
  const created = createdIn(period);
  return (
    <Bars
      id="how-soon"
      title="How soon somebody did something"
      heading="First touch"
      all={leads}
      bars={[
        { name: 'All leads', count: leads, href: leadsAddress(created) },
        ...within.map(({ hours, count }) => ({
          name: `Within ${spanWords(hours * 3600)}`,
          count,
          href: leadsAddress({ ...created, touched: String(hours) }),
        })),
        {
          name: 'At all',
          count: firstTouch.count,
          href: leadsAddress({ ...created, touched: 'yes' }),
        },
        {
          name: 'Not yet',
          count: leads - firstTouch.count,
          href: leadsAddress({ ...created, touched: 'no' }),
        },
      ]}
    />
  );
};

type Measure = { name: string; waits: Waits; filter: Partial<LeadFilter> };

const measuresOf = ({ firstTouch, hired, notHired }: Speed, period: Period): Measure[] => [
  {
    name: 'First touch of leads created in these days',
    waits: firstTouch,
    filter: { ...createdIn(period), touched: 'yes' },
  },
  {
    name: 'Decision: hired in these days',
    waits: hired,
    filter: { ...decidedIn(period), status: 'HIRED' },
  },
  {
    name: 'Decision: not hired in these days',
    waits: notHired,
    filter: { ...decidedIn(period), status: 'NOT_HIRED' },
  },
];

const Measures = ({ speed, period }: Props) => (
  <FigureTable
    id="measures"
    title="From the creation of a lead"
    heads={['To', 'Leads', 'Median', '9 in 10']}
    rows={measuresOf(speed, period).map(({ name, waits, filter }) => [
      name,
      <Count count={waits.count} filter={filter} />,
      wait(waits.median),
      wait(waits.nineInTen),
    ])}
    note="A first touch is the first change or note by a person. Changes through a key do not count."
  />
);

/** The report as a file; times in hours. */
export const exportSpeed = async (visit: Visit): Promise<Response> => {
  const period = periodOf(visit);
  const hours = (seconds: number | null) =>
    seconds === null ? '' : String(Math.round(seconds / 36) / 100);
  const measures = measuresOf(await reportSpeed(visit.actor, period), period);
  const head = ['From the creation to', 'Leads', 'Median (hours)', '9 in 10 (hours)'];
  const lines = measures.map(({ name, waits }) => [
    name,
    String(waits.count),
    hours(waits.median),
    hours(waits.nineInTen),
  ]);
  return reportFile(visit, path, head, lines);
};
