import { unavailable } from '../base/refusal.ts';
import type { Connection } from './connection.ts';
import { deadlines } from './deadlines.ts';

/** The connections that transactions have to themselves, and the transactions that wait for one. */
export type Reservations = {
  has(connection: Connection): boolean;
  taken(): number;
  waiting(): number;
  /** A connection for a transaction `of` a firm. Throws `Refusal` unavailable if none is free in time. */
  reserve(of: string | undefined): Promise<Connection>;
  /** Its transaction is over, or the connection is lost. */
  release(connection: Connection): void;
  /** Refuses those that have waited too long. */
  refuseLate(): void;
  /** Refuses those that wait, and all that come later. */
  close(): void;
};

type Waiting = {
  of: string | undefined;
  give: (connection: Connection) => void;
  refuse: (error: unknown) => void;
  until: number;
};

/**
 * Reserves at most `max` connections at a time, two thirds of them for one firm. `choose` gives the
 * next one.
 */
export const openReservations = (choose: () => Connection, max: number): Reservations => {
  const reserved = new Map<Connection, string | undefined>();
  const queue: Waiting[] = [];
  const maxOfFirm = Math.ceil((max * 2) / 3);
  const withinMilliseconds = deadlines().reserve;
  let closed = false;

  const mayTake = (of: string | undefined) =>
    !of || [...reserved.values()].filter((one) => one === of).length < maxOfFirm;

  const serve = () => {
    while (queue.length > 0 && reserved.size < max) {
      const next = queue.findIndex(({ of }) => mayTake(of));
      if (next < 0) return;
      const connection = choose();
      const [waiting] = queue.splice(next, 1);
      reserved.set(connection, waiting?.of);
      waiting?.give(connection);
    }
  };

  return {
    has: (connection) => reserved.has(connection),
    taken: () => reserved.size,
    waiting: () => queue.length,
    reserve(of) {
      if (closed) return Promise.reject(unavailable());
      const until = performance.now() + withinMilliseconds;
      return new Promise((give, refuse) => {
        queue.push({ of, give, refuse, until });
        serve();
      });
    },
    release(connection) {
      reserved.delete(connection);
      serve();
    },
    refuseLate() {
      while (queue[0] && queue[0].until < performance.now()) queue.shift()?.refuse(unavailable());
    },
    close() {
      closed = true;
      for (const { refuse } of queue.splice(0)) refuse(unavailable());
    },
  };
};
