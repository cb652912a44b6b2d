import type { Address, Connection, RawRow } from './connection.ts';
import { openConnections, type Sending } from './connections.ts';
import { openReservations } from './reservations.ts';
import type { Statement } from './statement.ts';

/** Anything that runs statements: the database at large, or one transaction. */
export type Runs = {
  /** Runs a statement with its values. Throws `Refusal` unavailable if no answer comes. */
  run<Row, Values extends unknown[]>(
    statement: () => Statement<Row, Values>,
    ...values: NoInfer<Values>
  ): Promise<Row[]>;
  /** The first row, or undefined. */
  first<Row, Values extends unknown[]>(
    statement: () => Statement<Row, Values>,
    ...values: NoInfer<Values>
  ): Promise<Row | undefined>;
};

/** Inside a transaction: statements sent without waiting travel together, in order. */
export type Transaction = Runs & {
  /**
   * Does what `name` says for an item. If several parts of this transaction ask for that at the same
   * moment (`together.ts`), `doAll` gets all their items, and returns an answer for each.
   */
  gather<Item, Answer>(
    name: string,
    item: Item,
    doAll: (runs: Runs, items: Item[]) => Promise<Answer[]>,
  ): Promise<Answer>;
  /** Called once after the commit, never after a rollback. Not for what must never be lost. */
  afterCommit(call: () => void): void;
};

type Isolation = 'read committed' | 'repeatable read';

/**
 * The connections to one database. It heals: a failed one is replaced, and the next statement gets
 * a new one.
 */
export type Database = Runs & {
  /**
   * All of `work`, or nothing of it. Statements that `work` sent without waiting are waited for
   * here, with the commit right behind them. Throws what `work` or the first failing statement
   * threw. Under `repeatable read`, a row that others changed since the first statement fails with
   * 40001. The transactions `of` one firm take at most two thirds of the connections: the rest is
   * for other firms. In a dry run everything is done and checked, and then rolled back.
   */
  transaction<Value>(
    work: (transaction: Transaction) => Promise<Value>,
    options?: { of?: string; isolation?: Isolation; isDryRun?: boolean },
  ): Promise<Value>;
  /** Open connections; busy ones; transactions that wait for one; connections lost so far. */
  figures(): { connections: number; busy: number; waiting: number; lost: number };
  /** How many milliseconds ago the last rows were added; infinite before the first. */
  grewMillisecondsAgo(): number;
  close(): Promise<void>;
};

const sweepMilliseconds = 250;

/**
 * Opens a database with at most `size` connections (two or more). They are made when needed, and only
 * then is the address asked for. One that nobody has needed for a while is ended.
 */
export const openDatabase = (
  address: Address | (() => Address),
  size = 5,
  keptIdleMilliseconds = 60_000,
): Database => {
  // Transactions leave one connection free, so that single statements never wait for them.
  const reservations = openReservations(() => connections.choose(), size - 1);
  const connections = openConnections(
    typeof address === 'function' ? address : () => address,
    size,
    reservations,
  );
  const sweeps = openSweeps(() => {
    connections.endSilent();
    connections.endIdle(keptIdleMilliseconds);
    reservations.refuseLate();
    return connections.isWaiting() || reservations.taken() + reservations.waiting() > 0;
  });
  let grewAt = Number.NEGATIVE_INFINITY;
  const onInsert = () => {
    grewAt = performance.now();
  };
  const sendAtLarge = (sending: Sending, isShort: boolean) => {
    sweeps.begin();
    return connections.send(sending, isShort);
  };
  return {
    ...runsWith(sendAtLarge, onInsert),
    async transaction(work, { of, isolation = 'read committed', isDryRun = false } = {}) {
      sweeps.begin();
      const connection = await reservations.reserve(of);
      try {
        return await inTransaction(connection, work, { isolation, isDryRun }, onInsert);
      } finally {
        reservations.release(connection);
      }
    },
    grewMillisecondsAgo: () => performance.now() - grewAt,
    figures: () => ({ ...connections.figures(), waiting: reservations.waiting() }),
    async close() {
      sweeps.end();
      reservations.close();
      await connections.close();
    },
  };
};

