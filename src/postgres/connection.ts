import net from 'node:net';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type SerializableParameter } from 'postgres';
import { unavailable } from '../base/refusal.ts';
import { deadlines } from './deadlines.ts';

/** How to reach a database: a `postgres://` address, or the embedded one's socket. */
export type Address =
  | string
  | { path: string; username: string; password: string; database: string };

/** One row as the driver gives it: an array in the order of the columns, or an object by name. */
export type RawRow = unknown[] | Record<string, unknown>;

/**
 * When Postgres plans a statement: `once`, for all values; or `anew`, for the values of each run. Then
 * a filter that is null costs nothing, and what is rare is looked up; the plan takes a millisecond or
 * two.
 */
export type Planned = 'once' | 'anew';

/** The code of the failure where TLS is asked for and the server has none. */
export const noTls = 'NO_TLS';
const saysNo = 'N'.charCodeAt(0);

/**
 * One connection to Postgres. After a failure it is over and never opened again: a postgres.js
 * client that reconnects can lose its write timer and hang for good, and it would run the rest of a
 * transaction outside of it.
 */
export type Connection = {
  /**
   * Sends one statement. Several that are planned once and sent without waiting travel together; one
   * that is planned anew waits for a round trip first.
   */
  send(
    text: string,
    parameters: unknown[],
    shape: 'arrays' | 'objects',
    planned?: Planned,
  ): Promise<RawRow[]>;
  /**
   * Sends a bare command, for example `begin`. Returns the command that the server says it
   * executed.
   */
  command(text: string): Promise<string>;
  /** How many statements have no answer yet. */
  waiting(): number;
  /** How many milliseconds the oldest unanswered statement has waited; 0 if there is none. */
  oldestWaitMilliseconds(): number;
  /** For how many milliseconds no statement has been on its way. */
  idleMilliseconds(): number;
  isDead(): boolean;
  /** Ends it at once. Unanswered statements are refused with 503 unavailable. */
  kill(reason: unknown): void;
  /** Lets unanswered statements finish, then closes. */
  close(): Promise<void>;
};

/** Prepares a connection. It connects when the first statement is sent. */
export const openConnection = (
  address: Address,
  onDeath: (reason: unknown) => void,
): Connection => {
  let socket: net.Socket | undefined;
  let dead = false;

  const kill = (reason: unknown) => {
    if (dead) return;
    dead = true;
    socket?.destroy();
    unanswered.refuseAll();
    client.end({ timeout: 0 }).catch(() => {});
    onDeath(reason);
  };

  // The client would go on to speak TLS to a server that has just said no.
  const refuseWithoutTls = (answer: Buffer) => {
    if (answer[0] !== saysNo) return;
    kill(Object.assign(new Error('The server offers no TLS.'), { code: noTls }));
  };

  const client = clientFor(address, {
    // postgres.js types this as unknown options; it passes its own parsed ones.
    async socket(target: Target) {
      // A second call means that the client wants to reconnect. This connection is over instead.
      if (dead || socket) throw new Error('The connection ended before it was ready.');
      socket = dial(target);
      await connected(socket);
      writeInOnePiece(socket);
      const { ssl } = client.options;
      if (ssl && ssl !== 'prefer') socket.once('data', refuseWithoutTls);
      return socket;
    },
    onclose: () => kill(new Error('The connection was closed.')),
  });

  const unanswered = openUnanswered(kill);

  return {
    send(text, parameters, shape, planned = 'once') {
      if (dead) return Promise.reject(unavailable());
      // Postgres keeps no plan of a statement without a name. By itself, the client gives no name to one
      // without parameters.
      const named = { prepare: planned === 'once', simple: false };
      const query = client.unsafe(text, parameters as SerializableParameter[], named);
      // The client repeats a statement whose plan is stale. Behind a commit that was already sent,
      // the repeat would run outside of the transaction.
      Object.defineProperty(query, 'retried', { set: kill });
      return unanswered.track(shape === 'arrays' ? query.values() : query);
    },
    async command(text) {
      if (dead) throw unavailable();
      return (await unanswered.track(client.unsafe(text).simple())).command;
    },
    waiting: unanswered.count,
    oldestWaitMilliseconds: unanswered.oldestWaitMilliseconds,
    idleMilliseconds: unanswered.idleMilliseconds,
    isDead: () => dead,
    kill,
    close: async () => {
      await client.end({ timeout: deadlines().answer / 1000 }).catch(() => {});
      dead = true;
      socket?.destroy();
    },
  };
};

type Unanswered = { since: number; refuse: (error: unknown) => void };

