/** What rules have made for matters, and still stands. */
import { type SQL, sql } from 'drizzle-orm';
import type { Rolling, Span } from '../firm/reckoning.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { isCounted, isStanding, isUntouched, isWaiting } from './table.ts';
import { type Counting, joinTrigger, triggerDay } from './trigger.ts';

/** What was made by a rule, and still stands: an open task, or an event that is not past. */
export type StandingDate = Span &
  Counting & {
    id: string;
    ruleId: string;
    matterId: string;
    /** The number of its matter. */
    matter: string;
    taskId: string | null;
    eventId: string | null;
    title: string;
    rolling: Rolling;
    /** Whether the rule was deleted since. */
    isRuleGone: boolean;
    /** The event whose day it was counted from, and the one whose day that is now; null for other triggers. */
    countedEventId: string | null;
    triggerEventId: string | null;
    /** The day of the trigger that it was counted from, and the day that this gave. */
    countedFrom: string;
    day: string;
    /** The day that its trigger has now; null if the matter does not have it. A field that was removed moves nothing. */
    triggerNow: string | null;
    /** The day that it has now; null without one, and for an event with hours. */
    present: string | null;
    /** Whether it is still on the day that the rule gave. */
    isUntouched: boolean;
    /** Whether its matter is archived: then nobody is asked anything of it. */
    isArchived: boolean;
    /** Whether a second person has to confirm it, or had to; and whether it waits for one. */
    isCounted: boolean;
    isWaiting: boolean;
    /** Who had it counted; null if that is not known. */
    countedById: string | null;
    countedBy: string | null;
    /** The second person who confirmed it, and when; null while nobody has. */
    confirmedById: string | null;
    confirmedBy: string | null;
    confirmedAt: Date | null;
  };

type StandingRow = Omit<StandingDate, 'confirmedAt'> & { confirmedAt: string | null };

const dateOf = ({ confirmedAt, ...row }: StandingRow): StandingDate => ({
  ...row,
  confirmedAt: confirmedAt === null ? null : new Date(confirmedAt),
});

/** What rules have made for these matters, and still stands, by day. The caller has checked that the reader sees them. */
export const standingDates = async (
  reader: Reader,
  matterIds: readonly string[],
): Promise<StandingDate[]> => {
  if (matterIds.length === 0) return [];
  const given = { firmId: reader.firmId, matterIds: [...new Set(matterIds)] };
  return (await reader.run(standingOfMatters, given)).map(dateOf);
};

/** What waits for a second person in the matters on whose team the reader is: dates that nobody has confirmed. */
export const standingOfTeam = async (reader: Reader): Promise<StandingDate[]> => {
  const { firmId, memberId } = reader;
  return (await reader.run(standingOfMember, { firmId, memberId })).map(dateOf);
};

const standing = (given: Given<'firmId'>, isWanted: SQL) => sql<StandingRow>`
  select made.id::text as id, made.rule_id::text as "ruleId", made.matter_id::text as "matterId",
    matter.number as matter, made.task_id::text as "taskId", made.event_id::text as "eventId",
    coalesce(task.title, event.title) as title,
    rule.trigger, rule.field_id::text as "fieldId", field.name as "fieldName",
    rule.event_kind_id::text as "eventKindId", kind.name as "eventKindName",
    made.counted_event_id::text as "countedEventId", source.id::text as "triggerEventId",
    rule.amount, rule.unit, rule.rolling, rule.deleted_at is not null as "isRuleGone",
    made.counted_from::text as "countedFrom", made.day::text as day,
    case when rule.field_id is not null and field.id is null then made.counted_from::text
      else ${triggerDay('matter')} end as "triggerNow",
    coalesce(task.due_on, event.first_day)::text as present, matter.status = 'ARCHIVE' as "isArchived",
    ${isUntouched} as "isUntouched",
    ${isCounted} as "isCounted", ${isWaiting} as "isWaiting",
    made.counted_by_id::text as "countedById", counter.name as "countedBy",
    made.confirmed_by_id::text as "confirmedById", confirmer.name as "confirmedBy",
    made.confirmed_at as "confirmedAt"
  from ruled_date made
  join firm on firm.id = ${given.firmId}::uuid
  join matter on matter.firm_id = made.firm_id and matter.id = made.matter_id and matter.deleted_at is null
  join date_rule rule on rule.firm_id = made.firm_id and rule.id = made.rule_id
  ${joinTrigger(given, 'matter', sql`made.counted_event_id`)}
  left join task on task.firm_id = made.firm_id and task.id = made.task_id
  left join calendar_event event on event.firm_id = made.firm_id and event.id = made.event_id
  left join member counter on counter.firm_id = made.firm_id and counter.id = made.counted_by_id
  left join member confirmer on confirmer.firm_id = made.firm_id and confirmer.id = made.confirmed_by_id
  where made.firm_id = ${given.firmId}::uuid and ${isWanted}
    and ${isStanding}
  order by made.day, made.id`;

const standingOfMatters = statement((given: Given<{ firmId: string; matterIds: string[] }>) =>
  standing(given, sql`made.matter_id = any(${given.matterIds}::uuid[])`),
);

const standingOfMember = statement((given: Given<{ firmId: string; memberId: string | null }>) =>
  standing(
    given,
    sql`${isWaiting} and made.matter_id in (select matter_team.matter_id from matter_team
        where matter_team.firm_id = ${given.firmId}::uuid and matter_team.member_id = ${given.memberId}::uuid)`,
  ),
);
