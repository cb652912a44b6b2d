/** @jsxImportSource preact */
/**
 * A report is data: what it reads, its large figures and its tables. Its page, its head with the
 * period, its file and who may have them follow from that.
 */
import type { ComponentChild } from 'preact';
import { todayIn } from '../../base/calendar-date.ts';
import { recordExport } from '../../firm/exported.ts';
import type { Reader } from '../../record/actor.ts';
import { csvFile, Export } from '../export.tsx';
import { useFrame } from '../frame.tsx';
import { seeOther } from '../headers.ts';
import { addressWith, Filter, Filters, optionsFrom, Tabs } from '../list.tsx';
import { Empty, Title } from '../page-parts.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { dayWithYear, type Period, periodIn, periodNames } from './period.ts';
import { type Count, Counted, fileOf, type Table } from './tables.tsx';

/** What a report is asked: the firm's day, a period, and what the reader may see. */
export type Asked = { today: string; period: Period; may: Visit['may'] };

/** A large figure above the tables. */
type Figure = {
  name: string;
  /** A number with the address of the list it counts, or words. */
  value: Count | string;
  note: string;
};

export type Report<Read> = {
  path: `/reports/${string}`;
  name: string;
  /** The permission for what it counts. */
  reads: 'leads:read' | 'matters:read';
  /** It is about a period. Others are about today. */
  hasPeriod: boolean;
  read(reader: Reader, asked: Asked): Promise<Read>;
  /** What it counts, beside its days. */
  note(read: Read): string;
  /** The sentence in place of a report that has nothing to count. */
  empty(read: Read): string | false;
  /** What can be done about it. */
  toFill?(read: Read): ComponentChild;
  figures?(read: Read, asked: Asked): readonly Figure[];
  tables(read: Read, asked: Asked): readonly Table[];
};

type Parts = { asked: Asked; note: string; parts: ComponentChild; tables: readonly Table[] };

/** A report, whatever it reads. */
type AnyReport = Pick<Report<unknown>, 'path' | 'name' | 'reads' | 'hasPeriod'> & {
  parts(visit: Visit): Promise<Parts>;
};

const askedBy = ({ query, session, may }: Visit): Asked => {
  const today = todayIn(session.timeZone);
  return { today, period: periodIn(query, today), may };
};

/** Describes a report. */
export const report = <Read,>({
  read,
  note,
  empty,
  toFill,
  figures,
  tables,
  ...about
}: Report<Read>): AnyReport => ({
  ...about,
  parts: async (visit) => {
    const asked = askedBy(visit);
    const found = await read(visit.actor, asked);
    const nothing = empty(found);
    const shown = tables(found, asked);
    return {
      asked,
      note: note(found),
      tables: shown,
      parts: nothing ? (
        <Empty text={nothing}>{toFill?.(found)}</Empty>
      ) : (
        <>
          {figures && <Figures figures={figures(found, asked)} />}
          {shown.map(({ Part }) => Part && <Part />)}
        </>
      ),
    };
  },
});

/** The pages of the reports, in the order of their tabs, and their files. */
export const reportPagesOf = (reports: readonly AnyReport[]): Page[] => [
  // Whoever may read none gets the first, which refuses them.
  page('/reports', 'reports:read', async ({ may }) =>
    seeOther((reports.find(({ reads }) => may(reads)) ?? reports[0])?.path ?? '/'),
  ),
  ...reports.flatMap((one) => {
    const { path, reads } = one;
    const shown = page(path, { allOf: ['reports:read', reads] }, (visit: Visit) =>
      showReport(one, reports, visit),
    );
    const admission = { allOf: ['data:export', 'reports:read', reads] } as const;
    return [shown, form(`${path}/export`, admission, (visit) => exportReport(one, visit), shown)];
  }),
];

const showReport = async (
  one: AnyReport,
  all: readonly AnyReport[],
  visit: Visit,
): Promise<Shown> => {
  const { asked, note, parts } = await one.parts(visit);
  const to = (path: string) => addressWith(path, visit.query, {});
  const tabs = all
    .filter(({ reads }) => visit.may(reads))
    .map(({ path, name }) => ({ href: to(path), name, isHere: path === one.path }));
  return {
    title: one.name,
    place: '/reports',
    main: (
      <div class="report">
        <Title title={one.name}>
          <Export action={to(`${one.path}/export`)} />
        </Title>
        <Tabs label="Reports" tabs={tabs} />
        {one.hasPeriod ? (
          <PeriodBar asked={asked} note={note} />
        ) : (
          <p class="muted said">
            {dayWithYear(asked.today, visit.session)}. {note}
          </p>
        )}
        <div class="stack">{parts}</div>
      </div>
    ),
  };
};

/** A report as a file. The audit log records the export. */
const exportReport = async (one: AnyReport, visit: Visit): Promise<Response> => {
  const { head, lines } = fileOf((await one.parts(visit)).tables);
  const name = one.name.toLowerCase();
  const address = addressWith(one.path, visit.query, {});
  await recordExport(visit.actor, { what: `${name} report`, address, rows: lines.length });
  return csvFile(name.replaceAll(' ', '-'), head, lines);
};

const PeriodBar = ({ asked: { period }, note }: { asked: Asked; note: string }) => {
  const frame = useFrame();
  const { quarter, ...others } = periodNames;
  return (
    <Filters>
      <Filter name="period" label="Period" any={quarter} options={optionsFrom(others)} />
      {period.name === 'own' && <OwnDays period={period} />}
      <span class="muted end">
        {dayWithYear(period.from, frame)} – {dayWithYear(period.to, frame)}: {note}
      </span>
    </Filters>
  );
};

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

const Figures = ({ figures }: { figures: readonly Figure[] }) => (
  <dl class="figures">
    {figures.map(({ name, value, note }) => (
      <div>
        <dt>{name}</dt>
        <dd>{typeof value === 'string' ? value : <Counted {...value} />}</dd>
        <dd>{note}</dd>
      </div>
    ))}
  </dl>
);
