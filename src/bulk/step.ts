/**
 * Does a bulk, or its undo, in steps. Each step is a commit that also says how far it came, so that a
 * killed server loses and doubles nothing, whoever goes on: the request or a job.
 */
import { sql } from 'drizzle-orm';
import { describeError, log } from '../base/log.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import { authorNow } from '../firm/author.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { changesByRequest } from '../record/of-request.ts';
import { type Write, writeWithin } from '../record/write.ts';
import { type Begun, type Bulk, bulkForChange, requestSeconds, undoSeconds } from './bulk.ts';
import { doing } from './doing.ts';
import { bulkChange, type noCounts } from './table.ts';

/** The most records of one commit, and about how long it lasts: other writes wait for its end. */
const rowsAtOnce = 100;
const stepMilliseconds = 150;

type Counts = typeof noCounts;
type Place = { firmId: string; id: string };
/** Says whether nothing is left to do. */
export type Step = (transaction: Transaction, place: Place) => Promise<boolean>;

/** The next records of a bulk. */
export const workStep: Step = (transaction, place) =>
  inStep(transaction, place, async (w, bulk, may) => {
    const { id, kind, act, counts } = bulk;
    if (bulk.doneAt) return true;
    const { needs, change, tell } = doing[kind];
    const refusals: Refused[] = [];
    const { rows, isLast } = await rowsFor(w, bulk, counts.done);
    const last = await eachInTime(rows, async ({ row, recordId }) => {
      const why = await whyRefused(async () => {
        if (!may(needs)) throw new Refusal('forbidden', 'Your role does not include this change.');
        if (!recordId) throw notFound();
        await change(w, recordId, act);
      });
      if (why !== undefined) refusals.push({ row, why });
      return why === undefined;
    });
    const isDone = isLast && last.count === rows.length;
    const after = {
      ...counts,
      done: counts.done + last.count,
      changed: counts.changed + last.good,
    };
    advance(transaction, w, id, { after, refusals, doneAt: isDone ? await w.now() : null });
    if (!isDone) return false;
    if (after.changed > 0) tell(w, id, act);
    w.record('update', bulkChange, id, { changed: { before: null, after: after.changed } });
    return true;
  });

/** The next records of a bulk's undo. */
export const undoStep: Step = (transaction, place) =>
  inStep(transaction, place, async (w, bulk, may) => {
    const { id, kind, counts, requestId } = bulk;
    if (bulk.undoneAt || !bulk.undoBegunAt) return true;
    const { needs, takeBack } = doing[kind];
    const { rows, isLast } = await rowsFor(w, bulk, counts.looked);
    const recordIds = rows.flatMap(({ recordId }) => recordId ?? []);
    // Nobody changes them any more until they are compared, and taken back.
    await w.run(held[kind], { firmId: w.firmId, ids: recordIds });
    const maxSeconds = 24 * undoSeconds;
    const made = await changesByRequest(w, { requestId, recordIds, maxSeconds });
    const byId = new Map(made.map((one) => [one.recordId, one]));
    let looked = 0;
    const last = await eachInTime(rows, async ({ recordId }) => {
      const one = byId.get(recordId ?? '');
      if (!one) return false;
      looked += 1;
      if (!one.isLast || !may(needs)) return false;
      return (await whyRefused(() => takeBack(w, one.recordId, one.changes))) === undefined;
    });
    const isDone = isLast && last.count === rows.length;
    const after = {
      ...counts,
      looked: counts.looked + last.count,
      made: counts.made + looked,
      undone: counts.undone + last.good,
    };
    advance(transaction, w, id, { after, undoneAt: isDone ? await w.now() : null });
    if (isDone)
      w.record('update', bulkChange, id, { undone: { before: null, after: after.undone } });
    return isDone;
  });

type Work = (
  w: Write,
  bulk: Bulk,
  may: Awaited<ReturnType<typeof authorNow>>['may'],
) => Promise<boolean>;

