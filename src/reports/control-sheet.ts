/** The control sheet: all dates of the next days on one page, with who has each, to be checked and signed by hand. */
import { sql } from 'drizzle-orm';
import { lastSealOf } from '../audit/chain.ts';
import { addDays, dayIn } from '../base/calendar-date.ts';
import { type DateOfRecord, listDates } from '../calendar/dates.ts';
import { type MarkedDate, markWaiting } from '../date-rules/confirming.ts';
import { awayBetween, type MemberAway } from '../firm/absence.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { recordOfReceipt } from '../receipts/table.ts';
import type { Actor, Reader } from '../record/actor.ts';

/** For how many days a sheet can be made. */
export const sheetDays = [7, 14, 30, 60, 90] as const;

/** More are not on one sheet; it says so. */
export const maxOnSheet = 2_000;

/** A member who has said that they have a date, since when, and whether they are away today. */
type Holder = { name: string; since: string; isAway: boolean };

/** A date on the sheet. */
export type SheetDate = Pick<DateOfRecord, 'kind' | 'id' | 'day' | 'title' | 'people'> & {
  /** When an event with hours begins, in UTC; else null. */
  startsAt: string | null;
  /** The number and the title of what it belongs to. */
  number: string;
  subject: string;
  /** Whether anybody is asked to say that they have it; and those who have said so. */
  isAsked: boolean;
  holders: Holder[];
  /** Whether a second person has to confirm it; not in files of before. */
  isWaiting: boolean;
};

/** What a sheet says. It is signed as it stands. */
export type ControlSheet = {
  firmId: string;
  firmName: string;
  timeZone: string;
  /** The member who had it made, and when, in UTC. */
  memberId: string;
  memberName: string;
  madeAt: string;
  /** The firm's first and last day. What is overdue is on it too. */
  from: string;
  to: string;
  dates: SheetDate[];
  /** Whether there are more dates than fit. */
  isCut: boolean;
  away: MemberAway[];
  /** The end of the firm's audit log when it was made; null while nothing is sealed. */
  head: { firmId: string; seals: string; hash: string } | null;
};

type Made = Pick<ControlSheet, 'firmName' | 'timeZone' | 'memberName'> & {
  now: Date;
  /** So many days from today. */
  days: number;
};

/** Makes the sheet of the dates that the reader may see. */
export const controlSheet = async (
  reader: Actor,
  { now, days, ...by }: Made,
): Promise<ControlSheet> => {
  const { firmId } = reader;
  const from = dayIn(now, by.timeZone);
  const to = addDays(from, days);
  const [found, away, last] = await Promise.all([
    listDates(reader, { from, to, mine: false, overdue: true, max: maxOnSheet + 1 }),
    awayBetween(reader, from, to),
    lastSealOf(reader, firmId),
  ]);
  const shown = found.slice(0, maxOnSheet);
  const [asked, dates] = await Promise.all([
    askedAbout(reader, shown, from),
    markWaiting(reader, shown),
  ]);
  const { number, hash } = last;
  return {
    ...by,
    firmId,
    memberId: String(reader.memberId),
    madeAt: now.toISOString(),
    from,
    to,
    dates: dates.map((date) => lineOf(date, asked.get(date.id))),
    isCut: found.length > maxOnSheet,
    away,
    head: hash === null ? null : { firmId, seals: String(number), hash },
  };
};

const lineOf = (date: MarkedDate, holders: Holder[] | undefined): SheetDate => ({
  kind: date.kind,
  id: date.id,
  day: date.day,
  startsAt: date.startsAt?.toISOString() ?? null,
  title: date.title,
  number: date.record.number,
  subject: date.record.title,
  people: date.people,
  isAsked: holders !== undefined,
  holders: holders ?? [],
  isWaiting: date.isWaiting,
});

/** Of these dates, those that people are asked about, with those who have them. */
const askedAbout = async (reader: Reader, dates: readonly DateOfRecord[], today: string) => {
  const ids = dates.map(({ id }) => id);
  const rows =
    ids.length > 0 ? await reader.run(holdersOf, { firmId: reader.firmId, ids, today }) : [];
  return new Map(rows.map(({ id, holders }) => [id, holders]));
};

type Asked = { firmId: string; ids: string[]; today: string };

// Of the newest notice: the notices before it have been answered, and it asks again.
const holdersOf = statement(
  (given: Given<Asked>) => sql<{ id: string; holders: Holder[] }>`
    select newest.date_id::text as id, coalesce(json_agg(json_build_object('name', member.name,
        'since', to_char(newest.acknowledged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'isAway', coalesce(${given.today}::date between member.away_from and member.away_until, false))
      order by newest.acknowledged_at, member.name)
        filter (where newest.acknowledged_at is not null and member.deactivated_at is null), '[]') as holders
    from (
      select receipt.*, ${recordOfReceipt} as date_id,
        rank() over (partition by ${recordOfReceipt} order by receipt.step) as nth
      from receipt
      where receipt.firm_id = ${given.firmId}::uuid and receipt.withdrawn_at is null
        and (receipt.matter_id = any(${given.ids}::uuid[]) or receipt.task_id = any(${given.ids}::uuid[])
          or receipt.event_id = any(${given.ids}::uuid[]))) as newest
    join member on member.firm_id = newest.firm_id and member.id = newest.member_id
    where newest.nth = 1
    group by newest.date_id`,
);
