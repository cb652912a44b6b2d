import { Refusal } from '../base/refusal.ts';
import type { Database, Runs, Transaction } from './pool.ts';
import type { Statement } from './statement.ts';

/** One piece of work in a shared transaction, once it has begun. */
type Part<Value> = { value: Promise<Value>; hasWritten(): boolean };

type Waiting = {
  begin(transaction: Transaction): Part<unknown>;
  give(value: unknown): void;
  refuse(error: unknown): void;
  standAlone(): void;
};

/** Thrown by a piece that has written nothing: it is to be run again, in a transaction of its own. */
export const standAlone = new Error('This shares no transaction.');

/** Pieces of work that wait for a transaction, and how many transactions are under way. */
type Line = { waiting: Waiting[]; underWay: number };

const linesOf = new WeakMap<Database, Map<string, Line>>();

// While one transaction is being stored, the next one already reads.
const maxUnderWay = 2;
const maxTogether = 16;

/**
 * Runs a piece of work in one transaction with others of this kind and firm that wait at the same
 * moment. They travel together, and one commit stores them all. Throws what the work throws; that is
 * the end of this piece alone, if it has written nothing. Undefined if nothing was stored since some
 * piece failed, or if it threw `standAlone`: this one is to be run again, in a transaction of its own.
 */
export const together = <Value>(
  database: Database,
  of: string,
  kind: string,
  begin: (transaction: Transaction) => Part<Value>,
): Promise<{ value: Value } | undefined> =>
  new Promise((resolve, refuse) => {
    const lines = linesOf.get(database) ?? new Map<string, Line>();
    linesOf.set(database, lines);
    const name = `${of} ${kind}`;
    const line = lines.get(name) ?? { waiting: [], underWay: 0 };
    lines.set(name, line);
    const give = (value: unknown) => resolve({ value: value as Value });
    line.waiting.push({ begin, give, refuse, standAlone: () => resolve(undefined) });
    if (line.underWay === maxUnderWay) return;
    void workOff(database, of, line).then(() => {
      if (line.underWay === 0) lines.delete(name);
    });
  });

/** Runs what waits, as much as may run together at a time, until nothing waits. */
const workOff = async (database: Database, of: string, line: Line) => {
  line.underWay += 1;
  while (line.waiting.length > 0) await runNext(database, of, line);
  line.underWay -= 1;
};

const runNext = async (database: Database, of: string, line: Line) => {
  const parts: Waiting[] = [];
  const ends: (() => void)[] = [];
  let isStored = false;
  const work = async (transaction: Transaction) => {
    transaction.afterCommit(() => {
      isStored = true;
    });
    // Not before there is a connection: others came in the meantime.
    parts.push(...line.waiting.splice(0, maxTogether));
    const shared = gathering(askingOnce(transaction));
    ends.push(...(await Promise.all(parts.map((part) => endOf(part, shared)))));
  };
  try {
    await database.transaction(work, { of });
    for (const end of ends) end();
  } catch (error) {
    const failed = parts.length > 0 ? parts : line.waiting.splice(0);
    // Whether it was stored is not known, or it was: it must not be run again.
    const isOver = isStored || (error instanceof Refusal && error.code === 'unavailable');
    for (const part of failed) {
      if (isOver) part.refuse(error);
      else part.standAlone();
    }
  }
};

/**
 * A transaction that asks what several parts ask at the same moment once: they get the same answer. Once
 * something is written, the same question is a new one.
 */
const askingOnce = (transaction: Transaction): Transaction => {
  const asked = new Map<unknown, Map<string, Promise<unknown[]>>>();
  const run: Transaction['run'] = <Row, Values extends unknown[]>(
    statement: () => Statement<Row, Values>,
    ...values: NoInfer<Values>
  ): Promise<Row[]> => {
    if (statement().writes) {
      asked.clear();
      return transaction.run(statement, ...values);
    }
    const answers = asked.get(statement) ?? new Map<string, Promise<unknown[]>>();
    asked.set(statement, answers);
    const key = JSON.stringify(values);
    const known = answers.get(key) as Promise<Row[]> | undefined;
    if (known) return known;
    const answer = transaction.run(statement, ...values);
    answers.set(key, answer);
    const forget = () => answers.delete(key);
    answer.then(forget, forget);
    return answer;
  };
  return { ...transaction, run, first: async (...asking) => (await run(...asking))[0] };
};

/**
 * A transaction that does at once, for all parts, what several of them ask for in the same round of the
 * event loop: parts that waited for the same answers.
 */
const gathering = (transaction: Transaction): Transaction => {
  const gathered = new Map<string, { items: unknown[]; answers: Promise<unknown[]> }>();
  const gather: Transaction['gather'] = async <Item, Answer>(
    name: string,
    item: Item,
    doAll: (runs: Runs, items: Item[]) => Promise<Answer[]>,
  ): Promise<Answer> => {
    let group = gathered.get(name) as { items: Item[]; answers: Promise<Answer[]> } | undefined;
    if (!group) {
      const items: Item[] = [];
      const answers = new Promise(setImmediate).then(() => {
        gathered.delete(name);
        return doAll(transaction, items);
      });
      gathered.set(name, (group = { items, answers }));
    }
    const place = group.items.push(item) - 1;
    return (await group.answers)[place] as Answer;
  };
  return { ...transaction, gather };
};

/** How a part ends if all is stored. Throws if it failed after it had written something. */
const endOf = async (part: Waiting, transaction: Transaction) => {
  const { value, hasWritten } = part.begin(transaction);
  try {
    const given = await value;
    return () => part.give(given);
  } catch (error) {
    if (hasWritten()) throw error;
    return error === standAlone ? part.standAlone : () => part.refuse(error);
  }
};
