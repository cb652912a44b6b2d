import { complaints } from '../base/log.ts';
import { unavailable } from '../base/refusal.ts';
import { type Address, type Connection, openConnection, type RawRow } from './connection.ts';
import { deadlines } from './deadlines.ts';
import type { Reservations } from './reservations.ts';

// Many short statements travel to one connection in one piece, and Postgres wakes up once for all of
// them. If the oldest has waited longer than this, others go elsewhere.
const sharedWaitMilliseconds = 20;
// One plan is right for all values of a short statement. Postgres would make some plans anew for each run.
const forAllValues = `set plan_cache_mode = 'force_generic_plan'`;

export type Sending = Parameters<Connection['send']>;

/** The open connections to one database. One that is lost is replaced when another is needed. */
export type Connections = {
  /**
   * An idle connection, else a new one, else the one with the fewest unanswered statements. The
   * shared one only if transactions have all others.
   */
  choose(): Connection;
  /** Sends a statement; a short one on the connection that all short ones share. */
  send(sending: Sending, isShort: boolean): Promise<RawRow[]>;
  /** Ends the connections that give no answer, and with them the idle ones. */
  endSilent(): void;
  /**
   * Ends those that have been idle for so long, save the shared one: Postgres keeps 15 MB and more for
   * each that has seen most statements.
   */
  endIdle(afterMilliseconds: number): void;
  /** Whether a statement has no answer yet. */
  isWaiting(): boolean;
  figures(): { connections: number; busy: number; lost: number };
  /** Waits for the transactions that still run, then closes all connections. */
  close(): Promise<void>;
};

/** Opens at most `size` connections, each when it is needed. */
export const openConnections = (
  addressNow: () => Address,
  size: number,
  reservations: Reservations,
): Connections => {
  const open = new Set<Connection>();
  const givenUp = new WeakSet<Connection>();
  const ending = new Set<Promise<void>>();
  // An unreachable database ends many connections.
  const complain = complaints('database connection lost');
  let shared: Connection | undefined;
  let closed = false;
  let lost = 0;

  const connect = () => {
    if (closed) throw unavailable();
    const onDeath = (reason: unknown) => {
      const isMissed = open.delete(connection);
      if (connection === shared) shared = undefined;
      reservations.release(connection);
      if (closed || !isMissed) return;
      lost += 1;
      complain(reason);
    };
    const connection = openConnection(addressNow(), onDeath);
    open.add(connection);
    return connection;
  };

  const isTaken = (one: Connection) => reservations.has(one) || one === shared;
  const choose = (): Connection => {
    const least = leastBusy(open, isTaken);
    if (least?.waiting() === 0) return least;
    return open.size < size ? connect() : (least ?? shared ?? connect());
  };

  const share = (): Connection => {
    const one = open.size < size ? connect() : choose();
    // If it fails, so does what is sent behind it.
    one.command(forAllValues).catch(() => {});
    return one;
  };

  const chooseForShort = (): Connection => {
    shared ??= share();
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

  const isBusy = (one: Connection) => reservations.has(one) || one.waiting() > 0;

  return {
    choose,
    send: (sending, isShort) => (isShort ? sendShort(sending) : choose().send(...sending)),
    endSilent() {
      const silent = [...open].filter(isSilent);
      // If one has gone silent, the idle ones probably have too: end them now, not one by one later.
      for (const connection of silent.length > 0 ? open : []) {
        if (isBusy(connection) && !silent.includes(connection)) continue;
        givenUp.add(connection);
        connection.kill(new Error('No answer in time.'));
      }
    },
    endIdle(afterMilliseconds) {
      for (const connection of open) {
        if (isBusy(connection) || connection === shared) continue;
        if (connection.idleMilliseconds() < afterMilliseconds) continue;
        open.delete(connection);
        const ended = connection.close().finally(() => ending.delete(ended));
        ending.add(ended);
      }
    },
    isWaiting: () => [...open].some((one) => one.waiting() > 0),
    figures: () => ({ connections: open.size, busy: [...open].filter(isBusy).length, lost }),
    async close() {
      closed = true;
      const until = performance.now() + deadlines().answer;
      while (reservations.taken() > 0 && performance.now() < until) await Bun.sleep(5);
      await Promise.all([...ending, ...[...open].map((connection) => connection.close())]);
    },
  };
};

/** The connection with the fewest unanswered statements: the first idle one, if there is any. */
const leastBusy = (open: Iterable<Connection>, isTaken: (one: Connection) => boolean) => {
  let least: Connection | undefined;
  for (const connection of open) {
    if (isTaken(connection)) continue;
    if (connection.waiting() === 0) return connection;
    if (!least || connection.waiting() < least.waiting()) least = connection;
  }
  return least;
};

const isSilent = (one: Connection) => one.oldestWaitMilliseconds() >= deadlines().answer;
