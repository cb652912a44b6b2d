/**
 * Imports rows and undoes imports in steps. Each step is a commit, so a killed server can continue.
 */
import { sql } from 'drizzle-orm';
import { dayIn } from '../base/calendar-date.ts';
import { Refusal } from '../base/refusal.ts';
import { createContact, removeContact } from '../contacts/contact.ts';
import { authorNow } from '../firm/author.ts';
import type { Job, JobKind } from '../jobs/kind.ts';
import { createLead, removeLead } from '../leads/lead.ts';
import { createMatter } from '../matters/matter.ts';
import { undoMatter } from '../matters/undo.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { prune } from '../record/pruning.ts';
import { type Write, writeWithin } from '../record/write.ts';
import { editedSince } from './edited-since.ts';
import { importKind, undoKind } from './import.ts';
import { judge, type NewRecord, type Verdict, whyRefused } from './judge.ts';
import { firmListsOf, type Plan, planOf } from './plan.ts';
import { endReading, rowsForStep } from './reading.ts';
import type { ImportCounts } from './state.ts';
import {
  importForChange,
  type Outcome,
  sameAs,
  storeOutcomes,
  timeZoneOf,
  undoDays,
} from './stored.ts';
import { dataImport, type ImportedKind } from './table.ts';

/** The most rows that one commit imports, and about how long it lasts. */
const rowsAtOnce = 100;
const stepMilliseconds = 150;

/** The member who imports the file, with the rights that they have now. */
const authorOf = async ({ firmId, payload }: Job, transaction: Transaction) => {
  const begun = payload as { memberId: string; requestId: string };
  return (await authorNow(transaction, { firmId, ...begun })).author;
};

export const importRows: JobKind = {
  kind: importKind,
  async work(job, transaction, again) {
    const id = job.ref as string;
    await writeWithin(transaction, await authorOf(job, transaction), async (w) => {
      const found = await importForChange(w, id);
      if (found.state !== 'running') return;
      const { kind, mapping, counts } = found;
      const rows = await rowsForStep(w, id, mapping);
      const [firmLists, timeZone] = await Promise.all([firmListsOf(w, kind), timeZoneOf(w)]);
      const plan = planOf(kind, mapping, firmLists, dayIn(found.createdAt, timeZone));
      const { done } = counts;
      const next = rows.slice(done, done + rowsAtOnce);
      const outcomes = await makeSome(w, plan, await judge(w, plan, next));
      const after = countedWith(counts, outcomes);
      const isDone = after.done === rows.length;
      // The progress is no change of a record, so the audit log does not have it.
      const outside = transactionOf(w, transaction);
      storeOutcomes(outside, id, outcomes);
      const at = isDone ? await w.now() : null;
      void outside.run(advance, { firmId: w.firmId, id, counts: JSON.stringify(after), at });
      if (!isDone) {
        again(0);
        return;
      }
      endReading(id);
      w.record('update', dataImport, id, { imported: { before: null, after } });
    });
  },
};

const transactionOf = ({ firmId }: Write, { run, first }: Transaction) => ({ firmId, run, first });