/** Sweeps from now on and again, for as long as `sweep` says that something is under way. */
const openSweeps = (sweep: () => boolean) => {
  let timer: Timer | undefined;
  let isOver = false;
  const begin = () => {
    if (timer || isOver) return;
    const begunAt = performance.now();
    timer = setTimeout(() => {
      timer = undefined;
      const stoodStill = performance.now() - begunAt > 4 * sweepMilliseconds;
      // This program did not run for a while. Read what has arrived before blaming the connections.
      if (stoodStill || sweep()) begin();
    }, sweepMilliseconds);
    timer.unref();
  };
  const end = () => {
    isOver = true;
    clearTimeout(timer);
  };
  return { begin, end };
};

const runsWith = (
  send: (sending: Sending, isShort: boolean) => Promise<RawRow[]>,
  onInsert: () => void,
): Runs => {
  const run: Runs['run'] = async (statement, ...values) => {
    const { text, fill, shape, read, planned, isShort, inserts } = statement();
    if (inserts) onInsert();
    const rows = await send([text, fill(...values), shape, planned], isShort(...values));
    return rows.map(read);
  };
  return { run, first: (statement, ...values) => run(statement, ...values).then(([row]) => row) };
};

const inTransaction = async <Value>(
  connection: Connection,
  work: (transaction: Transaction) => Promise<Value>,
  { isolation, isDryRun }: { isolation: Isolation; isDryRun: boolean },
  onInsert: () => void,
): Promise<Value> => {
  const end = isDryRun ? 'rollback' : 'commit';
  const sent: Promise<unknown>[] = [];
  const calls: (() => void)[] = [];
  let failure: { error: unknown } | undefined;
  let isOver = false;
  const keep = <Answer>(answer: Promise<Answer>) => {
    sent.push(answer);
    answer.catch((error) => (failure ??= { error }));
    return answer;
  };
  // What `work` left running when it failed must not reach a connection that somebody else has by
  // then.
  const { run } = runsWith((sending) => {
    if (isOver) throw new Error('The transaction is over.');
    return connection.send(...sending);
  }, onInsert);
  const transaction: Transaction = {
    run: (statement, ...values) => keep(run(statement, ...values)),
    first: (statement, ...values) => keep(run(statement, ...values)).then(([row]) => row),
    gather: async (_, item, doAll) => ofOne(await doAll(transaction, [item])),
    afterCommit: (call) => calls.push(call),
  };
  // Neither is waited for alone: `begin` travels with the first statement, `commit` with the last.
  keep(connection.command(`begin isolation level ${isolation}`));
  let value: Value;
  try {
    value = await work(transaction);
    isOver = true;
    // A statement that was never sent cannot make Postgres refuse the commit.
    if (failure) throw (failure as { error: unknown }).error;
    const ended = connection.command(end);
    ended.catch(() => {});
    await Promise.all(sent);
    if ((await ended) !== end.toUpperCase()) throw new Error('The database did not commit.');
  } catch (error) {
    isOver = true;
    await Promise.allSettled(sent);
    await rollBack(connection);
    throw isAftermath(error) && failure ? failure.error : error;
  }
  if (!isDryRun) for (const call of calls) call();
  return value;
};

const ofOne = <Answer>(answers: Answer[]): Answer => answers[0] as Answer;

const rollBack = async (connection: Connection) => {
  if (connection.isDead()) return;
  await connection.command('rollback').catch((failure) => connection.kill(failure));
};

/** Whether Postgres only says that the transaction has already failed. */
const isAftermath = (error: unknown) => (error as { code?: unknown } | null)?.code === '25P02';
