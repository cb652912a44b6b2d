/** @jsxImportSource preact */

import { recordExport } from '../../firm/exported.ts';
import type { LeadFilter } from '../../leads/filter.ts';
import {
  hiredRate,
  type Intake,
  type IntakeCounts,
  type IntakePart,
  reportIntake,
} from '../../reports/intake.ts';
import { csvFile } from '../csv.ts';
import { useFrame } from '../frame.tsx';
import { addressWith } from '../list.tsx';
import type { Shown, Visit } from '../visit.ts';
import {
  Bars,
  Count,
  createdIn,
  Figures,
  mustReadLeads,
  periodOf,
  ReportHead,
  shareOf,
  shareWords,
} from './parts.tsx';
import type { Period } from './period.ts';

const path = '/reports/intake';

/** Report 1: what became of the leads that were created in a period. */
export const showIntake = async (visit: Visit): Promise<Shown> => {
  mustReadLeads(visit);
  const period = periodOf(visit);
  const intake = await reportIntake(visit.actor, period);
  const { leads } = intake.all;
  return {
    title: 'Intake',
    place: '/reports',
    main: (
      <div class="report">
        <ReportHead
          path={path}
          period={period}
          says={`the ${leads.toLocaleString('en-GB')} leads you may see`}
        />
        <div class="stack">
          <Summary intake={intake} period={period} />
          <HowFar intake={intake} period={period} />
          <Outcomes intake={intake} period={period} />
          <BySource intake={intake} period={period} />
          <Parts
            id="area"
            title="By practice area"
            none="No area"
            intake={intake}
            period={period}
            parts={intake.byArea}
          />
        </div>
      </div>
    ),
  };
};

type Props = { intake: Intake; period: Period };

const Summary = ({ intake: { all, reasons }, period }: Props) => {
  const created = createdIn(period);
  const decided = all.hired + all.notHired;
  const [first] = reasons;
  return (
    <Figures
      figures={[
        {
          name: 'Leads',
          figure: <Count count={all.leads} filter={created} />,
          says: `${all.open.toLocaleString('en-GB')} still open`,
        },
        {
          name: 'Hired',
          figure: <Count count={all.hired} filter={{ ...created, status: 'HIRED' }} />,
          says: `of ${decided.toLocaleString('en-GB')} decided`,
        },
        {
          name: 'Not hired',
          figure: <Count count={all.notHired} filter={{ ...created, status: 'NOT_HIRED' }} />,
          says: first ? `most often: ${first.name ?? 'no reason said'}` : 'none',
        },
        {
          name: 'Rate',
          figure: shareWords(hiredRate(all)),
          says: 'hired ÷ (hired + not hired)',
        },
      ]}
    />
  );
};

const HowFar = ({ intake: { all, stages }, period }: Props) => {
  const created = createdIn(period);
  const reached = stages.map(({ id, name }, at) => ({
    name,
    count: all.reached[at] ?? 0,
    filter: { ...created, reached: id },
  }));
  return (
    <Bars
      id="how-far"
      title="How far leads came"
      heading="Stage reached"
      all={all.leads}
      bars={[
        { name: 'All leads', count: all.leads, filter: created },
        ...reached,
        { name: 'Hired', count: all.hired, isEnd: true, filter: { ...created, status: 'HIRED' } },
      ]}
    />
  );
};

/** What became of them: every lead once. */
const Outcomes = ({ intake: { all, reasons }, period }: Props) => {
  const created = createdIn(period);
  const outcomes: { name: string; count: number; filter: Partial<LeadFilter> }[] = [
    { name: 'Hired', count: all.hired, filter: { status: 'HIRED' } },
    ...reasons.map(({ id, name, count }) => ({
      name: `Not hired: ${name ?? 'no reason said'}`,
      count,
      filter: { status: 'NOT_HIRED' as const, reason: id ?? 'none' },
    })),
    { name: 'Open', count: all.open, filter: { status: 'ACTIVE' } },
    { name: 'Archived', count: all.archived, filter: { status: 'ARCHIVE' } },
    { name: 'Drafts', count: all.drafts, filter: { status: 'DRAFT' } },
  ];
  const rows = outcomes.filter(({ count }) => count > 0);
  return (
    <section aria-labelledby="outcomes">
      <h2 id="outcomes" class="part">
        What became of them
      </h2>
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col" class="number">
                Leads
              </th>
              <th scope="col" class="number">
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, count, filter }) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="number">
                  <Count count={count} filter={{ ...created, ...filter }} />
                </td>
                <td class="number">{shareWords(shareOf(count, all.leads))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
};

