/** @jsxImportSource preact */
import { addDays, dayIn } from '../../base/calendar-date.ts';
import type { MatterFilter } from '../../matters/filter.ts';
import {
  comingWithin,
  type LimitationCounts,
  type LimitationReport,
  reportLimitationDates,
} from '../../reports/limitation-dates.ts';
import { mattersAddress } from '../matters/fields.tsx';
import { dayWords } from '../moments.tsx';
import { Scrolls } from '../table.tsx';
import type { Shown, Visit } from '../visit.ts';
import { Bars, Figure, Figures, reportFile, reportPage } from './parts.tsx';

const path = '/reports/limitation-dates';

/** Report 4: which limitation dates are past, which come, and which are missing. */
export const showLimitationDates = async (visit: Visit): Promise<Shown> => {
  const today = dayIn(new Date(), visit.session.timeZone);
  const report = await reportLimitationDates(visit.actor, today);
  const note = `${dayWords(today, '0000')}. Matters that are not archived, whose limitation date is not met.`;
  return reportPage(
    { path, note },
    <>
      <Summary all={report.all} today={today} />
      <Coming all={report.all} today={today} />
      <ByAttorney report={report} today={today} />
    </>,
  );
};

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

type Props = { all: LimitationCounts; today: string };

const Summary = ({ all, today }: Props) => (
  <Figures
    figures={[
      {
        name: 'Past',
        figure: <Figure count={all.past} href={mattersAddress(pastOf(today))} />,
        note: 'and not met',
      },
      {
        name: 'Within 30 days',
        figure: <Figure count={all.within[1] ?? 0} href={mattersAddress(withinOf(today, 30))} />,
        note: 'from today',
      },
      {
        name: 'None set',
        figure: <Figure count={all.missing} href={mattersAddress(missingDates)} />,
        note: 'active, where the area expects one',
      },
    ]}
  />
);

const Coming = ({ all, today }: Props) => (
  <Bars
    id="coming"
    title="When they come"
    heading="Limitation date"
    unit="Matters"
    all={all.open}
    bars={[
      { name: 'All', count: all.open, href: mattersAddress(openDates) },
      { name: 'Past', count: all.past, href: mattersAddress(pastOf(today)) },
      ...comingWithin.map((days, at) => ({
        name: `Within ${days} days`,
        count: all.within[at] ?? 0,
        href: mattersAddress(withinOf(today, days)),
      })),
    ]}
  />
);

const ByAttorney = ({ report, today }: { report: LimitationReport; today: string }) => (
  <section aria-labelledby="attorneys">
    <h2 id="attorneys" class="part">
      By responsible attorney
    </h2>
    <Scrolls label="By responsible attorney">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Responsible attorney</th>
            <th scope="col" class="number">
              Past
            </th>
            {comingWithin.map((days) => (
              <th scope="col" class="number">
                ≤ {days} days
              </th>
            ))}
            <th scope="col" class="number">
              None set
            </th>
          </tr>
        </thead>
        <tbody>
          {report.byAttorney.map(({ id, name, ...counts }) => (
            <tr>
              <th scope="row">{name ?? <span class="muted">Nobody</span>}</th>
              <Cells counts={counts} today={today} of={{ responsible: id ?? 'none' }} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All matters</th>
            <Cells counts={report.all} today={today} of={{}} />
          </tr>
        </tfoot>
      </table>
    </Scrolls>
  </section>
);

type CellsProps = { counts: LimitationCounts; today: string; of: { responsible?: string } };

const Cells = ({ counts, today, of }: CellsProps) => {
  const cell = (count: number, filter: Wanted) => (
    <td class="number">
      <Figure count={count} href={mattersAddress({ ...filter, ...of })} />
    </td>
  );
  return (
    <>
      {cell(counts.past, pastOf(today))}
      {comingWithin.map((days, at) => cell(counts.within[at] ?? 0, withinOf(today, days)))}
      {cell(counts.missing, missingDates)}
    </>
  );
};

/** The report as a file: a line for all matters, and one for each responsible attorney. */
export const exportLimitationDates = async (visit: Visit): Promise<Response> => {
  const today = dayIn(new Date(), visit.session.timeZone);
  const { all, byAttorney } = await reportLimitationDates(visit.actor, today);
  const line = (name: string, { past, within, missing }: LimitationCounts) => [
    name,
    ...[past, ...within, missing].map(String),
  ];
  const lines = [
    line('All matters', all),
    ...byAttorney.map(({ name, ...counts }) => line(name ?? 'Nobody', counts)),
  ];
  const head = [
    'Responsible attorney',
    'Past',
    ...comingWithin.map((days) => `Within ${days} days`),
  ];
  return reportFile(visit, path, [...head, 'None set'], lines);
};
