/** What a rule counts from, said once: how it is read, named in forms, and found on a matter. */
import { sql } from 'drizzle-orm';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import type { Reader } from '../record/actor.ts';
import type { Trigger } from './table.ts';

/** What a rule counts from. */
export type Counting = {
  trigger: Trigger;
  /** The field of matters whose day it is; null for other triggers. */
  fieldId: string | null;
  /** The name of that field; null without one, and once it was removed. */
  fieldName: string | null;
};

/** What a rule counts from, as forms send it: its trigger, and behind a colon the id of the field. */
export const triggerKey = ({ trigger, fieldId }: Pick<Counting, 'trigger' | 'fieldId'>): string =>
  fieldId === null ? trigger : `${trigger}:${fieldId}`;

/** Whether the field that a rule counts from was removed, so that it gives no dates any more. */
export const isTriggerGone = ({ fieldId, fieldName }: Counting): boolean =>
  fieldId !== null && fieldName === null;

/** The firm's fields of matters that rules can count from. */
export const triggerFields = async (reader: Reader): Promise<{ id: string; name: string }[]> =>
  (await customFieldsOn(reader, 'MATTER')).filter(({ type }) => type === 'DATE');

/** The field of a `rule`, as a row that is called `field`. */
export const joinTrigger = sql`
  left join custom_field field on field.firm_id = rule.firm_id and field.id = rule.field_id
    and field.applies_to = 'MATTER' and field.type = 'DATE'`;

/** The day that the trigger of a `rule` has in a `matter`; null if the matter does not have it. Needs `joinTrigger`. */
export const triggerDay = sql`case rule.trigger when 'opened' then matter.open_date::text
  when 'limitation' then matter.sol_date::text else matter.custom_fields ->> field.id::text end`;
