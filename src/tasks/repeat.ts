/** Tasks that repeat: when one is done, the next is made; when it is opened again, that one is taken away. */
import { sql } from 'drizzle-orm';
import { checkDay } from '../base/calendar-date.ts';
import { newId } from '../base/columns.ts';
import { type Every, everies, nextOf, recurrenceOf, rruleOf } from '../base/recurrence.ts';
import { invalidField } from '../base/refusal.ts';
import { matter } from '../matters/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { mayMemberSee } from '../visibility/member.ts';
import { task } from './table.ts';

/** How often a task repeats, as it is asked for: null for not at all, or for no last day. */
export type Repeats = {
  repeats?: Every | null | undefined;
  repeatsUntil?: string | null | undefined;
};

type Stored = typeof task.$inferSelect;

/**
 * The rule of a task that is due on `dueOn`. What is not asked for stays as it is; with another day, it counts from that.
 * Throws `Refusal` invalid_request without a day, and for a last day that is before it.
 */
export const rruleAsked = (
  { repeats, repeatsUntil }: Repeats,
  dueOn: string | null,
  stored?: Pick<Stored, 'rrule' | 'dueOn'>,
): string | null => {
  const was = stored?.rrule ? recurrenceOf(stored.rrule) : { every: null, until: null };
  const every = repeats === undefined ? was.every : repeats;
  const until = repeatsUntil === undefined ? was.until : repeatsUntil;
  if (every === null) {
    if (repeatsUntil) throw invalidField('repeatsUntil', 'is only for a task that repeats');
    return null;
  }
  if (!everies.includes(every)) {
    throw invalidField('repeats', { rule: `must be one of ${everies.join(', ')}`, kind: choice });
  }
  if (dueOn === null) throw invalidField('dueOn', 'must be a day if the task repeats');
  if (until !== null) checkDay('repeatsUntil', until);
  if (until !== null && until < dueOn) {
    throw invalidField('repeatsUntil', 'must not be before the day on which the task is due');
  }
  const stays = every === was.every && until === was.until && dueOn === stored?.dueOn;
  return stays && stored ? stored.rrule : rruleOf({ every, until }, dueOn);
};

const choice = { kind: 'choice' } as const;

/**
 * Makes the task that follows one that is done now, unless there is one already, the rule has ended, or its matter was
 * archived. It is due on the rule's next day that is not past, counted from the day on which the other was due.
 */
export const makeNext = async (w: Write, done: Stored, now: Date): Promise<Stored | undefined> => {
  const { firmId, id, rrule, dueOn, matterId, assigneeId } = done;
  if (rrule === null || dueOn === null) return undefined;
  const known = await w.first(whatFollows, { firmId, id, matterId, assigneeId, dueOn, now });
  if (!known || known.isMade || known.isClosed) return undefined;
  const { today: notBefore, holidays } = known;
  const next = nextOf(rrule, { day: dueOn, notBefore, holidays });
  if (next === null) return undefined;
  const made = {
    ...done,
    id: newId(),
    dueOn: next,
    assigneeId: known.isThere && (await stillSees(w, done)) ? assigneeId : null,
    followsId: id,
    doneAt: null,
    cancelledAt: null,
    createdAt: now,
    updatedAt: now,
  };
  w.create(task, made);
  return made;
};

/** Takes the task away that follows one, if nobody has worked on it or changed it. */
export const takeNextBack = async (w: Write, { id }: Stored, now: Date) => {
  const next = await w.first(untouchedNext, { firmId: w.firmId, id });
  if (next) w.update(task, next, { cancelledAt: now, followsId: null, updatedAt: now });
  return next;
};

/** Of a private lead, also the assignee may not see every task. */
const stillSees = async (w: Write, { assigneeId, leadId, matterId }: Stored) =>
  assigneeId === null ||
  leadId === null ||
  matterId !== null ||
  (await mayMemberSee(w, leadId, assigneeId));

type Asked = Pick<Stored, 'firmId' | 'id' | 'matterId' | 'assigneeId'> & {
  dueOn: string;
  now: Date;
};

type Known = {
  today: string;
  /** From the day on which it was due, or from today, for a year. */
  holidays: string[];
  isMade: boolean;
  isClosed: boolean;
  /** Whether the assignee is an active member. */
  isThere: boolean;
};

const whatFollows = statement(
  ({ firmId, id, matterId, assigneeId, dueOn, now }: Given<Asked>) => sql<Known>`
    select here.today::text as today,
      coalesce((select json_agg(holiday.day::text) from holiday
        where holiday.firm_id = ${firmId}::uuid and holiday.deleted_at is null
          and holiday.day between least(here.today, ${dueOn}::date)
            and greatest(here.today, ${dueOn}::date) + 366), '[]') as holidays,
      exists (select from ${task} as next
        where next.firm_id = ${firmId}::uuid and next.follows_id = ${id}::uuid) as "isMade",
      exists (select from ${matter} where ${matter.firmId} = ${firmId}::uuid
        and ${matter.id} = ${matterId}::uuid and ${matter.status} = 'ARCHIVE') as "isClosed",
      exists (select from member where member.firm_id = ${firmId}::uuid
        and member.id = ${assigneeId}::uuid and member.deactivated_at is null) as "isThere"
    from firm
    cross join lateral (select (${now}::timestamptz at time zone firm.time_zone)::date as today) as here
    where firm.id = ${firmId}::uuid`,
);

const untouchedNext = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(task)
    .where(
      sql`${task.firmId} = ${firmId} and ${task.followsId} = ${id} and ${task.doneAt} is null
        and ${task.cancelledAt} is null and ${task.updatedAt} = ${task.createdAt}`,
    )
    .for('update'),
);
