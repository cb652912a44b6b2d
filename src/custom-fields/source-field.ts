import { and, eq, sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import { notFoundField } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { firm } from '../firm/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import { customField } from './table.ts';

/** The custom fields of leads that can say where a lead came from: those that hold one text. */
export const listSourceFields = (reader: Reader) =>
  reader.run(sourceFields, { firmId: reader.firmId });

const sourceFields = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({ id: customField.id, name: customField.name })
    .from(customField)
    .where(
      and(
        eq(customField.firmId, firmId),
        eq(customField.appliesTo, 'LEAD'),
        sql`${customField.type} in ('SELECT', 'TEXT')`,
      ),
    )
    .orderBy(customField.position, customField.id),
);

/**
 * Chooses the custom field of leads by which reports divide them by source; null is none. Throws
 * `Refusal` not_found for what is no SELECT or TEXT field of the firm's leads.
 */
export const setSourceField = (actor: Acting, fieldId: string | null) =>
  write(actor, async (w) => {
    const [before, possible] = await Promise.all([
      w.first(sourceNow, { firmId: w.firmId }),
      listSourceFields(w),
    ]);
    const isPossible = fieldId === null || possible.some(({ id }) => id === fieldId);
    if (!isPossible) {
      throw notFoundField('sourceFieldId', isNotTheIdOf('a text or a choice that leads have'));
    }
    const changes = changesBetween(before ?? {}, { sourceFieldId: fieldId });
    if (Object.keys(changes).length === 0) return;
    void w.run(setSource, { firmId: w.firmId, fieldId });
    w.record('update', firm, w.firmId, changes);
  });

const sourceNow = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({ sourceFieldId: firm.sourceFieldId })
    .from(firm)
    .where(eq(firm.id, firmId))
    .for('no key update'),
);

const setSource = statement(
  ({ firmId, fieldId }: Given<{ firmId: string; fieldId: string | null }>) => sql`
    update firm set source_field_id = ${fieldId}::uuid where id = ${firmId}`,
);
