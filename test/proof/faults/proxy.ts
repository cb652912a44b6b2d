/** A network between the program and its Postgres that fails as networks do. */
import net from 'node:net';
import { readSettings } from '../../../src/config.ts';
import { atEnd } from '../../support/at-end.ts';

/** Which way bytes travel: `requests` to Postgres, `answers` from it. */
export type Way = 'requests' | 'answers';

export type Proxy = {
  /** The database's address, through this proxy. */
  url: string;
  /** Loses sight of everything that travels these ways, connections' ends included, until `heal`. */
  blackHole(...ways: Way[]): void;
  /** Delays each piece by this long, both ways. */
  delay(milliseconds: number): void;
  /** What is under way arrives late, as TCP repeats it, and everything travels again. */
  heal(): void;
  /** Ends all connections, on both sides. */
  cut(): void;
  /** The connections that stand now carry nothing any more, and nobody is told; new ones are well. */
  forget(): void;
  /**
   * Cuts the connections after this many more bytes in this direction. The rest of the piece is
   * lost.
   */
  cutAfter(way: Way, bytes: number): void;
  /** Resets the connection that next sends this text: in the middle of it, or when it is answered. */
  resetAt(text: string, moment: 'within' | 'answered'): void;
  /** Answers new connections as a Postgres does that takes none, with this code; null: takes them again. */
  turnAway(code: string | null): void;
  /** Bytes that went this way. */
  carried(way: Way): number;
  /** Connections that stand, as the program sees them. */
  connections(): number;
};

type Pair = {
  client: net.Socket;
  server: net.Socket;
  isForgotten: boolean;
  resetOnAnswer: boolean;
};

/** Starts a proxy on the loopback before the database at this address, on TCP or a UNIX socket. */
export const startProxy = async (databaseUrl: string): Promise<Proxy> => {
  const pairs = new Set<Pair>();
  const carried = { requests: 0, answers: 0 };
  const dark = new Set<Way>();
  const waiting: (() => void)[] = [];
  let delayMilliseconds = 0;
  let cutting: { way: Way; at: number } | undefined;
  let resetting: { text: string; moment: 'within' | 'answered' } | undefined;

  let refusal: string | null = null;

  const lightOf = async (way: Way) => {
    if (delayMilliseconds > 0) await Bun.sleep(delayMilliseconds);
    while (dark.has(way)) await new Promise<void>((resolve) => waiting.push(resolve));
  };

  const end = (pair: Pair, how: 'cut' | 'reset' = 'cut') => {
    pairs.delete(pair);
    if (how === 'reset') pair.client.resetAndDestroy();
    else pair.client.destroy();
    pair.server.destroy();
  };

  /** The part of a piece that is passed on. Ends the connection if it should end. */
  const pass = (pair: Pair, way: Way, piece: Buffer) => {
    const to = way === 'requests' ? pair.server : pair.client;
    if (to.destroyed) return;
    if (way === 'answers' && pair.resetOnAnswer) return end(pair, 'reset');
    const found = way === 'requests' && resetting ? piece.indexOf(resetting.text) : -1;
    if (resetting && found >= 0) {
      const { text, moment } = resetting;
      resetting = undefined;
      if (moment === 'within') {
        to.write(piece.subarray(0, found + Math.floor(text.length / 2)));
        return end(pair, 'reset');
      }
      pair.resetOnAnswer = true;
    }
    const room = cutting?.way === way ? cutting.at - carried[way] : Number.POSITIVE_INFINITY;
    carried[way] += Math.min(room, piece.length);
    to.write(piece.subarray(0, room));
    if (room > piece.length) return;
    cutting = undefined;
    // Flushed first: Postgres is to see exactly so much.
    to.end();
    setTimeout(() => end(pair), 5);
  };

  const carry = (pair: Pair, way: Way) => {
    const from = way === 'requests' ? pair.client : pair.server;
    let last = Promise.resolve();
    const inOrder = (act: () => void) => {
      last = last.then(async () => {
        await lightOf(way);
        if (!pair.isForgotten) act();
      });
    };
    from.on('data', (piece: Buffer) => inOrder(() => pass(pair, way, piece)));
    from.on('error', () => {});
    from.on('close', () => inOrder(() => end(pair)));
  };

  const target = targetOf(databaseUrl);
  const listener = net.createServer((client) => {
    if (refusal !== null) return turnAway(client, refusal);
    const pair = { client, server: net.connect(target), isForgotten: false, resetOnAnswer: false };
    pairs.add(pair);
    carry(pair, 'requests');
    carry(pair, 'answers');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));

  const heal = () => {
    dark.clear();
    delayMilliseconds = 0;
    for (const resolve of waiting.splice(0)) resolve();
  };
  const cut = () => {
    for (const pair of pairs) end(pair);
  };
  atEnd(() => {
    heal();
    cut();
    listener.close();
  });
  return {
    url: throughPort(databaseUrl, (listener.address() as net.AddressInfo).port),
    blackHole(...ways) {
      for (const way of ways) dark.add(way);
    },
    delay(milliseconds) {
      delayMilliseconds = milliseconds;
    },
    heal,
    cut,
    forget() {
      for (const pair of pairs) pair.isForgotten = true;
    },
    cutAfter(way, bytes) {
      cutting = { way, at: carried[way] + bytes };
    },
    resetAt(text, moment) {
      resetting = { text, moment };
    },
    turnAway(code) {
      refusal = code;
    },
    carried: (way) => carried[way],
    connections: () => pairs.size,
  };
};

const turnAway = (client: net.Socket, code: string) => {
  const fields = `SFATAL\0VFATAL\0C${code}\0Mnot now\0\0`;
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  client.on('error', () => {});
  client.once('data', () =>
    client.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])),
  );
};

const targetOf = (databaseUrl: string): net.NetConnectOpts => {
  const address = readSettings({ DATABASE_URL: databaseUrl }).database;
  if (typeof address === 'object') return { path: address.path };
  const { hostname, port } = new URL(databaseUrl);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) };
};

const throughPort = (databaseUrl: string, port: number) => {
  const { username, password, pathname, search } = new URL(databaseUrl);
  return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}${search}`;
};
