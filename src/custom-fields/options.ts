import { sql } from 'drizzle-orm';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { shifted } from '../record/ordered-list.ts';
import { isTaken, nameTaken } from '../record/taken.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import type { CustomField } from './custom-field.ts';
import { fieldForChange, updateCustomField } from './definition.ts';
import type { CustomFieldHolder } from './table.ts';

/** Adds an option after the others. Throws `Refusal` not_found, and conflict for one that is there. */
export const addOption = (actor: Acting, fieldId: string, label: string) =>
  changeOptions(actor, fieldId, async ({ options }) => {
    const added = shortText('name', label);
    refuseTwin(options, added);
    return [...options, added];
  });

/**
 * Gives an option another label. Records hold the label itself, so this is refused (conflict) while
 * one holds it. Throws `Refusal` not_found.
 */
export const renameOption = (actor: Acting, fieldId: string, label: string, next: string) =>
  changeOptions(actor, fieldId, async (field, w) => {
    const renamed = shortText('name', next);
    const index = indexOf(field, label);
    if (renamed === label) return field.options;
    refuseTwin(field.options, renamed, label);
    await refuseHeld(w, field, label);
    return field.options.with(index, renamed);
  });

/** Puts an option one place up or down; at either end nothing changes. Throws `Refusal` not_found. */
export const shiftOption = (actor: Acting, fieldId: string, label: string, by: -1 | 1) =>
  changeOptions(actor, fieldId, async (field) => shifted(field.options, indexOf(field, label), by));

/**
 * Removes an option. Throws `Refusal` not_found, conflict while a record holds it, and
 * invalid_request for the last one.
 */
export const removeOption = (actor: Acting, fieldId: string, label: string) =>
  changeOptions(actor, fieldId, async (field, w) => {
    const index = indexOf(field, label);
    await refuseHeld(w, field, label);
    if (field.options.length === 1) throw invalidField('options', 'must hold at least one label');
    return field.options.toSpliced(index, 1);
  });

/** Changes a field's options as they are at the moment of the write, so that no change is lost. */
const changeOptions = (
  actor: Acting,
  fieldId: string,
  change: (field: CustomField, w: Write) => Promise<string[]>,
) =>
  write(actor, async (w) => {
    const field = await w.first(fieldForChange, { firmId: w.firmId, id: fieldId });
    if (!field) throw notFound('The firm has no such custom field.');
    await updateCustomField(w, fieldId, { options: await change(field, w) });
  });

const indexOf = ({ options }: CustomField, label: string) => {
  const index = options.indexOf(label);
  if (index < 0) throw notFound('The custom field has no such option.');
  return index;
};

const refuseTwin = (options: readonly string[], label: string, own?: string) => {
  if (isTaken(options, label, own)) throw nameTaken('option of this field');
};

const refuseHeld = async (w: Write, { id, appliesTo }: CustomField, label: string) => {
  if (!(await w.first(holders[appliesTo], { firmId: w.firmId, fieldId: id, label }))) return;
  throw new Refusal(
    'conflict',
    `The option ${JSON.stringify(label)} is still held by ${appliesTo.toLowerCase()}s. Give them another value first.`,
  );
};

// These records are above custom fields in the order of floors, so their tables are named here by
// hand.
const holderIn = (table: string) =>
  statement(
    ({ firmId, fieldId, label }: Given<'firmId' | 'fieldId' | 'label'>) => sql<object>`
      select from ${sql.raw(table)} where firm_id = ${firmId} and deleted_at is null
        and custom_fields -> ${fieldId}::text @> to_jsonb(${label}::text) limit 1`,
  );

const holders: Record<CustomFieldHolder, ReturnType<typeof holderIn>> = {
  CONTACT: holderIn('contact'),
  MATTER: holderIn('matter'),
  LEAD: holderIn('lead'),
};
