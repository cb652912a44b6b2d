/** What a rule or a line of a task list counts from, said once: how it is chosen, stored, read, and found on a record. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Subject } from '../about/subject.ts';
import { isId } from '../base/columns.ts';
import { notFoundField, oneOf } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { eventKindList } from '../calendar/kinds.ts';
import { eventKind, isOver } from '../calendar/table.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { customField } from '../custom-fields/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import { matterDays, type Trigger } from './table.ts';

/** A trigger as it is stored, of those that `From` has. */
export type CountedFrom<From = Trigger> = {
  trigger: From;
  /** The DATE field of matters whose day it is; null for other triggers. */
  fieldId: string | null;
  /** The kind of the event whose day it is; null for other triggers. */
  eventKindId: string | null;
};

/** The same with names. */
export type Counting<From = Trigger> = CountedFrom<From> & {
  /** The name of the field; null without one, and once it was removed. */
  fieldName: string | null;
  eventKindName: string | null;
};

/** A trigger that is of no field and no kind. */
export const ofNothing = { fieldId: null, eventKindId: null } as const;

/** A trigger as forms send it: itself, and behind a colon the id of its field or kind. */
export const triggerKey = ({ trigger, fieldId, eventKindId }: CountedFrom<string>): string => {
  const id = fieldId ?? eventKindId;
  return id === null ? trigger : `${trigger}:${id}`;
};

/** The trigger that a form has sent so. `checkedTrigger` judges it. */
export const triggerIn = (key: string): CountedFrom<string> => {
  const [trigger = '', id = null] = key.split(':');
  return {
    trigger,
    fieldId: trigger === 'field' ? id : null,
    eventKindId: trigger === 'event' ? id : null,
  };
};

/** Whether its field was removed, so that it gives no days any more. */
export const isTriggerGone = ({ fieldId, fieldName }: Counting<unknown>): boolean =>
  fieldId !== null && fieldName === null;

/** All that can be counted from in the firm: the days of matters, their DATE fields, and the firm's kinds of events. */
export const allTriggers = async (reader: Reader): Promise<Counting[]> => {
  const [fields, kinds] = await Promise.all([triggerFields(reader), eventKindList.all(reader)]);
  const plain = { ...ofNothing, fieldName: null, eventKindName: null };
  return [
    ...matterDays.map((trigger) => ({ ...plain, trigger })),
    ...fields.map(
      ({ id, name }): Counting => ({ ...plain, trigger: 'field', fieldId: id, fieldName: name }),
    ),
    ...kinds.map(
      ({ id, name }): Counting => ({
        ...plain,
        trigger: 'event',
        eventKindId: id,
        eventKindName: name,
      }),
    ),
  ];
};

const triggerFields = async (reader: Reader) =>
  (await customFieldsOn(reader, 'MATTER')).filter(({ type }) => type === 'DATE');

/**
 * A trigger as it will be stored, one of `choices`. Throws `Refusal` invalid_request; not_found for what is no DATE field of the
 * firm's matters, unless it is `stored` so, and for what is no kind on the firm's list. A kind is kept there until the commit.
 */
export const checkedTrigger = async <From extends string>(
  w: Write,
  choices: readonly From[],
  asked: CountedFrom<string>,
  stored?: CountedFrom<unknown>,
): Promise<CountedFrom<From>> => {
  const trigger = oneOf('trigger', choices, asked.trigger);
  const { fieldId, eventKindId } = asked;
  if (trigger === 'field') {
    const isKept = fieldId !== null && stored?.fieldId === fieldId;
    if (!isKept && !(await triggerFields(w)).some(({ id }) => id === fieldId)) {
      throw notFoundField('trigger', isNotTheIdOf('a DATE field that matters have'));
    }
    return { trigger, fieldId, eventKindId: null };
  }
  if (trigger === 'event') {
    const isThere =
      eventKindId !== null && isId(eventKindId) && (await eventKindList.hold(w, eventKindId));
    if (!isThere) throw notFoundField('trigger', isNotTheIdOf('an event kind of the firm'));
    return { trigger, fieldId: null, eventKindId };
  }
  return { trigger, ...ofNothing };
};

type Columns = Record<'firmId' | 'fieldId' | 'eventKindId', PgColumn>;

/** The names of a trigger, in a statement that joins `custom_field` and `event_kind` by the two below. */
export const triggerNames = { fieldName: customField.name, eventKindName: eventKind.name };

/** Whether a `custom_field` is the trigger's, in a table with `triggerColumns`. */
export const isFieldOf = ({ firmId, fieldId }: Columns) =>
  and(
    eq(customField.firmId, firmId),
    eq(customField.id, fieldId),
    eq(customField.appliesTo, 'MATTER'),
    eq(customField.type, 'DATE'),
  );

