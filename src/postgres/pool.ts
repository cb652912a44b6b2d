import { describeError, log } from '../base/log.ts';
import { unavailable } from '../base/refusal.ts';
import {
  type Address,
  answerDeadlineMilliseconds,
  type Connection,
  openConnection,
} from './connection.ts';
import type { Statement } from './statement.ts';

/** Anything that runs statements: the database at large, or one transaction. */
export type Runs = {
  /** Runs a statement with values for its placeholders; throws `Refusal` unavailable when no answer comes. */
  run<Row>(statement: () => Statement<Row>, values?: Record<string, unknown>): Promise<Row[]>;
  /** The first row, or undefined. */
  first<Row>(
    statement: () => Statement<Row>,
    values?: Record<string, unknown>,
  ): Promise<Row | undefined>;
};

/** Inside a transaction: statements sent without waiting travel together, in order. */
export type Transaction = Runs & {
  /** Called once after the commit, never after a rollback; what must not be lost does not belong here. */
  afterCommit(call: () => void): void;
};

/** The connections to one database. It heals: what fails is replaced, and the next statement gets a new one. */
export type Database = Runs & {
  /**
   * All of `work` or nothing of it. Statements that `work` has sent and not waited for are waited
   * for here, with the commit right behind them. Throws what `work` or the first failing one threw.
   */
  transaction<Value>(work: (transaction: Transaction) => Promise<Value>): Promise<Value>;
  /** How many connections stand, and how many statements and transactions wait. */
  figures(): { connections: number; waiting: number };
  close(): Promise<void>;
};

const acquireDeadlineMilliseconds = 3_000;

/** Opens a database with at most `size` connections (two or more); they are made as they are needed. */
export const openDatabase = (address: Address, size = 10): Database => {
  const connections = new Set<Connection>();
  const reserved = new Set<Connection>();
  const queue: Waiting[] = [];
  let closed = false;

  const connect = () => {
    const connection = openConnection(address, () => {
      connections.delete(connection);
      release(connection);
    });
    connections.add(connection);
    return connection;
  };

  /** An idle connection, else a new one, else the one with the least on its way to share. */
  const choose = (): Connection => {
    let least: Connection | undefined;
    for (const connection of connections) {
      if (reserved.has(connection)) continue;
      if (connection.waiting() === 0) return connection;
      if (!least || connection.waiting() < least.waiting()) least = connection;
    }
    return least && connections.size >= size ? least : connect();
  };

  // Transactions leave one connection free, so that single statements never wait for them.
  const reserve = (): Promise<Connection> =>
    new Promise((give, refuse) => {
      queue.push({ give, refuse, until: performance.now() + acquireDeadlineMilliseconds });
      serveQueue();
    });

  const serveQueue = () => {
    while (queue.length > 0 && reserved.size < size - 1) {
      const connection = choose();
      reserved.add(connection);
      queue.shift()?.give(connection);
    }
  };

  const release = (connection: Connection) => {
    reserved.delete(connection);
    serveQueue();
  };

  const sweep = setInterval(() => {
    for (const connection of connections) {
      if (connection.oldestWaitMilliseconds() < answerDeadlineMilliseconds) continue;
      log('warn', 'database connection replaced', { reason: 'no answer within the deadline' });
      connection.kill();
    }
    while (queue[0] && queue[0].until < performance.now()) queue.shift()?.refuse(unavailable());
  }, 250);
  sweep.unref();

  return {
    ...runsOn(choose),
    async transaction(work) {
      if (closed) throw unavailable();
      const connection = await reserve();
      try {
        return await inTransaction(connection, work);
      } finally {
        release(connection);
      }
    },
    figures: () => ({ connections: connections.size, waiting: queue.length }),
    async close() {
      closed = true;
      clearInterval(sweep);
      for (const waiting of queue.splice(0)) waiting.refuse(unavailable());
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
};

type Waiting = {
  give: (connection: Connection) => void;
  refuse: (error: unknown) => void;
  until: number;
};

const runsOn = (pick: () => Connection): Runs => {
  const run = async <Row>(
    statement: () => Statement<Row>,
    values: Record<string, unknown> = {},
  ): Promise<Row[]> => {
    const { text, fill, shape, read } = statement();
    const rows = await pick().send(text, fill(values), shape);
    return rows.map(read);
  };
  return { run, first: async (statement, values) => (await run(statement, values))[0] };
};

const inTransaction = async <Value>(
  connection: Connection,
  work: (transaction: Transaction) => Promise<Value>,
): Promise<Value> => {
  const sent: Promise<unknown>[] = [];
  const calls: (() => void)[] = [];
  const keep = <Answer>(answer: Promise<Answer>) => {
    sent.push(answer);
    answer.catch(() => {});
    return answer;
  };
  const { run } = runsOn(() => connection);
  const transaction: Transaction = {
    run: (statement, values) => keep(run(statement, values)),
    first: (statement, values) => keep(run(statement, values)).then(([row]) => row),
    afterCommit: (call) => calls.push(call),
  };
  // Neither is waited for on its own: `begin` travels with the first statement, `commit` with the last.
  keep(connection.command('begin'));
  try {
    const value = await work(transaction);
    const committed = connection.command('commit');
    committed.catch(() => {});
    await Promise.all(sent);
    if ((await committed) !== 'COMMIT') throw new Error('The database did not commit.');
    for (const call of calls) call();
    return value;
  } catch (error) {
    await Promise.allSettled(sent);
    if (!connection.isDead()) {
      await connection.command('rollback').catch((failure) => {
        log('warn', 'rollback failed', describeError(failure));
        connection.kill();
      });
    }
    throw error;
  }
};
