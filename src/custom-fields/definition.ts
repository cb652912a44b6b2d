import { and, eq } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { positionAfter, shifted } from '../record/ordered-list.ts';
import { nameInTurn, refuseLike, refuseTakenName } from '../record/taken.ts';
import { type Acting, write } from '../record/write.ts';
import { customFieldsOn } from './custom-field.ts';
import { type CustomFieldHolder, type CustomFieldType, customField } from './table.ts';
import { maxOptions } from './wire.ts';

/**
 * A field to be made. Options are the labels of a SELECT or MULTI_SELECT; other types have none.
 */
type NewCustomField = {
  appliesTo: CustomFieldHolder;
  name: string;
  type: CustomFieldType;
  options: string[];
};

/**
 * Adds a field after the others on its kind of record. Throws `Refusal` invalid_request for options
 * that do not fit the type, and conflict for a name that another field of the kind has.
 */
export const createCustomField = (actor: Acting, input: NewCustomField) =>
  write(actor, async (w) => {
    const { appliesTo, type } = input;
    await nameInTurn(w, list);
    const [standing, now] = await Promise.all([customFieldsOn(w, appliesTo), w.now()]);
    refuseLike(w, ofKind, standing, input.name);
    const made = {
      firmId: w.firmId,
      id: newId(),
      appliesTo,
      name: shortText('name', input.name),
      type,
      options: optionsFor(type, input.options),
      position: positionAfter(standing),
      createdAt: now,
    };
    w.create(customField, made);
    return made;
  }).catch(nameTaken);

/**
 * Changes a field's name or its options, as a whole list in order. The type is fixed. A label that
 * is left out stays on the records that have it, but no record can get it any more. Throws
 * `Refusal` not_found, invalid_request and conflict as `createCustomField` does.
 */
export const updateCustomField = (
  actor: Acting,
  id: string,
  change: Partial<Pick<NewCustomField, 'name' | 'options'>>,
) =>
  write(actor, async (w) => {
    if (change.name !== undefined) await nameInTurn(w, list);
    const stored = await w.first(fieldForChange, { firmId: w.firmId, id });
    if (!stored) throw notFound('The firm has no such custom field.');
    if (change.name !== undefined) {
      refuseLike(w, ofKind, await customFieldsOn(w, stored.appliesTo), change.name, stored);
    }
    const fields = {
      name: change.name === undefined ? stored.name : shortText('name', change.name),
      options: change.options ? optionsFor(stored.type, change.options) : stored.options,
    };
    w.update(customField, stored, fields);
    return { ...stored, ...fields };
  }).catch(nameTaken);

/**
 * Puts a field one place up or down among those of its kind of record. Throws `Refusal` not_found;
 * at either end nothing changes.
 */
export const shiftCustomField = (actor: Acting, id: string, by: -1 | 1) =>
  write(actor, async (w) => {
    const stored = await w.first(fieldForChange, { firmId: w.firmId, id });
    if (!stored) throw notFound('The firm has no such custom field.');
    const standing = await customFieldsOn(w, stored.appliesTo);
    const index = standing.findIndex((field) => field.id === id);
    for (const [position, field] of shifted(standing, index, by).entries()) {
      w.update(customField, field, { position });
    }
  });

const optionsFor = (type: CustomFieldType, options: string[]) => {
  const labels = [...new Set(options.map((label) => shortText('options', label)))];
  const chooses = type === 'SELECT' || type === 'MULTI_SELECT';
  if (!chooses && labels.length > 0) {
    throw invalidField('options', {
      rule: 'belong to a SELECT or MULTI_SELECT field',
      kind: { kind: 'ofAChoice' },
    });
  }
  if (chooses && (labels.length === 0 || labels.length > maxOptions)) {
    throw invalidField('options', {
      rule: `must hold 1 to ${maxOptions} labels`,
      kind: { kind: 'lines', max: maxOptions },
    });
  }
  return labels;
};

const list = 'custom_field';
const ofKind = 'custom field of this kind of record';
const nameTaken = refuseTakenName('custom_field_name', ofKind);

/** A custom field held against changes until the commit. */
export const fieldForChange = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(customField)
    .where(and(eq(customField.firmId, firmId), eq(customField.id, id)))
    .for('no key update'),
);