/** Whether an `event_kind` is the trigger's, in a table with `triggerColumns`. */
export const isKindOf = ({ firmId, eventKindId }: Columns) =>
  and(eq(eventKind.firmId, firmId), eq(eventKind.id, eventKindId));

/** The event of a record that is a trigger. */
export type SourceEvent = {
  id: string;
  title: string;
  /** How many events of the kind the record has: then it is the next one that is not over, or the last. */
  count: number;
  isOver: boolean;
};

/** The day of a trigger, null if the record does not have it; and the event whose day that is, null for other triggers. */
export type TriggerDay = { day: string | null; source: SourceEvent | null };

/** The days that triggers have on a record, in their order. The caller has checked that the reader sees it. */
export const triggerDaysOf = async (
  reader: Reader,
  { about, recordId }: Subject,
  counted: readonly CountedFrom<string>[],
): Promise<TriggerDay[]> => {
  if (counted.length === 0) return [];
  const days = await reader.run(triggerDays[about], {
    firmId: reader.firmId,
    id: recordId,
    triggers: counted.map(({ trigger }) => trigger),
    fieldIds: counted.map(({ fieldId }) => fieldId),
    eventKindIds: counted.map(({ eventKindId }) => eventKindId),
  });
  return counted.map((_, at) => days[at] ?? { day: null, source: null });
};

/** What is read of each kind of record. A lead opens when it comes in; it has no limitation date, and fields of its own. */
const read = {
  matter: {
    opened: sql`matter.open_date`,
    limitation: sql`matter.sol_date`,
    field: sql`matter.custom_fields ->> field.id::text`,
    event: sql`of_kind.matter_id = matter.id`,
  },
  lead: {
    opened: sql`(lead.created_at at time zone firm.time_zone)::date`,
    limitation: sql`null`,
    field: sql`null`,
    event: sql`of_kind.lead_id = lead.id`,
  },
};

/**
 * The field of a trigger, its kind, and the event of that kind of a `matter` or a `lead`, called `field`, `kind` and `source`.
 * What counts from it is called `rule`. The event is `counted`, unless it was cancelled or is of another kind now. Where
 * `counted` is null, it is the next one that is not over; if all are over, the last. Needs the `firm`.
 */
export const joinTrigger = (
  { firmId }: Given<'firmId'>,
  about: Subject['about'],
  counted: SQL,
) => sql`
  left join custom_field field on field.firm_id = ${firmId}::uuid and field.id = rule.field_id
    and field.applies_to = 'MATTER' and field.type = 'DATE'
  left join event_kind kind on kind.firm_id = ${firmId}::uuid and kind.id = rule.event_kind_id
  left join lateral (
    select of_kind.id, of_kind.title, span.first_day as day, span.is_over, count(*) over ()::int as count
    from calendar_event of_kind
    cross join lateral (
      select coalesce(of_kind.first_day, (of_kind.starts_at at time zone firm.time_zone)::date) as first_day,
        ${isOver('of_kind')} as is_over) span
    where rule.event_kind_id is not null and of_kind.firm_id = ${firmId}::uuid and ${read[about].event}
      and of_kind.kind_id = rule.event_kind_id
      and of_kind.cancelled_at is null and (${counted} is null or of_kind.id = ${counted})
    order by span.is_over, case when not span.is_over then of_kind.starts_at end, of_kind.starts_at desc, of_kind.id
    limit 1) source on true`;

/** The day of a trigger; null if the `matter` or the `lead` does not have it. Needs `joinTrigger`. */
export const triggerDay = (about: Subject['about']) => {
  const { opened, limitation, field } = read[about];
  return sql`case rule.trigger when 'opened' then ${opened}::text when 'limitation' then ${limitation}::text
    when 'field' then ${field} else source.day::text end`;
};

type Asked = {
  firmId: string;
  id: string;
  triggers: string[];
  fieldIds: (string | null)[];
  eventKindIds: (string | null)[];
};

const triggerDaysOn = (about: Subject['about']) =>
  statement(
    (given: Given<Asked>) => sql<TriggerDay>`
      select ${triggerDay(about)} as day,
        case when source.id is not null then json_build_object('id', source.id, 'title', source.title,
          'count', source.count, 'isOver', source.is_over) end as source
      from unnest(${given.triggers}::text[], ${given.fieldIds}::uuid[], ${given.eventKindIds}::uuid[])
        with ordinality as rule (trigger, field_id, event_kind_id, place)
      join firm on firm.id = ${given.firmId}::uuid
      join ${sql.identifier(about)} on ${sql.identifier(about)}.firm_id = ${given.firmId}::uuid
        and ${sql.identifier(about)}.id = ${given.id}::uuid and ${sql.identifier(about)}.deleted_at is null
      ${joinTrigger(given, about, sql`null::uuid`)}
      order by rule.place`,
  );

const triggerDays = { matter: triggerDaysOn('matter'), lead: triggerDaysOn('lead') };
