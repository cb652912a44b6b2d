/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { dayIn } from '../../base/calendar-date.ts';
import type { Days } from '../../firm/days.ts';
import { recordExport } from '../../firm/exported.ts';
import type { LeadFilter } from '../../leads/filter.ts';
import { csvFile } from '../csv.ts';
import { Export } from '../export.tsx';
import { useFrame } from '../frame.tsx';
import { leadsAddress } from '../leads/fields.tsx';
import { addressWith, Filter, Filters, Tabs, Title } from '../list.tsx';
import { dayWords } from '../moments.tsx';
import { written } from '../numbers.ts';
import type { Shown, Visit } from '../visit.ts';
import { type Period, periodIn, periodNames } from './period.ts';

/** The period that a visit asks for, in days of the firm. */
export const periodOf = ({ query, session }: Visit): Period =>
  periodIn(query, dayIn(new Date(), session.timeZone));

const reports = [
  { path: '/reports/intake', name: 'Intake', reads: 'leads:read' },
  { path: '/reports/speed', name: 'Speed', reads: 'leads:read' },
  { path: '/reports/matters', name: 'Matters', reads: 'matters:read' },
  { path: '/reports/limitation-dates', name: 'Limitation dates', reads: 'matters:read' },
  { path: '/reports/workload', name: 'Workload', reads: 'matters:read' },
] as const;

/** The first report that the member may read. Others get the first of all, which refuses them. */
export const firstReport = ({ may }: Visit): string =>
  (reports.find(({ reads }) => may(reads)) ?? reports[0]).path;

const nameOf = (path: string) => reports.find((report) => report.path === path)?.name ?? '';

/** A report's page, under the head that all reports have. */
export const reportPage = (head: HeadProps, parts: ComponentChild): Shown => ({
  title: nameOf(head.path),
  place: '/reports',
  main: (
    <div class="report">
      <ReportHead {...head} />
      <div class="stack">{parts}</div>
    </div>
  ),
});

/** A report as a file. The audit log records the export. */
export const reportFile = async (
  { actor, query }: Visit,
  path: string,
  head: string[],
  lines: string[][],
): Promise<Response> => {
  const name = nameOf(path).toLowerCase();
  const address = addressWith(path, query, {});
  await recordExport(actor, { what: `${name} report`, address, rows: lines.length });
  return csvFile(name.replaceAll(' ', '-'), head, lines);
};

/** `period` is left out by a report about today, which says so itself. */
type HeadProps = { path: string; period?: Period; note: string };

/** A report's head: its name, its export, its period, and what it counts. */
const ReportHead = ({ path, period, note }: HeadProps) => {
  const visit = useFrame().visit as Visit;
  const to = (other: string) => addressWith(other, visit.query, {});
  return (
    <>
      <Title title={nameOf(path)}>
        <Export action={to(`${path}/export`)} />
      </Title>
      <Tabs
        label="Reports"
        tabs={reports
          .filter(({ reads }) => visit.may(reads))
          .map((report) => ({
            href: to(report.path),
            name: report.name,
            isHere: report.path === path,
          }))}
      />
      {period ? <PeriodBar period={period} note={note} /> : <p class="muted said">{note}</p>}
    </>
  );
};

const PeriodBar = ({ period, note }: { period: Period; note: string }) => (
  <Filters>
    <Filter
      name="period"
      label="Period"
      any={`${periodNames.quarter} (default)`}
      options={Object.entries(periodNames).map(([value, words]) => ({ value, name: words }))}
    />
    {period.name === 'own' && <OwnDays period={period} />}
    <span class="muted end">
      <DaysInWords days={period} />, {note}
    </span>
  </Filters>
);

const OwnDays = ({ period: { from, to } }: { period: Period }) => (
  <>
    <label class="row">
      From
      <input class="input" type="date" name="from" value={from} />
    </label>
    <label class="row">
      to
      <input class="input" type="date" name="to" value={to} />
    </label>
    <button class="button">Show</button>
  </>
);

const DaysInWords = ({ days: { from, to } }: { days: { from: string; to: string } }) => {
  // Always with the year.
  const words = (day: string) => dayWords(day, '0000');
  return (
    <>
      {words(from)} – {words(to)}
    </>
  );
};

/** The filter of leads by the days on which they were created, and decided. */
export const createdIn = ({ from, to }: Days): Partial<LeadFilter> => ({ from, to });
export const decidedIn = ({ from, to }: Days): Partial<LeadFilter> => ({
  decidedFrom: from,
  decidedTo: to,
});

/** A number of leads that links to their list. Zero has no link. */
export const Count = ({ count, filter }: { count: number; filter: Partial<LeadFilter> }) => (
  <Figure count={count} href={leadsAddress(filter)} />
);

/** A number that opens the list it counts. Zero opens nothing. */
export const Figure = ({ count, href }: { count: number; href: string }) => {
  const words = written(count);
  return count === 0 ? <>0</> : <a href={href}>{words}</a>;
};

/** A share in per cent; null if there is nothing to share. */
export const shareWords = (share: number | null): string =>
  share === null ? '–' : `${Math.round(share * 100)}%`;

export const shareOf = (count: number, all: number) => (all === 0 ? null : count / all);

/** The large figures above a report: a name, the figure, and an explanation. */
export const Figures = ({
  figures,
}: {
  figures: readonly { name: string; figure: ComponentChild; note: string }[];
}) => (
  <dl class="figures">
    {figures.map(({ name, figure, note }) => (
      <div>
        <dt>{name}</dt>
        <dd>{figure}</dd>
        <dd>{note}</dd>
      </div>
    ))}
  </dl>
);

/** A table of figures. The first column names the row. */
export const FigureTable = ({
  id,
  title,
  heads,
  rows,
  note,
}: {
  id: string;
  title: string;
  heads: readonly string[];
  rows: readonly (readonly ComponentChild[])[];
  note?: string;
}) => (
  <section aria-labelledby={id}>
    <h2 id={id} class="part">
      {title}
    </h2>
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th scope="col" class={at > 0 ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...figures]) => (
            <tr>
              <th scope="row">{name}</th>
              {figures.map((figure) => (
                <td class="number">{figure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {note && <p class="foot small">{note}</p>}
  </section>
);

type Bar = {
  name: string;
  count: number;
  href: string;
  isEnd?: boolean;
};

/** Counts with bars of their share: a chart that is also a table, readable without colours. */
export const Bars = ({
  id,
  title,
  heading,
  unit = 'Leads',
  all,
  bars,
}: {
  id: string;
  title: string;
  heading: string;
  unit?: string;
  all: number;
  bars: readonly Bar[];
}) => (
  <section aria-labelledby={id}>
    <h2 id={id} class="part">
      {title}
    </h2>
    <div class="chart">
      <table class="bars">
        <thead class="hide">
          <tr>
            <th scope="col">{heading}</th>
            <td />
            <th scope="col">{unit}</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, count, href, isEnd }) => (
            <tr>
              <th scope="row">
                <span>{name}</span>
              </th>
              <td>
                <Drawn share={shareOf(count, all) ?? 0} class={isEnd ? 'end-ok' : 'bar-of'} />
              </td>
              <td class="number">
                <Figure count={count} href={href} />
              </td>
              <td class="number soft">{shareWords(shareOf(count, all))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

/** A bar of a chart. The number beside it says the same. */
export const Drawn = ({ share, class: className }: { share: number; class: string }) => (
  <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rest" width="1000" height="16" />
    <rect class={className} width={Math.round(share * 1000)} height="16" />
  </svg>
);