const BySource = ({ intake, period }: Props) => {
  const { admits } = useFrame();
  if (intake.bySource) {
    const { fieldName, parts } = intake.bySource;
    const title = `By source: ${fieldName}`;
    return (
      <Parts
        id="source"
        title={title}
        none="Not said"
        intake={intake}
        period={period}
        parts={parts}
      />
    );
  }
  return (
    <section aria-labelledby="source">
      <h2 id="source" class="part">
        By source
      </h2>
      <p class="banner">
        The firm has not chosen the field that says where a lead came from.
        {admits('/settings/lead-stages') && (
          <>
            {' '}
            <a href="/settings/lead-stages#source">Choose it in the settings</a>.
          </>
        )}
      </p>
    </section>
  );
};

/** More rows of a free text would tell nobody anything. */
const mostParts = 100;

type PartsProps = Props & {
  id: 'source' | 'area';
  title: string;
  none: string;
  parts: IntakePart[];
};

/** The same counts for each source or practice area. */
const Parts = ({ id, title, none, parts, intake: { stages, all }, period }: PartsProps) => {
  const shown = parts.slice(0, mostParts);
  const further = parts.length - shown.length;
  const ofPart = (of: string) => (id === 'source' ? { source: of } : { area: of });
  // Every lead reached the first stage.
  const later = stages.map((stage, at) => ({ ...stage, at })).slice(1);
  const Row = ({ counts, of }: { counts: IntakeCounts; of: Partial<LeadFilter> }) => {
    const filter = { ...createdIn(period), ...of };
    const cell = (count: number, more: Partial<LeadFilter>, look = 'number') => (
      <td class={look}>
        <Count count={count} filter={{ ...filter, ...more }} />
      </td>
    );
    return (
      <>
        {cell(counts.leads, {})}
        {later.map((stage) =>
          cell(counts.reached[stage.at] ?? 0, { reached: stage.id }, 'number only-wide'),
        )}
        {cell(counts.hired, { status: 'HIRED' })}
        {cell(counts.notHired, { status: 'NOT_HIRED' }, 'number only-wide')}
        <td class="number">{shareWords(hiredRate(counts))}</td>
      </>
    );
  };
  return (
    <section aria-labelledby={`by-${id}`}>
      <h2 id={`by-${id}`} class="part">
        {title}
      </h2>
      <div class="table-box scrolls">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{id === 'source' ? 'Source' : 'Practice area'}</th>
              <th scope="col" class="number">
                Leads
              </th>
              {later.map(({ name }) => (
                <th scope="col" class="number only-wide">
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                Hired
              </th>
              <th scope="col" class="number only-wide">
                Not hired
              </th>
              <th scope="col" class="number">
                Rate
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((part) => (
              <tr>
                <th scope="row">{part.name ?? <span class="muted">{none}</span>}</th>
                <Row counts={part} of={ofPart(part.id ?? 'none')} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All</th>
              <Row counts={all} of={{}} />
            </tr>
          </tfoot>
        </table>
      </div>
      {further > 0 && <p class="muted">And {further.toLocaleString('en-GB')} more, less often.</p>}
    </section>
  );
};

/** The report as a file: one line for all leads, one for each source and practice area. */
export const exportIntake = async (visit: Visit): Promise<Response> => {
  mustReadLeads(visit);
  const { actor, query } = visit;
  const { stages, all, bySource, byArea } = await reportIntake(actor, periodOf(visit));
  const head = [
    ...['By', 'Name', 'Leads'],
    ...stages.map(({ name }) => `Reached: ${name}`),
    ...['Hired', 'Not hired', 'Open', 'Archived', 'Drafts', 'Rate'],
  ];
  const line = (by: string, name: string, counts: IntakeCounts) => {
    const { leads, reached, hired, notHired, open, archived, drafts } = counts;
    const figures = [leads, ...reached, hired, notHired, open, archived, drafts].map(String);
    return [by, name, ...figures, shareWords(hiredRate(counts))];
  };
  const linesOf = (by: string, none: string, parts: readonly IntakePart[]) =>
    parts.map((part) => line(by, part.name ?? none, part));
  const lines = [
    line('All', 'All', all),
    ...linesOf(bySource?.fieldName ?? 'Source', 'Not said', bySource?.parts ?? []),
    ...linesOf('Practice area', 'No area', byArea),
  ];
  await recordExport(actor, {
    what: 'intake report',
    address: addressWith(path, query, {}),
    rows: lines.length,
  });
  return csvFile('intake', head, lines);
};
