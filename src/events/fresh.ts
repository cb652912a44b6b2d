import { onCommitted } from '../audit/committed.ts';
import { chainOf, sealFirm, signFirms } from '../audit/on-demand.ts';
import type { InstallationKey } from '../base/installation-key.ts';
import { describeError, log } from '../base/log.ts';
import type { Database } from '../postgres/pool.ts';
import { cursorAfter, placeOf, type Reads } from './cursor.ts';
import { openWindows } from './read.ts';

/** How many requests may wait at once on this server, of one key and of one firm. */
export const maxWaiting = { ofKey: 5, ofFirm: 50 };

/** A firm's log is looked at no more often than this, however much happens. */
const restMilliseconds = 400;
/** What is stored at the same moment is sealed together. */
const gatherMilliseconds = 25;
/** A chain's end is signed as often as the sealer's timer would. */
const signMilliseconds = 5_000;
const maxFirms = 1_000;
/** Who follows sends one of the last ends of the log: it need not be looked up. */
const maxEnds = 20;

type Place = { keyId: string; wake: () => void };

type Firm = {
  lookedAt: number;
  looking: Promise<void> | undefined;
  /** The last seal of its chain when it was looked at. */
  last: bigint;
  /** Whether entries were stored then that could not be sealed yet. */
  isBehind: boolean;
  /** Its cursor. */
  end: string;
  /** The places of the cursors that were last its end. */
  ends: Map<string, bigint>;
  waiting: Set<Place>;
  timer: Timer | undefined;
};

/**
 * The ends of the audit logs, as fresh as those who read them need. Nothing happens unless somebody
 * asks: then what is new is sealed at once instead of by the timer. While requests wait, one look
 * every 400 ms at each of their firms serves all of them, whichever server stored something. A commit
 * of this server brings the next look forward. Nobody who waits holds a connection to the database.
 */
export const openFresh = (
  database: Database,
  keyOf: () => InstallationKey | undefined = () => undefined,
) => {
  const firms = new Map<string, Firm>();
  const unsigned = new Set<string>();
  let signing: Timer | undefined;
  let isClosed = false;

  const firmOf = (firmId: string): Firm => {
    const found = firms.get(firmId);
    if (found) return found;
    if (firms.size >= maxFirms) forgetIdle();
    const made: Firm = {
      lookedAt: Number.NEGATIVE_INFINITY,
      looking: undefined,
      last: 0n,
      isBehind: false,
      end: '',
      ends: new Map(),
      waiting: new Set(),
      timer: undefined,
    };
    firms.set(firmId, made);
    return made;
  };

  const forgetIdle = () => {
    for (const [id, { waiting, looking }] of firms) {
      if (waiting.size === 0 && !looking) firms.delete(id);
    }
  };

  const look = (firmId: string, firm: Firm): Promise<void> => {
    firm.looking ??= lookAnew(firmId, firm).finally(() => {
      firm.looking = undefined;
    });
    return firm.looking;
  };

  const lookAnew = async (firmId: string, firm: Firm) => {
    firm.lookedAt = performance.now();
    let { last, behind } = await chainOf(database, firmId);
    if (behind === 'new' && (await sealFirm(database, firmId))) {
      signLater(firmId);
      ({ last, behind } = await chainOf(database, firmId));
    }
    firm.isBehind = behind !== null;
    if (firm.end && last <= firm.last) return;
    firm.end = await cursorAfter({ ...database, firmId }, last);
    firm.last = last;
    firm.ends.set(firm.end, last);
    const [oldest] = firm.ends.keys();
    if (oldest !== undefined && firm.ends.size > maxEnds) firm.ends.delete(oldest);
    for (const { wake } of firm.waiting) wake();
  };

  const signLater = (firmId: string) => {
    unsigned.add(firmId);
    signing ??= setTimeout(sign, signMilliseconds);
  };

  const sign = async () => {
    signing = undefined;
    const all = [...unsigned];
    unsigned.clear();
    try {
      for (const left of await signFirms(database, all, keyOf())) signLater(left);
    } catch (error) {
      log('warn', 'ends of the audit log not signed', describeError(error));
      for (const one of all) signLater(one);
    }
  };

  /** Looks again after a while, as long as somebody waits. */
  const lookLater = (firmId: string, firm: Firm, milliseconds: number) => {
    if (firm.timer || isClosed) return;
    firm.timer = setTimeout(async () => {
      firm.timer = undefined;
      if (firm.waiting.size === 0) return;
      // The database may be away: the next look reports what happened in the meantime.
      await look(firmId, firm).catch(() => {});
      if (firm.waiting.size > 0) lookLater(firmId, firm, restMilliseconds);
    }, milliseconds);
  };

  const hearCommit = (firmId: string) => {
    const firm = firms.get(firmId);
    if (!firm || firm.waiting.size === 0) return;
    const rest = restMilliseconds - (performance.now() - firm.lookedAt);
    clearTimeout(firm.timer);
    firm.timer = undefined;
    lookLater(firmId, firm, Math.max(gatherMilliseconds, rest));
  };
  const hearNoMore = onCommitted(hearCommit);

  return {
    /** The last seal of the firm's chain, which contains what was committed so long ago; 400 ms by default. */
    async lastOf(firmId: string, milliseconds = restMilliseconds): Promise<bigint> {
      const firm = firmOf(firmId);
      const since = performance.now() - milliseconds;
      if (firm.looking) await firm.looking;
      if (firm.lookedAt < since || firm.isBehind) await look(firmId, firm);
      return firm.last;
    },

    /** Whether something was stored at the last look that could not be sealed yet: an older transaction goes on. */
    isBehind: (firmId: string) => firmOf(firmId).isBehind,

    /** Reads the log for several at once (`readEvents`). */
    windows: openWindows(database),

    /** As `placeOf` and `cursorAfter` say. */
    placeOf: async (reader: Reads, cursor: string): Promise<bigint> =>
      firmOf(reader.firmId).ends.get(cursor) ?? placeOf(reader, cursor),
    cursorAfter: async (reader: Reads, number: bigint): Promise<string> => {
      const { last, end } = firmOf(reader.firmId);
      return end && number === last ? end : cursorAfter(reader, number);
    },

    /**
     * A place to wait for what comes next; undefined if the key or the firm has too many, or this
     * server stops. `woken` resolves with the next seal after `take`, or when this server stops.
     */
    take(firmId: string, keyId: string) {
      const firm = firmOf(firmId);
      const ofKey = [...firm.waiting].filter((one) => one.keyId === keyId).length;
      const isFull = firm.waiting.size >= maxWaiting.ofFirm || ofKey >= maxWaiting.ofKey;
      if (isFull || isClosed) return undefined;
      let woken = Promise.withResolvers<void>();
      const place: Place = { keyId, wake: () => woken.resolve() };
      firm.waiting.add(place);
      lookLater(firmId, firm, restMilliseconds);
      return {
        woken: () => woken.promise,
        /** Waits anew. */
        again: () => {
          if (!isClosed) woken = Promise.withResolvers<void>();
        },
        leave: () => void firm.waiting.delete(place),
      };
    },

    isClosed: () => isClosed,

    /** Lets all who wait be answered, and nobody wait any more. */
    close() {
      isClosed = true;
      hearNoMore();
      for (const { waiting, timer } of firms.values()) {
        clearTimeout(timer);
        for (const { wake } of waiting) wake();
      }
    },

    /** Signs what is not signed yet. The database is still there. */
    async end() {
      clearTimeout(signing);
      if (unsigned.size > 0) await sign();
      clearTimeout(signing);
    },
  };
};

export type Fresh = ReturnType<typeof openFresh>;
