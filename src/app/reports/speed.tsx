/** @jsxImportSource preact */

import { recordExport } from '../../firm/exported.ts';
import type { LeadFilter } from '../../leads/filter.ts';
import { reportSpeed, type Speed, type Waits } from '../../reports/speed.ts';
import { csvFile } from '../csv.ts';
import { addressWith } from '../list.tsx';
import { spanWords } from '../moments.tsx';
import type { Shown, Visit } from '../visit.ts';
import {
  Bars,
  Count,
  createdIn,
  decidedIn,
  Figures,
  mustReadLeads,
  periodOf,
  ReportHead,
  shareOf,
  shareWords,
} from './parts.tsx';
import type { Period } from './period.ts';

const path = '/reports/speed';

/** Report 2: how soon leads were touched, and decided. */
export const showSpeed = async (visit: Visit): Promise<Shown> => {
  mustReadLeads(visit);
  const period = periodOf(visit);
  const speed = await reportSpeed(visit.actor, period);
  return {
    title: 'Speed',
    place: '/reports',
    main: (
      <div class="report">
        <ReportHead path={path} period={period} says="the leads you may see" />
        <div class="stack">
          <Summary speed={speed} period={period} />
          <HowSoon speed={speed} period={period} />
          <Measures speed={speed} period={period} />
        </div>
      </div>
    ),
  };
};

type Props = { speed: Speed; period: Period };

const Summary = ({ speed: { leads, firstTouch, hired, notHired }, period }: Props) => (
  <Figures
    figures={[
      {
        name: 'Leads created',
        figure: <Count count={leads} filter={createdIn(period)} />,
        says: `${shareWords(shareOf(firstTouch.count, leads))} were touched by somebody`,
      },
      {
        name: 'First touch',
        figure: wait(firstTouch.median),
        says: median(firstTouch),
      },
      {
        name: 'Hired after',
        figure: wait(hired.median),
        says: median(hired),
      },
      {
        name: 'Not hired after',
        figure: wait(notHired.median),
        says: median(notHired),
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
        { name: 'All leads', count: leads, filter: created },
        ...within.map(({ hours, count }) => ({
          name: `Within ${spanWords(hours * 3600)}`,
          count,
          filter: { ...created, touched: String(hours) },
        })),
        { name: 'At all', count: firstTouch.count, filter: { ...created, touched: 'yes' } },
        { name: 'Not yet', count: leads - firstTouch.count, filter: { ...created, touched: 'no' } },
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
  <section aria-labelledby="measures">
    <h2 id="measures" class="part">
      From the creation of a lead
    </h2>
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">To</th>
            <th scope="col" class="number">
              Leads
            </th>
            <th scope="col" class="number">
              Median
            </th>
            <th scope="col" class="number">
              9 in 10
            </th>
          </tr>
        </thead>
        <tbody>
          {measuresOf(speed, period).map(({ name, waits, filter }) => (
            <tr>
              <th scope="row">{name}</th>
              <td class="number">
                <Count count={waits.count} filter={filter} />
              </td>
              <td class="number">{wait(waits.median)}</td>
              <td class="number">{wait(waits.nineInTen)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <p class="muted small">
      A first touch is the first change or note by a person; what comes through a key is none.
    </p>
  </section>
);

/** The report as a file; times in hours. */
export const exportSpeed = async (visit: Visit): Promise<Response> => {
  mustReadLeads(visit);
  const { actor, query } = visit;
  const period = periodOf(visit);
  const hours = (seconds: number | null) =>
    seconds === null ? '' : String(Math.round(seconds / 36) / 100);
  const lines = measuresOf(await reportSpeed(actor, period), period).map(({ name, waits }) => [
    ...[name, String(waits.count)],
    ...[hours(waits.median), hours(waits.nineInTen)],
  ]);
  const address = addressWith(path, query, {});
  await recordExport(actor, { what: 'speed report', address, rows: lines.length });
  const head = ['From the creation to', 'Leads', 'Median (hours)', '9 in 10 (hours)'];
  return csvFile('speed', head, lines);
};
