/** Begins, undoes or discards an import whose rows were checked. */
import { and, eq } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import { createCustomField } from '../custom-fields/definition.ts';
import { enqueue } from '../jobs/enqueue.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { newField } from './columns.ts';
import { holders } from './plan.ts';
import { isOpen, type Mapping } from './state.ts';
import {
  begunAlready,
  forgetRows,
  type Import,
  importForChange,
  setMapping,
  undoDays,
} from './stored.ts';
import { dataImport, type ImportedKind } from './table.ts';

/** The job that imports rows, and the job that undoes it. */
export const importKind = 'data_import';
export const undoKind = 'data_import_undo';

/**
 * Begins an import whose rows were checked. It makes the new custom fields, and a job imports the
 * rows. Repeating it changes nothing. Throws `Refusal` not_found, and conflict for rows that were
 * not checked.
 */
export const beginImport = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const stored = await importForChange(w, id);
    if (stored.state === 'columns') {
      throw new Refusal('conflict', 'Check the rows first: choose what each column is.');
    }
    if (stored.state !== 'preview') return;
    const mapping = { ...stored.mapping, begunAt: (await w.now()).toISOString() };
    mapping.columns = await withNewFields(w, stored.kind, mapping);
    setMapping(w, id, mapping, stored.counts);
    w.record('update', dataImport, id, { begun: { before: false, after: true } });
    const begun = { memberId: actor.memberId, requestId: actor.requestId };
    enqueue(w, {
      kind: importKind,
      dedupeKey: `${importKind}:${id}`,
      ref: id,
      payload: begun,
      afterSeconds: 0,
    });
  });

const withNewFields = async (w: Write, kind: ImportedKind, { columns, heads }: Mapping) => {
  const made: (string | null)[] = [];
  for (const [at, key] of columns.entries()) {
    if (key !== newField) {
      made.push(key);
      continue;
    }
    const input = { appliesTo: holders[kind], name: heads[at] ?? '', type: 'TEXT' as const };
    const { id } = await createCustomField(w, { ...input, options: [] });
    made.push(`field:${id}`);
  }
  return made;
};

/** Discards a file whose import has not begun. Throws `Refusal` not_found and conflict. */
export const dropImport = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const stored = await importForChange(w, id);
    if (!isOpen(stored.state)) throw begunAlready();
    forgetRows(w, id);
    void w.run(dropFile, { firmId: w.firmId, id });
    w.record('delete', dataImport, id, { dropped: { before: null, after: true } });
  });

const dropFile = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query.delete(dataImport).where(and(eq(dataImport.firmId, firmId), eq(dataImport.id, id))),
);

/** Why an import cannot be undone, in a sentence; undefined if it can. */
export const whyNotUndone = (
  { state, importedAt }: Pick<Import, 'state' | 'importedAt'>,
  now: Date,
): string | undefined => {
  if (state === 'undoing' || state === 'undone') return 'This import was already undone.';
  if (state !== 'done' || !importedAt) return 'This import has not ended yet.';
  const isLate = now.getTime() - importedAt.getTime() > undoDays * 86_400_000;
  return isLate ? `An import can be undone for ${undoDays} days.` : undefined;
};

/**
 * Begins to undo an import. A job deletes the records that the import made and that nobody has
 * touched since. Throws `Refusal` not_found, and conflict if it cannot be undone.
 */
export const undoImport = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([importForChange(w, id), w.now()]);
    const why = whyNotUndone(stored, now);
    if (why) throw new Refusal('conflict', why);
    const mapping = { ...stored.mapping, undoBegunAt: now.toISOString() };
    setMapping(w, id, mapping, stored.counts);
    w.record('update', dataImport, id, { undoBegun: { before: false, after: true } });
    const begun = { memberId: actor.memberId, requestId: actor.requestId };
    enqueue(w, {
      kind: undoKind,
      dedupeKey: `${undoKind}:${id}`,
      ref: id,
      payload: begun,
      afterSeconds: 0,
    });
  });