/** One step in the name of the member who began it, with the rights that they have now. */
const inStep = async (transaction: Transaction, { firmId, id }: Place, work: Work) => {
  let isOver = true;
  const found = await transaction.first(authorOf, { firmId, id });
  if (!found) return isOver;
  const { author, may } = await authorNow(transaction, { firmId, ...found });
  await writeWithin(transaction, author, async (w) => {
    const bulk = await bulkForChange(w, id);
    if (bulk) isOver = await work(w, bulk, may);
  });
  return isOver;
};

const authorOf = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ memberId: string; requestId: string }>`
    select member_id::text as "memberId", request_id as "requestId" from bulk_change
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);

/** Why a record was refused, in a sentence; undefined if it was not. */
const whyRefused = async (work: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
    return error.message;
  }
};

type Row = { row: number; recordId: string | null };

const rowsFor = async (w: Write, { id }: Bulk, after: number) => {
  const rows = await w.run(rowsAfter, { firmId: w.firmId, id, after, limit: rowsAtOnce });
  return { rows, isLast: rows.length < rowsAtOnce };
};

const rowsAfter = statement(
  (given: Given<Place & { after: number; limit: number }>) => sql<Row>`
    select row, record_id::text as "recordId" from bulk_row
    where firm_id = ${given.firmId}::uuid and bulk_id = ${given.id}::uuid
      and row > ${given.after}::int
    order by row limit ${given.limit}::int`,
);

/** Goes through rows until the step has lasted long enough: how many, and how many of them went well. */
const eachInTime = async (rows: readonly Row[], work: (row: Row) => Promise<boolean>) => {
  const began = performance.now();
  let [count, good] = [0, 0];
  for (const row of rows) {
    if (await work(row)) good += 1;
    count += 1;
    if (performance.now() - began > stepMilliseconds) break;
  }
  return { count, good };
};

const heldFor = (table: 'lead' | 'matter') =>
  statement(
    ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql`
      select from ${sql.raw(table)} where firm_id = ${firmId}::uuid and id = any(${ids}::uuid[])
      order by id for update`,
  );

const held = { lead: heldFor('lead'), matter: heldFor('matter') };

type Refused = { row: number; why: string };
type Advance = {
  after: Counts;
  refusals?: Refused[];
  doneAt?: Date | null;
  undoneAt?: Date | null;
};

// The progress is no change of a record, so the audit log does not have it.
const advance = (
  transaction: Transaction,
  { firmId }: Write,
  id: string,
  { after, refusals = [], doneAt = null, undoneAt = null }: Advance,
) => {
  const counts = JSON.stringify(after);
  void transaction.run(putCounts, { firmId, id, counts, doneAt, undoneAt });
  if (refusals.length === 0) return;
  void transaction.run(putRefusals, { firmId, id, refusals: JSON.stringify(refusals) });
};

type Advanced = Place & { counts: string; doneAt: Date | null; undoneAt: Date | null };

const putCounts = statement(
  (given: Given<Advanced>) => sql`
    update bulk_change set counts = ${given.counts}::jsonb,
      done_at = coalesce(${given.doneAt}::timestamptz, done_at),
      undone_at = coalesce(${given.undoneAt}::timestamptz, undone_at)
    where firm_id = ${given.firmId}::uuid and id = ${given.id}::uuid`,
);

const putRefusals = statement(
  ({ firmId, id, refusals }: Given<'firmId' | 'id' | 'refusals'>) => sql`
    update bulk_row set refusal = sent.why
    from json_to_recordset(${refusals}::json) as sent (row integer, why text)
    where bulk_row.firm_id = ${firmId}::uuid and bulk_row.bulk_id = ${id}::uuid
      and bulk_row.row = sent.row`,
);

/**
 * Does the steps of a bulk at once, as long as somebody can be expected to wait for them. What is left
 * then, or if a step fails, is done by a job, and so is all of a large one.
 */
export const doNow = async ({ database, firmId }: Actor, { id, isJob }: Begun, step: Step) => {
  if (isJob) return;
  const until = performance.now() + requestSeconds * 1_000;
  try {
    while (performance.now() < until) {
      const isOver = await database.transaction((one) => step(one, { firmId, id }), { of: firmId });
      if (isOver) return;
    }
  } catch (error) {
    log('warn', 'bulk left to a job', { firmId, ...describeError(error) });
  }
};
