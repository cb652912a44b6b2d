/** @jsxImportSource preact */
import type { LeadFilter } from '../../leads/filter.ts';
import {
  hiredRate,
  type IntakeCounts,
  type IntakePart,
  reportIntake,
} from '../../reports/intake.ts';
import { leadsAddress } from '../leads/fields.tsx';
import { written } from '../numbers.ts';
import type { Shown, Visit } from '../visit.ts';
import { ByArea, BySource, type IntakeProps } from './intake-parts.tsx';
import {
  Bars,
  Count,
  createdIn,
  Figures,
  FigureTable,
  periodOf,
  reportFile,
  reportPage,
  shareOf,
  shareWords,
} from './parts.tsx';

const path = '/reports/intake';

/** Report 1: the outcomes of the leads created in a period. */
export const showIntake = async (visit: Visit): Promise<Shown> => {
  const period = periodOf(visit);
  const intake = await reportIntake(visit.actor, period);
  const note = `the ${written(intake.all.leads)} leads you may see`;
  return reportPage(
    { path, period, note },
    <>
      <Summary intake={intake} period={period} />
      <HowFar intake={intake} period={period} />
      <Outcomes intake={intake} period={period} />
      <BySource intake={intake} period={period} />
      <ByArea intake={intake} period={period} />
    </>,
  );
};

const Summary = ({ intake: { all, reasons }, period }: IntakeProps) => {
  const created = createdIn(period);
  const decided = all.hired + all.notHired;
  const [first] = reasons;
  return (
    <Figures
      figures={[
        {
          name: 'Leads',
          figure: <Count count={all.leads} filter={created} />,
          note: `${written(all.open)} still open`,
        },
        {
          name: 'Hired',
          figure: <Count count={all.hired} filter={{ ...created, status: 'HIRED' }} />,
          note: `of ${written(decided)} decided`,
        },
        {
          name: 'Not hired',
          figure: <Count count={all.notHired} filter={{ ...created, status: 'NOT_HIRED' }} />,
          note: first ? `most often: ${first.name ?? 'no reason given'}` : 'none',
        },
        {
          name: 'Rate',
          figure: shareWords(hiredRate(all)),
          note: 'hired ÷ (hired + not hired)',
        },
      ]}
    />
  );
};

const HowFar = ({ intake: { all, stages }, period }: IntakeProps) => {
  const created = createdIn(period);
  const reached = stages.map(({ id, name }, at) => ({
    name,
    count: all.reached[at] ?? 0,
    href: leadsAddress({ ...created, reached: id }),
  }));
  return (
    <Bars
      id="how-far"
      title="How far leads came"
      heading="Stage reached"
      all={all.leads}
      bars={[
        { name: 'All leads', count: all.leads, href: leadsAddress(created) },
        ...reached,
        {
          name: 'Hired',
          count: all.hired,
          isEnd: true,
          href: leadsAddress({ ...created, status: 'HIRED' }),
        },
      ]}
    />
  );
};

/** The outcomes: each lead counts once. */
const Outcomes = ({ intake: { all, reasons }, period }: IntakeProps) => {
  const created = createdIn(period);
  const outcomes: { name: string; count: number; filter: Partial<LeadFilter> }[] = [
    { name: 'Hired', count: all.hired, filter: { status: 'HIRED' } },
    ...reasons.map(({ id, name, count }) => ({
      name: `Not hired: ${name ?? 'no reason given'}`,
      count,
      filter: { status: 'NOT_HIRED' as const, reason: id ?? 'none' },
    })),
    { name: 'Open', count: all.open, filter: { status: 'ACTIVE' } },
    { name: 'Archived', count: all.archived, filter: { status: 'ARCHIVE' } },
    { name: 'Drafts', count: all.drafts, filter: { status: 'DRAFT' } },
  ];
  const rows = outcomes.filter(({ count }) => count > 0 || all.leads === 0);
  return (
    <FigureTable
      id="outcomes"
      title="What became of them"
      heads={['Outcome', 'Leads', 'Share']}
      rows={rows.map(({ name, count, filter }) => [
        name,
        <Count count={count} filter={{ ...created, ...filter }} />,
        shareWords(shareOf(count, all.leads)),
      ])}
    />
  );
};

/** The report as a file: one line for all leads, one for each source and practice area. */
export const exportIntake = async (visit: Visit): Promise<Response> => {
  const { stages, all, bySource, byArea } = await reportIntake(visit.actor, periodOf(visit));
  const reached = stages.map(({ name }) => `Reached: ${name}`);
  const outcomes = ['Hired', 'Not hired', 'Open', 'Archived', 'Drafts', 'Rate'];
  const head = ['By', 'Name', 'Leads', ...reached, ...outcomes];
  const line = (by: string, name: string, counts: IntakeCounts) => {
    const { leads, reached, hired, notHired, open, archived, drafts } = counts;
    const figures = [leads, ...reached, hired, notHired, open, archived, drafts].map(String);
    return [by, name, ...figures, shareWords(hiredRate(counts))];
  };
  const linesOf = (by: string, none: string, parts: readonly IntakePart[]) =>
    parts.map((part) => line(by, part.name ?? none, part));
  const lines = [
    line('All', 'All', all),
    ...linesOf(bySource?.fieldName ?? 'Source', 'None', bySource?.parts ?? []),
    ...linesOf('Practice area', 'No area', byArea),
  ];
  return reportFile(visit, path, head, lines);
};