const advance = statement(
  ({
    firmId,
    id,
    counts,
    at,
  }: Given<{ firmId: string; id: string; counts: string; at: Date | null }>) => sql`
    update data_import set counts = ${counts}::jsonb,
      imported_at = coalesce(${at}::timestamptz, imported_at)
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);

const countedWith = (counts: ImportCounts, outcomes: readonly Outcome[]) => {
  const same = outcomes.filter(({ refusal }) => refusal === sameAs).length;
  const left = outcomes.filter(({ refusal }) => refusal !== null).length - same;
  return {
    ...counts,
    done: counts.done + outcomes.length,
    made: counts.made + outcomes.length - same - left,
    known: counts.known + same,
    left: counts.left + left,
  };
};

/** How many records' statements travel to the database together. */
const togetherOf = (kind: ImportedKind) => (kind === 'contact' ? 10 : 1);

/**
 * Makes the records of rows until the step has lasted long enough, because other writes wait for its
 * end. A record with a number waits for the one before it, which may have skipped taken numbers.
 */
const makeSome = async (w: Write, plan: Plan, verdicts: readonly Verdict[]): Promise<Outcome[]> => {
  const began = performance.now();
  const outcomes: Outcome[] = [];
  const together = togetherOf(plan.kind);
  for (let at = 0; at < verdicts.length; at += together) {
    const some = verdicts.slice(at, at + together);
    outcomes.push(...(await Promise.all(some.map((verdict) => makeOne(w, plan, verdict)))));
    if (performance.now() - began > stepMilliseconds) break;
  }
  return outcomes;
};

/** Makes the record of a row. A verb refuses before it has written anything. */
const makeOne = async (w: Write, plan: Plan, verdict: Verdict): Promise<Outcome> => {
  const { row } = verdict;
  if (verdict.is === 'refused') return { row, recordId: null, refusal: verdict.why };
  if (verdict.is === 'same') return { row, recordId: verdict.recordId, refusal: sameAs };
  const { asked } = verdict;
  try {
    const { id } = await makeRecord(w, asked);
    return { row, recordId: id, refusal: null };
  } catch (error) {
    return { row, recordId: null, refusal: whyRefused(plan, error) };
  }
};

const makeRecord = (w: Write, asked: NewRecord): Promise<{ id: string }> => {
  if (asked.kind === 'lead') return createLead(w, asked.body, asked.byPeople, 'quietly');
  if (asked.kind === 'matter') return createMatter(w, asked.body, asked.imported);
  return createContact(w, asked.body);
};

/** Deletes records that an import made and that nobody has touched since, some rows at a time. */
export const undoRows: JobKind = {
  kind: undoKind,
  async work(job, transaction, again) {
    const id = job.ref as string;
    await writeWithin(transaction, await authorOf(job, transaction), async (w) => {
      const found = await importForChange(w, id);
      if (found.state !== 'undoing') return;
      const { kind, counts } = found;
      const after = counts.looked;
      const made = await w.run(madeRows, { firmId: w.firmId, id, after, limit: rowsAtOnce });
      const ids = made.map(({ recordId }) => recordId);
      const touched = await editedSince(w, kind, ids);
      const began = performance.now();
      let [last, deleted] = [after, 0];
      const together = togetherOf(kind);
      for (let at = 0; at < made.length; at += together) {
        if (performance.now() - began > stepMilliseconds) break;
        const some = made.slice(at, at + together);
        const untouched = some.filter(({ recordId }) => !touched.has(recordId));
        await Promise.all(untouched.map((one) => removeMade(w, kind, one.recordId, one.contactId)));
        last = some.at(-1)?.row ?? last;
        deleted += untouched.length;
      }
      const isDone = made.length < rowsAtOnce && last === (made.at(-1)?.row ?? after);
      const counted = {
        ...counts,
        looked: last,
        undone: counts.undone + deleted,
      };
      const outside = transactionOf(w, transaction);
      const at = isDone ? await w.now() : null;
      void outside.run(retreat, { firmId: w.firmId, id, counts: JSON.stringify(counted), at });
      if (isDone) w.record('update', dataImport, id, { undone: { before: null, after: counted } });
      else again(0);
    });
  },
};

type Made = { row: number; recordId: string; contactId: string | null };

const madeRows = statement(
  ({
    firmId,
    id,
    after,
    limit,
  }: Given<{ firmId: string; id: string; after: number; limit: number }>) => sql<Made>`
    select made.row, made.record_id::text as "recordId", lead.contact_id::text as "contactId"
    from imported_row made
    left join lead on lead.firm_id = made.firm_id and lead.id = made.record_id
    where made.firm_id = ${firmId}::uuid and made.import_id = ${id}::uuid
      and made.record_id is not null and made.refusal is null and made.row > ${after}::int
    order by made.row limit ${limit}::int`,
);

const retreat = statement(
  ({
    firmId,
    id,
    counts,
    at,
  }: Given<{ firmId: string; id: string; counts: string; at: Date | null }>) => sql`
    update data_import set counts = ${counts}::jsonb, undone_at = ${at}::timestamptz
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);

/** Deletes a record that an import made; with a lead also its contact. */
const removeMade = async (
  w: Write,
  kind: ImportedKind,
  recordId: string,
  contactId: string | null,
) => {
  try {
    if (kind === 'matter') await undoMatter(w, recordId, 'quietly');
    else await (kind === 'lead' ? removeLead : removeContact)(w, recordId);
    if (kind === 'lead' && contactId) await removeContact(w, contactId);
  } catch (error) {
    // Somebody has already deleted it.
    if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
  }
};

const isOld = sql`content is not null
  and coalesce(imported_at, created_at) < moment() - interval '${sql.raw(String(undoDays))} days'`;

const firmsWithFiles = statement(
  () => sql<{ firmId: string }>`
    select distinct firm_id::text as "firmId" from data_import where ${isOld}${acrossFirms(sql`firm_id`)}`,
);

const forgetFiles = statement(
  ({ firmId }: Given<'firmId'>) => sql`
    update data_import set content = null where firm_id = ${firmId}::uuid and id in (
      select id from data_import where firm_id = ${firmId}::uuid and ${isOld}
      limit 100 for update skip locked)
    returning 1`,
);

/** Removes files of imports that can no longer begin or be undone. */
export const importPruning: JobKind = {
  kind: 'prune_imports',
  everySeconds: 3_600,
  work: prune({ firms: firmsWithFiles, remove: forgetFiles }),
};
