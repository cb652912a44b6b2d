import { sql } from 'drizzle-orm';
import { type Address, openConnection } from './connection.ts';
import { deadlines } from './deadlines.ts';
import type { Runs } from './pool.ts';
import { statement } from './statement.ts';

/** One connection for long work, for example a backup: no statement has a deadline. */
export type Session = Runs & {
  /**
   * Sends a bare command, for example `create table …`. Returns the command that the server says it
   * executed.
   */
  command(text: string): Promise<string>;
  /**
   * All of `work` on this session, or nothing of it. `mode` is in Postgres's words, for example
   * `read only`.
   */
  transaction<Value>(work: () => Promise<Value>, mode?: string): Promise<Value>;
  close(): Promise<void>;
};

/**
 * Opens a session and waits until it answers, a few seconds at most. Throws the reason if no answer
 * comes. If `signal` is aborted, whatever is under way throws its reason, and Postgres rolls it
 * back. If the connection ends by itself, it throws `Refusal` unavailable.
 */
export const openSession = async (address: Address, signal?: AbortSignal): Promise<Session> => {
  signal?.throwIfAborted();
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});
  const connection = openConnection(address, refused.reject);
  const stop = () => connection.kill(signal?.reason);
  signal?.addEventListener('abort', stop);

  const orStopped = <Value>(answer: Promise<Value>): Promise<Value> =>
    answer.catch((error) => {
      throw signal?.aborted ? signal.reason : error;
    });
  const run: Session['run'] = async (statement, ...values) => {
    const { text, fill, shape, read } = statement();
    const rows = await orStopped(connection.send(text, fill(...values), shape));
    return rows.map(read);
  };
  const command: Session['command'] = (text) => orStopped(connection.command(text));
  const close = async () => {
    signal?.removeEventListener('abort', stop);
    await connection.close();
  };

  try {
    const ready = run(liftDeadlines);
    // The connection itself only says that it ended, but the caller wants to know why.
    const whyNot = (error: unknown) =>
      connection.isDead() ? refused.promise : Promise.reject(error);
    await Promise.race([ready.catch(whyNot), noAnswerInTime()]);
  } catch (error) {
    connection.kill(error);
    await close();
    throw signal?.aborted ? signal.reason : withCode(error);
  }
  return {
    run,
    first: async (statement, ...values) => (await run(statement, ...values))[0],
    command,
    async transaction(work, mode = '') {
      await command(`begin ${mode}`);
      try {
        const value = await work();
        if ((await command('commit')) !== 'COMMIT') throw new Error('The database did not commit.');
        return value;
      } catch (error) {
        if (!connection.isDead()) await command('rollback').catch(() => {});
        throw error;
      }
    },
    close,
  };
};

// `transaction_timeout` exists from Postgres 17 on.
const liftDeadlines = statement(
  () => sql`
    select set_config(name, '0', false) from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout',
      'idle_in_transaction_session_timeout', 'idle_session_timeout')`,
);

const noAnswerInTime = async () => {
  await Bun.sleep(deadlines().answer);
  throw new Error('The database does not answer.');
};

/** A failure to connect without a code of its own means that the database does not answer. */
const withCode = (error: unknown) =>
  (error as { code?: unknown }).code === undefined
    ? Object.assign(error as Error, { code: 'CONNECT_TIMEOUT' })
    : error;