/** The statements of a connection that have no answer yet. A wrong answer ends the connection. */
const openUnanswered = (kill: (reason: unknown) => void) => {
  const pending = new Set<Unanswered>();
  let idleSince = performance.now();
  const settle = (entry: Unanswered) => {
    pending.delete(entry);
    if (pending.size === 0) idleSince = performance.now();
  };
  return {
    track: (query: PromiseLike<unknown>): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const entry = { since: performance.now(), refuse: reject };
        pending.add(entry);
        const answered = (answer: Answer) => {
          if (!isWhole(answer)) {
            return kill(new Error('An answer did not have as many rows as Postgres said it sent.'));
          }
          settle(entry);
          resolve(answer);
        };
        (query as PromiseLike<Answer>).then(answered, (error) => {
          if (!isAboutStatement(error)) return kill(error);
          settle(entry);
          reject(error);
        });
      }),
    count: () => pending.size,
    oldestWaitMilliseconds() {
      for (const entry of pending) return performance.now() - entry.since;
      return 0;
    },
    idleMilliseconds: () => (pending.size > 0 ? 0 : performance.now() - idleSince),
    refuseAll() {
      for (const entry of pending) entry.refuse(unavailable());
      pending.clear();
    },
  };
};

/** The types of postgres.js know neither the hook `socket` nor lists of hosts: they are `object` here. */
const clientFor = (address: Address, hooks: object) => {
  const options = {
    max: 1,
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    // The deadlines here and in the pool do this, and more.
    connect_timeout: 0,
    onnotice: () => {},
    connection: {
      application_name: 'matterhorn',
      TimeZone: 'UTC',
      statement_timeout: deadlines().statement,
      // Compiling a statement takes longer than any of ours should run.
      jit: 'off',
      lock_timeout: deadlines().lock,
      idle_in_transaction_session_timeout: 15_000,
      // A peer that vanished silently must not hold its row locks for hours.
      client_connection_check_interval: 5_000,
      tcp_keepalives_idle: 30,
      tcp_keepalives_interval: 10,
      tcp_keepalives_count: 3,
    },
  } satisfies postgres.Options<Record<never, never>>;
  const client =
    typeof address === 'string'
      ? postgres(address, { ...options, ...hooks, ...ofVersion6(address) })
      : postgres({ ...address, ...options, ...hooks });
  // Drizzle reads and writes dates and JSON itself. This tells the client to leave them alone.
  drizzle(client);
  return client;
};

/**
 * postgres.js takes the first colon of an IPv6 address for the one before the port, but looks for
 * none in a list.
 */
const ofVersion6 = (address: string): object => {
  const { hostname, port } = new URL(address);
  const [, host] = /^\[(.*)\]$/.exec(hostname) ?? [];
  return host ? { host: [host], port: [Number(port || 5432)] } : {};
};

type Target = { host: string[]; port: number[]; path?: string | false };

const dial = ({ path, host, port }: Target): net.Socket => {
  const socket = path
    ? net.connect({ path })
    : net.connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  // For TLS, postgres.js needs the name that the certificate must have.
  return Object.assign(socket, { host: host[0] });
};

const connected = (socket: net.Socket) =>
  new Promise<net.Socket>((resolve, reject) => {
    const giveUp = (error: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => giveUp(new Error('The database does not take connections in time.')),
      deadlines().connect,
    );
    const onClose = () => giveUp(new Error('The connection was closed.'));
    socket.once('error', giveUp);
    socket.once('close', onClose);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', giveUp);
      socket.off('close', onClose);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });

// The client writes at once when at least this many bytes have gathered; the rest is written when
// the event loop comes round.
const clientPieceBytes = 1_024;

/**
 * Statements that are sent without waiting leave in one write: Postgres would wake up for each
 * piece. Over TLS they leave as the client writes them.
 */
const writeInOnePiece = (socket: net.Socket) => {
  const write: (piece: Buffer, done?: () => void) => boolean = socket.write.bind(socket);
  const pieces: Buffer[] = [];
  const flush = (done?: () => void) => {
    if (pieces.length > 0) write(Buffer.concat(pieces.splice(0)), done);
  };
  const gather = (piece: Buffer, done?: () => void) => {
    pieces.push(piece);
    if (done || piece.length < clientPieceBytes) flush(done);
    // After everything that the client still writes in this round of the event loop.
    else if (pieces.length === 1) setImmediate(() => setImmediate(flush));
    return true;
  };
  Object.assign(socket, { write: gather });
};

/** The rows of an answer, the command that Postgres says it executed, and for how many rows. */
type Answer = RawRow[] & { command: string; count: number | null };

/** Whether an answer has the rows that Postgres says it sent; a command without rows has none. */
const isWhole = ({ length, command, count }: Answer) =>
  count === null || length === count || (length === 0 && command !== 'SELECT');

/** What the coordinator of a cluster says of a statement when its Postgres has just been killed. */
const isOfDying = (words: string) => /^XX000 postmaster was shut down/.test(words);

/**
 * Whether an error is the server's answer to one statement. FATAL means that the server ends the
 * connection. An error from elsewhere is a lost connection, or a client that lost count of its
 * answers and might give one to the wrong statement.
 */
const isAboutStatement = (error: unknown): boolean => {
  const { severity, severity_local, code, message } = error as Record<string, unknown>;
  const says = severity ?? severity_local;
  // 08006: the coordinator of a cluster cannot reach a node that the statement needs.
  const isLost = /^(08(?!006)|57P)/.test(`${code}`) || isOfDying(`${code} ${message}`);
  return says !== undefined && says !== 'FATAL' && says !== 'PANIC' && !isLost;
};
