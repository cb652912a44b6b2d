/** Tasks that repeat: when one is done, the next is made; when it is opened again, that one is taken away. */
import { sql } from 'drizzle-orm';
import { holdOpen } from '../about/hold.ts';
import { newId } from '../base/columns.ts';
import { nextOf } from '../base/recurrence.ts';
import { matter } from '../matters/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { mayMemberSee } from '../visibility/member.ts';
import { task } from './table.ts';

type Stored = typeof task.$inferSelect;

/**
 * Holds what a task that repeats is about, before the task itself: so nobody archives, deletes or hires it before the next
 * one is made, and what is archived or hired takes that one too.
 */
export const holdForNext = async (w: Write, id: string) => {
  const of = await w.first(repeatingTask, { firmId: w.firmId, id });
  if (of) await holdOpen(w, of);
};

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

const repeatingTask = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({ leadId: task.leadId, matterId: task.matterId })
    .from(task)
    .where(sql`${task.firmId} = ${firmId} and ${task.id} = ${id} and ${task.rrule} is not null`),
);

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
