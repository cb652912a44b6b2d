/** What a member does to several records: it is begun, read, and taken back. */
import { and, eq, sql } from 'drizzle-orm';
import { isId, newId } from '../base/columns.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import { enqueue } from '../jobs/enqueue.ts';
import { type Given, insertOf, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { type BulkAct, type BulkKind, bulkChange, noCounts, workKind } from './table.ts';

/** How many records are changed at once. */
export const maxBulk = 20_000;

/** What a member did to several records can be taken back for so long. */
export const undoSeconds = 3_600;

/** The job that does the rest of a bulk's undo. */
export const undoKind = 'bulk_change_undo';

/** Up to so many are changed by the request itself, for so long. More, and what is left then, are a job's. */
const maxInRequest = 500;
export const requestSeconds = 2;

type NewBulk = { kind: BulkKind; act: BulkAct; ids: readonly string[] };

/** What was begun: a bulk or its undo, and whether it is a job's from its beginning. */
export type Begun = { id: string; isJob: boolean };

/** Begins to do the same to several records, in this order. */
export const beginBulk = (actor: Actor, { kind, act, ids }: NewBulk): Promise<Begun> =>
  write(actor, async (w) => {
    const id = newId();
    const { firmId, author } = w;
    const row = {
      ...{ firmId, id, kind, act, memberId: memberOf(w), requestId: author.requestId },
      ...{ counts: { ...noCounts, all: ids.length }, createdAt: await w.now() },
    };
    void w.run(insertOf(bulkChange, Object.keys(row)), row);
    void w.run(putRows, { firmId, id, ids: ids.map((one) => (isId(one) ? one : null)) });
    w.record('create', bulkChange, id, { [`${kind}s`]: { before: null, after: ids.length } });
    return begun(w, workKind, { id, all: ids.length });
  });

/** A job does it, or goes on with it if the request has not come to its end. */
const begun = (w: Write, kind: string, { id, all }: { id: string; all: number }): Begun => {
  const isJob = all > maxInRequest;
  const afterSeconds = isJob ? 0 : requestSeconds;
  enqueue(w, { kind, dedupeKey: `${kind}:${id}`, ref: id, afterSeconds });
  return { id, isJob };
};

const memberOf = ({ memberId }: Reader) => {
  if (memberId === null) throw new Error('Only a member changes several records.');
  return memberId;
};

const putRows = statement(
  ({ firmId, id, ids }: Given<{ firmId: string; id: string; ids: (string | null)[] }>) => sql`
    insert into bulk_row (firm_id, bulk_id, row, record_id, created_at)
    select bulk_change.firm_id, bulk_change.id, chosen.row, chosen.id, bulk_change.created_at
    from bulk_change, unnest(${ids}::uuid[]) with ordinality chosen (id, row)
    where bulk_change.firm_id = ${firmId}::uuid and bulk_change.id = ${id}::uuid`,
);

const isThis = ({ firmId, id }: Given<'firmId' | 'id'>) =>
  and(eq(bulkChange.firmId, firmId), eq(bulkChange.id, id));

const bulkById = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(bulkChange).where(isThis(given)),
);

const bulkHeld = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(bulkChange).where(isThis(given)).for('update'),
);

export type Bulk = typeof bulkChange.$inferSelect;

/** A bulk of the reader's own. Throws `Refusal` not_found. */
export const readBulk = async (reader: Reader, id: string): Promise<Bulk> => {
  const found = isId(id) && (await reader.first(bulkById, { firmId: reader.firmId, id }));
  if (!found || found.memberId !== reader.memberId) throw notFound();
  return found;
};

/** A bulk, locked until the commit; undefined if it is no longer stored. */
export const bulkForChange = (w: Reader, id: string): Promise<Bulk | undefined> =>
  w.first(bulkHeld, { firmId: w.firmId, id });

/** Why a bulk cannot be undone, in a sentence; undefined if it can. */
export const whyNotUndone = (
  { doneAt, undoBegunAt, counts }: Pick<Bulk, 'doneAt' | 'undoBegunAt' | 'counts'>,
  now: Date,
): string | undefined => {
  if (undoBegunAt) return 'The change was already undone.';
  if (!doneAt) return 'The change has not ended yet.';
  if (counts.changed === 0) return 'Nothing was changed.';
  const isLate = now.getTime() - doneAt.getTime() > undoSeconds * 1_000;
  return isLate ? 'The change can no longer be undone. Undo is possible for an hour.' : undefined;
};

/**
 * Begins to undo a bulk of the actor's own. Only records that nobody has changed since get back what
 * they had. Throws `Refusal` not_found, and conflict if it cannot be undone.
 */
export const undoBulk = (actor: Actor, id: string): Promise<Begun> =>
  write(actor, async (w) => {
    const found = isId(id) && (await bulkForChange(w, id));
    if (!found || found.memberId !== w.memberId) throw notFound();
    const now = await w.now();
    const why = whyNotUndone(found, now);
    if (why) throw new Refusal('conflict', why);
    w.update(bulkChange, found, { undoBegunAt: now });
    return begun(w, undoKind, { id, all: found.counts.all });
  });

/** A record that was refused: its number, if the reader may see it, and why. */
export type RefusedRecord = { id: string | null; number: string | null; why: string };

/** The records of a bulk that were refused, in its order, at most so many. */
export const refusedOf = (
  reader: Reader,
  { id, kind }: Pick<Bulk, 'id' | 'kind'>,
  limit: number,
): Promise<RefusedRecord[]> => reader.run(refused[kind], { ...viewerOf(reader), id, limit });

type Listed = Given<Viewer & { id: string; limit: number }>;

const refusedFor = (numbered: (given: Listed) => ReturnType<typeof sql>) =>
  statement(
    (given: Listed) => sql<RefusedRecord>`
      select record.id::text as id, record.number, bulk_row.refusal as why from bulk_row
      left join lateral (${numbered(given)}) record on true
      where bulk_row.firm_id = ${given.firmId}::uuid and bulk_row.bulk_id = ${given.id}::uuid
        and bulk_row.refusal is not null
      order by bulk_row.row limit ${given.limit}::int`,
  );

const refused = {
  lead: refusedFor(
    (given) => sql`select lead.id, lead.number from lead
      where lead.firm_id = ${given.firmId}::uuid and lead.id = bulk_row.record_id
        and lead.deleted_at is null and ${canSeeLead(given)}`,
  ),
  matter: refusedFor(
    ({ firmId }) => sql`select matter.id, matter.number from matter
      where matter.firm_id = ${firmId}::uuid and matter.id = bulk_row.record_id
        and matter.deleted_at is null`,
  ),
};
