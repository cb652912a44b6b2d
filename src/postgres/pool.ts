import { describeError, log } from '../base/log.ts';
import { unavailable } from '../base/refusal.ts';
import {
  type Address,
  answerDeadlineMilliseconds,
  type Connection,
  openConnection,
  type RawRow,
} from './connection.ts';
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
  /** Called once after the commit, never after a rollback. Not for what must never be lost. */
  afterCommit(call: () => void): void;
};

export type Isolation = 'read committed' | 'repeatable read';

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
   * for other firms.
   */
  transaction<Value>(
    work: (transaction: Transaction) => Promise<Value>,
    options?: { of?: string; isolation?: Isolation },
  ): Promise<Value>;
  /** Open connections; busy ones; transactions that wait for one; connections lost so far. */
  figures(): { connections: number; busy: number; waiting: number; lost: number };
  close(): Promise<void>;
};

const acquireDeadlineMilliseconds = 3_000;
const complainEveryMilliseconds = 5_000;
const sweepMilliseconds = 250;
// Many short statements travel to one connection in one piece, and Postgres wakes up once for all of
// them. If the oldest has waited longer than this, others go elsewhere.
const sharedWaitMilliseconds = 20;

/** Opens a database with at most `size` connections (two or more). They are made when needed. */
export const openDatabase = (address: Address, size = 10): Database => {
  const connections = new Set<Connection>();
  const reserved = new Map<Connection, string | undefined>();
  const queue: Waiting[] = [];
  const givenUp = new WeakSet<Connection>();
  let shared: Connection | undefined;
  let closed = false;
  let lost = 0;
  let complainAgainAt = 0;

  const connect = () => {
    if (closed) throw unavailable();
    const connection = openConnection(address, (reason) => {
      connections.delete(connection);
      if (connection === shared) shared = undefined;
      if (!closed) lost += 1;
      release(connection);
      complain(reason);
    });
    connections.add(connection);
    return connection;
  };

  // An unreachable database ends many connections. The log says so once in a while.
  const complain = (reason: unknown) => {
    if (closed || performance.now() < complainAgainAt) return;
    complainAgainAt = performance.now() + complainEveryMilliseconds;
    log('warn', 'database connection lost', describeError(reason));
  };

  /**
   * An idle connection, else a new one, else the one with the fewest unanswered statements. The
   * shared one only if transactions have all others.
   */
  const choose = (): Connection => {
    let least: Connection | undefined;
    for (const connection of connections) {
      if (reserved.has(connection) || connection === shared) continue;
      if (connection.waiting() === 0) return connection;
      if (!least || connection.waiting() < least.waiting()) least = connection;
    }
    if (connections.size < size) return connect();
    return least ?? shared ?? connect();
  };

  /** The shared connection, as long as it answers at once. */
  const chooseForShort = (): Connection => {
    shared ??= choose();
    const waited = shared.oldestWaitMilliseconds();
    if (waited < sharedWaitMilliseconds) return shared;
    const other = choose();
    return other.oldestWaitMilliseconds() < waited ? other : shared;
  };

  /** If its connection is closed, a short statement is sent again, once: it only reads. */
  const sendShort = (sending: Sending): Promise<RawRow[]> => {
    const connection = chooseForShort();
    return connection.send(...sending).catch((error) => {
      if (!connection.isDead() || givenUp.has(connection)) throw error;
      return choose().send(...sending);
    });
  };

  const send = (sending: Sending, isShort: boolean): Promise<RawRow[]> =>
    isShort ? sendShort(sending) : choose().send(...sending);

  const reserve = (of: string | undefined): Promise<Connection> =>
    new Promise((give, refuse) => {
      queue.push({ give, refuse, of, until: performance.now() + acquireDeadlineMilliseconds });
      serveQueue();
    });

  // Transactions leave one connection free, so that single statements never wait for them.
  const mostReserved = size - 1;
  const mostOfFirm = Math.ceil((mostReserved * 2) / 3);
  const mayTake = (of: string | undefined) =>
    !of || [...reserved.values()].filter((one) => one === of).length < mostOfFirm;

  const serveQueue = () => {
    while (queue.length > 0 && reserved.size < mostReserved) {
      const next = queue.findIndex(({ of }) => mayTake(of));
      if (next < 0) return;
      const connection = choose();
      const [waiting] = queue.splice(next, 1);
      reserved.set(connection, waiting?.of);
      waiting?.give(connection);
    }
  };

  const release = (connection: Connection) => {
    reserved.delete(connection);
    serveQueue();
  };

  let sweptAt = performance.now();
  const sweep = setInterval(() => {
    const stoodStill = performance.now() - sweptAt > 4 * sweepMilliseconds;
    sweptAt = performance.now();
    // This program did not run for a while. Read what has arrived before blaming the connections.
    if (stoodStill) return;
    const silent = [...connections].filter(
      (connection) => connection.oldestWaitMilliseconds() >= answerDeadlineMilliseconds,
    );
    // If one has gone silent, the idle ones probably have too: end them now, not one by one later.
    for (const connection of silent.length > 0 ? connections : []) {
      const isIdle = connection.waiting() === 0 && !reserved.has(connection);
      if (!isIdle && !silent.includes(connection)) continue;
      givenUp.add(connection);
      connection.kill(new Error('No answer in time.'));
    }
    while (queue[0] && queue[0].until < performance.now()) queue.shift()?.refuse(unavailable());
  }, sweepMilliseconds);
  sweep.unref();

  return {
    ...runsWith(send),
    async transaction(work, { of, isolation = 'read committed' } = {}) {
      if (closed) throw unavailable();
      const connection = await reserve(of);
      try {
        return await inTransaction(connection, work, isolation);
      } finally {
        release(connection);
      }
    },
    figures() {
      const isBusy = (one: Connection) => reserved.has(one) || one.waiting() > 0;
      const busy = [...connections].filter(isBusy).length;
      return { connections: connections.size, busy, waiting: queue.length, lost };
    },
    async close() {
      closed = true;
      clearInterval(sweep);
      for (const waiting of queue.splice(0)) waiting.refuse(unavailable());
      const until = performance.now() + answerDeadlineMilliseconds;
      while (reserved.size > 0 && performance.now() < until) await Bun.sleep(5);
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
};

type Waiting = {
  of: string | undefined;
  give: (connection: Connection) => void;
  refuse: (error: unknown) => void;
  until: number;
};

/** A statement as a connection sends it. */
type Sending = Parameters<Connection['send']>;

const runsWith = (send: (sending: Sending, isShort: boolean) => Promise<RawRow[]>): Runs => {
  const run: Runs['run'] = async (statement, ...values) => {
    const { text, fill, shape, read, planned, isShort } = statement();
    const rows = await send([text, fill(...values), shape, planned], isShort(...values));
    return rows.map(read);
  };
  return { run, first: async (statement, ...values) => (await run(statement, ...values))[0] };
};

const inTransaction = async <Value>(
  connection: Connection,
  work: (transaction: Transaction) => Promise<Value>,
  isolation: Isolation,
): Promise<Value> => {
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
  });
  const transaction: Transaction = {
    run: (statement, ...values) => keep(run(statement, ...values)),
    first: (statement, ...values) => keep(run(statement, ...values)).then(([row]) => row),
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
    const committed = connection.command('commit');
    committed.catch(() => {});
    await Promise.all(sent);
    if ((await committed) !== 'COMMIT') throw new Error('The database did not commit.');
  } catch (error) {
    isOver = true;
    await Promise.allSettled(sent);
    await rollBack(connection);
    throw isAftermath(error) && failure ? failure.error : error;
  }
  for (const call of calls) call();
  return value;
};

const rollBack = async (connection: Connection) => {
  if (connection.isDead()) return;
  await connection.command('rollback').catch((failure) => connection.kill(failure));
};

/** Whether Postgres only says that the transaction has already failed. */
const isAftermath = (error: unknown) => (error as { code?: unknown } | null)?.code === '25P02';
