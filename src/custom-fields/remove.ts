/** Removing a custom field, with the values that records hold in it. */
import { type SQL, sql } from 'drizzle-orm';
import { notFound, Refusal } from '../base/refusal.ts';
import { firm } from '../firm/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import {
  canSeeContact,
  canSeeLead,
  type Viewer,
  type ViewerColumns,
  viewerOf,
} from '../visibility/visibility.ts';
import { fieldForChange } from './definition.ts';
import { type CustomFieldHolder, customField } from './table.ts';

/** How many records hold a value in a field, of those that the reader may see. */
export type HeldValues = { standing: number; deleted: number };

/**
 * Foretells what is lost with a field: each record that holds a value in it holds one. Records that
 * the reader may not see are not counted, so that the number does not tell of them.
 */
export const heldValues = async (
  reader: Reader,
  { id, appliesTo }: { id: string; appliesTo: CustomFieldHolder },
): Promise<HeldValues> =>
  (await reader.first(holders[appliesTo].count, { ...viewerOf(reader), fieldId: id })) ?? {
    standing: 0,
    deleted: 0,
  };

/**
 * Removes a field for good, and its values from every record, deleted and private ones too. The audit
 * log keeps the definition, and each value as it was once entered. Throws `Refusal` not_found, and
 * conflict for the field that reports count leads by, and if another number of records hold a value
 * than was `expected`.
 */
export const removeCustomField = (actor: Acting, id: string, expected: HeldValues) =>
  write(actor, async (w) => {
    const [stored, source] = await Promise.all([
      w.first(fieldForChange, { firmId: w.firmId, id }),
      w.first(countedBy, { firmId: w.firmId }),
    ]);
    if (!stored) throw notFound('The firm has no such custom field.');
    if (source?.id === id) {
      throw new Refusal(
        'conflict',
        'Reports count leads by this field. Choose another field for that first, in the settings of the firm.',
      );
    }
    const held = await heldValues(w, stored);
    if (!Bun.deepEquals(held, expected)) {
      throw new Refusal(
        'conflict',
        'The number of records that hold a value in this field has changed. Look at the page again.',
      );
    }
    await dropValues(w, stored);
    void w.run(dropField, { firmId: w.firmId, id });
    const { name, appliesTo, type, options } = stored;
    const gone = Object.entries({ name, appliesTo, type, options, records: held });
    const changes = gone.map(([field, before]) => [field, { before, after: null }]);
    w.record('delete', customField, id, Object.fromEntries(changes));
  });

/** So many records lose their value in one statement, which must end before its deadline. */
const atOnce = 2_000;

const dropValues = async (w: Write, field: { id: string; appliesTo: CustomFieldHolder }) => {
  const { drop } = holders[field.appliesTo];
  for (;;) {
    const done = await w.first(drop, { firmId: w.firmId, fieldId: field.id, max: atOnce });
    if ((done?.count ?? 0) < atOnce) return;
  }
};

// These records are above custom fields in the order of floors, so their tables are named here by
// hand.
const holderIn = (table: string, sees: (by: ViewerColumns) => SQL) => ({
  count: statement(
    (given: Given<Viewer & { fieldId: string }>) => sql<HeldValues>`
      select count(*) filter (where deleted_at is null)::int as standing,
        count(*) filter (where deleted_at is not null)::int as deleted
      from ${sql.raw(table)} where firm_id = ${given.firmId}::uuid
        and custom_fields ? ${given.fieldId}::text and coalesce(${sees(given)}, false)`,
  ),
  drop: statement(
    ({ firmId, fieldId, max }: Given<{ firmId: string; fieldId: string; max: number }>) => sql<{
      count: number;
    }>`
      with dropped as (
        update ${sql.raw(table)} set custom_fields = custom_fields - ${fieldId}::text
        where firm_id = ${firmId}::uuid and id in (select id from ${sql.raw(table)}
          where firm_id = ${firmId}::uuid and custom_fields ? ${fieldId}::text limit ${max}::int)
        returning id)
      select count(*)::int as count from dropped`,
  ),
});

const holders = {
  CONTACT: holderIn('contact', canSeeContact),
  LEAD: holderIn('lead', canSeeLead),
  MATTER: holderIn('matter', () => sql`true`),
};

const dropField = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql`
    delete from custom_field where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);

const countedBy = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ id: string | null }>`
    select source_field_id::text as id from ${firm} where id = ${firmId}::uuid for no key update`,
);
