import { sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { noteCommitted } from '../audit/committed.ts';
import { changesBetween, insertAuditEntry, kindOf, type RecordFields } from '../audit/entry.ts';
import type { Changes } from '../audit/table.ts';
import { constraintOf } from '../base/constraint.ts';
import type { Transaction } from '../postgres/pool.ts';
import { insertOf, query, statement, updateOf } from '../postgres/statement.ts';
import { standAlone, together } from '../postgres/together.ts';
import { addToDictionary } from '../search-text/known-words.ts';
import type { Actor, Author, Reader } from './actor.ts';
import { earlierAnswer, keepAnswer } from './repeats.ts';

/**
 * Inside one write. Each call that creates, changes or removes a record also records it in the
 * audit log. No call needs to be waited for: `write` waits for all of them.
 */
export type Write = Reader &
  Transaction & {
    author: Author;
    /** The moment of this write, by the database's clock. */
    now(): Promise<Date>;
    /**
     * Whether a value must be looked up before it is stored, since this unique constraint may refuse
     * it. If not, store it: should it be taken, the whole write is tried again, and must check then.
     */
    mustCheck(constraint: string): boolean;
    /**
     * Says, before anything is written, that this write shares no transaction: one that does is begun
     * again in its own.
     */
    standAlone(): void;
    /** Stores a new record. `also` is shown in its audit entry besides its own fields. */
    create<Table extends PgTable>(
      table: Table,
      row: Identified & Table['$inferInsert'],
      also?: RecordFields,
    ): void;
    /**
     * Changes fields of a stored record. Equal values are no change. Says whether there was one.
     */
    update<Table extends PgTable>(
      table: Table,
      stored: Identified & Partial<Table['$inferSelect']>,
      fields: Partial<Table['$inferInsert']>,
      also?: Changes,
    ): boolean;
    /** Takes a record out of the lists. It stays stored, marked as deleted `at`. */
    remove<Table extends PgTable>(
      table: Table,
      stored: Identified & Partial<Table['$inferSelect']>,
      at: Date,
    ): void;
    /** Records a change that none of the above makes, for example of a setting. */
    record(
      action: 'create' | 'update' | 'delete',
      table: PgTable,
      recordId: string,
      changes: Changes,
    ): void;
  };

type Identified = { id: string };

/** Who opens a write; or the open write that a verb becomes part of. */
export type Acting = Actor | Write;

/**
 * One transaction: what `work` creates, changes and enqueues, its audit entries, and the answer for
 * its repeats commit together or not at all. Throws what `work` throws; `Refusal` conflict for a
 * misused Idempotency-Key; an error if something was written without an audit entry. In a dry run
 * all of it is done, and then undone: the answer is what would have been answered.
 *
 * Given an open write instead of an actor, `work` becomes part of it. So a verb can combine several
 * others, and all of it is done or nothing.
 */
export const write = async <Answer>(
  actor: Acting,
  work: (w: Write) => Promise<Answer>,
): Promise<Answer> => ('author' in actor ? work(actor) : openedBy(actor, work));

/**
 * A `write` that makes a record of this kind. Those of one firm and kind that come at the same moment
 * share a transaction: they lock the firm's register once, not one after the other. If one fails after
 * it wrote something, nothing of them is stored, and each is done again by itself. So `work` locks
 * nothing but the register that two creates of a kind could wait for; or it calls `standAlone` first.
 */
export const writeNew = async <Answer>(
  actor: Acting,
  kind: PgTable,
  work: (w: Write) => Promise<Answer>,
): Promise<Answer> => {
  if ('author' in actor) return work(actor);
  // A repeat waits for the request that it repeats.
  if (actor.repeatable || actor.precondition || actor.dryRun) return openedBy(actor, work);
  const shared = await together(actor.database, actor.firmId, kindOf(kind), (transaction) => {
    const { w, finish, hasWritten } = openWrite(actor, transaction, new Map());
    w.standAlone = () => {
      throw standAlone;
    };
    const value = work(w).then((answer) => {
      finish();
      return answer;
    });
    return { value, hasWritten };
  });
  return shared ? shared.value : openedBy(actor, work);
};

const openedBy = <Answer>(actor: Actor, work: (w: Write) => Promise<Answer>): Promise<Answer> =>
  retryConflicts((checks) =>
    actor.database.transaction(
      async (transaction) => {
        const repeatable = actor.dryRun ? undefined : actor.repeatable;
        const first = repeatable && (await earlierAnswer(transaction, actor.firmId, repeatable));
        if (first !== undefined) {
          actor.wasReplayed = true;
          return JSON.parse(first) as Answer;
        }
        const { w, finish, made } = openWrite(actor, transaction, checks);
        await actor.precondition?.(w);
        const answer = await work(w);
        finish();
        for (const id of made) actor.dryRun?.made.add(id);
        if (repeatable) keepAnswer(transaction, actor.firmId, repeatable, answer);
        return answer;
      },
      {
        of: actor.firmId,
        isolation: actor.precondition ? 'repeatable read' : 'read committed',
        isDryRun: actor.dryRun !== undefined,
      },
    ),
  );

/**
 * What a job keeps of the write that enqueued it, so that its own changes are attributed to that.
 */
export type Cause = Pick<Author, 'memberId' | 'keyId' | 'requestId'>;

/** The cause to give to a job. */
export const causeOf = ({ author: { memberId, keyId, requestId } }: Write): Cause => ({
  memberId,
  keyId,
  requestId,
});

/** A write inside a job's transaction, on behalf of the write that was its cause. */
export const writeOnBehalf = async (
  transaction: Transaction,
  firmId: string,
  cause: Cause,
  work: (w: Write) => Promise<void>,
): Promise<void> => {
  await writeWithin(transaction, { firmId, seesPrivate: true, ...cause }, work);
};

/**
 * One of several writes that share a transaction, each with an author of its own. It is not tried
 * again, so it must check what may be taken.
 */
export const writeWithin = async (
  transaction: Transaction,
  author: Author,
  work: (w: Write) => Promise<void>,
): Promise<void> => {
  const { w, finish } = openWrite(author, transaction);
  await work(w);
  finish();
};

const openWrite = (author: Author, transaction: Transaction, checks?: Checks) => {
  const { firmId, memberId, keyId, requestId, at, repeatable } = author;
  // A form of the application has one too, which is nobody else's business.
  const idempotencyKey = (keyId !== null && repeatable?.idempotencyKey) || null;
  let wrote = false;
  let audited = false;
  const made: string[] = [];
  let moment = at && Promise.resolve(at);

  const record: Write['record'] = (action, table, recordId, changes) => {
    if (!audited) transaction.afterCommit(() => noteCommitted(firmId));
    audited = true;
    const recordKind = kindOf(table);
    void transaction.run(insertAuditEntry, {
      firmId,
      memberId,
      keyId,
      requestId,
      action,
      recordKind,
      recordId,
      changes,
      at: at ?? null,
      idempotencyKey,
    });
  };

  const set = (table: PgTable, id: string, fields: RecordFields) =>
    void w.run(updateOf(table, Object.keys(fields)), { ...fields, firmId, id });

  const learn = ({ searchText, isPrivate }: RecordFields) => {
    if (typeof searchText !== 'string') return;
    addToDictionary(transaction, firmId, searchText, isPrivate === true);
  };

  const w: Write = {
    author,
    firmId,
    memberId,
    seesPrivate: author.seesPrivate,
    afterCommit: transaction.afterCommit,
    run(statement, ...values) {
      wrote ||= statement().writes;
      return transaction.run(statement, ...values);
    },
    first: async (statement, ...values) => (await w.run(statement, ...values))[0],
    gather(...asking) {
      wrote = true;
      return transaction.gather(...asking);
    },
    record,
    now: () => (moment ??= transaction.first(clock).then((row) => row?.now as Date)),
    mustCheck(constraint) {
      if (!checks) return true;
      if (!checks.has(constraint)) checks.set(constraint, false);
      return checks.get(constraint) === true;
    },
    standAlone() {},
    create(table, row, also = {}) {
      made.push(row.id);
      void w.run(insertOf(table, Object.keys(row)), row);
      record('create', table, row.id, changesBetween({}, { ...row, ...also }));
      learn(row);
    },
    update(table, stored, fields, also = {}) {
      const changes = changesBetween(stored as RecordFields, fields as RecordFields);
      const changed = Object.keys(changes);
      if (changed.length === 0) return false;
      const marks = ['updatedAt', 'searchText'].filter((mark) => mark in fields);
      set(table, stored.id, pick(fields as RecordFields, [...changed, ...marks]));
      record('update', table, stored.id, { ...changes, ...also });
      learn(fields);
      return true;
    },
    remove(table, stored, at) {
      set(table, stored.id, { deletedAt: at });
      record('delete', table, stored.id, { deletedAt: { before: null, after: at } });
    },
  };

  const finish = () => {
    if (wrote && !audited) throw new Error('Something was written without an audit entry.');
  };
  return { w, finish, made, hasWritten: () => wrote };
};

const pick = (row: RecordFields, fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, row[field]]));

const clock = statement(() =>
  query
    .select({ now: sql<Date>`moment()`.mapWith((text: string) => new Date(text)) })
    .from(sql`(select) as clock`),
);

/** Unique constraints that this write relies on, and whether it must check before it stores. */
type Checks = Map<string, boolean>;

const conflicts = new Set(['40001', '40P01']);
const unique = '23505';
const maxTries = 5;

/**
 * Tries again if Postgres ended this write because of a conflict with another, or because a value
 * that was not checked is taken.
 */
const retryConflicts = async <Answer>(
  attempt: (checks: Checks) => Promise<Answer>,
): Promise<Answer> => {
  const checks: Checks = new Map();
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(checks);
    } catch (error) {
      const { code = '' } = error as Record<string, string>;
      const constraint = constraintOf(error) ?? '';
      const isUnchecked = code === unique && checks.get(constraint) === false;
      if (tried === maxTries || !(isUnchecked || conflicts.has(code))) throw error;
      if (isUnchecked) checks.set(constraint, true);
      else await Bun.sleep((5 + Math.random() * 20) * tried);
    }
  }
};
