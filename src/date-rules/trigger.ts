/** What a rule counts from, said once: how it is read, named in forms, and found on a matter. */
import { type SQL, sql } from 'drizzle-orm';
import { isOver } from '../calendar/table.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import type { Given } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Trigger } from './table.ts';

/** What a rule counts from. */
export type Counting = {
  trigger: Trigger;
  /** The field of matters whose day it is; null for other triggers. */
  fieldId: string | null;
  /** The name of that field; null without one, and once it was removed. */
  fieldName: string | null;
  /** The kind of the event whose day it is; null for other triggers. */
  eventKindId: string | null;
  eventKindName: string | null;
};

/** What a rule counts from, as forms send it: its trigger, and behind a colon the id of the field or the kind. */
export const triggerKey = ({
  trigger,
  fieldId,
  eventKindId,
}: Pick<Counting, 'trigger' | 'fieldId' | 'eventKindId'>): string => {
  const id = fieldId ?? eventKindId;
  return id === null ? trigger : `${trigger}:${id}`;
};

/** Whether the field that a rule counts from was removed, so that it gives no dates any more. */
export const isTriggerGone = ({ fieldId, fieldName }: Counting): boolean =>
  fieldId !== null && fieldName === null;

/** The firm's fields of matters that rules can count from. */
export const triggerFields = async (reader: Reader): Promise<{ id: string; name: string }[]> =>
  (await customFieldsOn(reader, 'MATTER')).filter(({ type }) => type === 'DATE');

/**
 * The field of a `rule`, its kind, and the event of a `matter` of that kind, called `field`, `kind` and `source`. The event is
 * `counted`, unless it was cancelled or is of another kind now. Where `counted` is null, it is the next one that is not over;
 * if all are over, the last. Needs the `firm`.
 */
export const joinTrigger = ({ firmId }: Given<'firmId'>, counted: SQL) => sql`
  left join custom_field field on field.firm_id = rule.firm_id and field.id = rule.field_id
    and field.applies_to = 'MATTER' and field.type = 'DATE'
  left join event_kind kind on kind.firm_id = rule.firm_id and kind.id = rule.event_kind_id
  left join lateral (
    select of_kind.id, of_kind.title, span.first_day as day, span.is_over, count(*) over ()::int as count
    from calendar_event of_kind
    cross join lateral (
      select coalesce(of_kind.first_day, (of_kind.starts_at at time zone firm.time_zone)::date) as first_day,
        ${isOver('of_kind')} as is_over) span
    where rule.event_kind_id is not null and of_kind.firm_id = ${firmId}::uuid and of_kind.matter_id = matter.id and of_kind.kind_id = rule.event_kind_id
      and of_kind.cancelled_at is null and (${counted} is null or of_kind.id = ${counted})
    order by span.is_over, case when not span.is_over then of_kind.starts_at end, of_kind.starts_at desc, of_kind.id
    limit 1) source on true`;

/** The day that the trigger of a `rule` has in a `matter`; null if the matter does not have it. Needs `joinTrigger`. */
export const triggerDay = sql`case rule.trigger when 'opened' then matter.open_date::text
  when 'limitation' then matter.sol_date::text when 'field' then matter.custom_fields ->> field.id::text
  else source.day::text end`;
