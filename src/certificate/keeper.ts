/** Keeps the installation's certificate: takes the first one, renews it, and has it shown. */
import { createPrivateKey } from 'node:crypto';
import type { Pair } from '../base/certificate.ts';
import type { Acme } from '../base/certificate-settings.ts';
import { describeError, log } from '../base/log.ts';
import type { Seals } from '../base/seal.ts';
import type { Runs } from '../postgres/pool.ts';
import { openAccount, readDirectory } from './directory.ts';
import { orderCertificate } from './order.ts';
import { type Refused, refusedOf, wordsOfRefused } from './refused.ts';
import { newKey, pemOf } from './request.ts';
import {
  accountKey,
  beginTry,
  endPause,
  keepCertified,
  keepRefused,
  publishAnswer,
  readCertificate,
  takeBackTry,
} from './stored.ts';

/** A loop that keeps a certificate. */
export type Keeper = {
  /** Ends the pause after a failed try, unless the directory has asked for it. */
  tryNow(): void;
  /** Resolves when nothing of a try is under way. */
  stop(): Promise<void>;
};

// How soon another instance's certificate is shown too.
const lookEveryMilliseconds = 10_000;
const waitEveryMilliseconds = 2_000;
// Shorter than what is stored for it (stored.ts).
const tryMilliseconds = 120_000;

/** What is kept: for which names, sealed by what, and what shows it. */
type Kept = {
  database: Runs;
  acme: Acme;
  seals: Seals;
  /** What is shown already, if it is a certificate from a directory. */
  shown: Pair | undefined;
  show: (pair: Pair) => void;
};

/**
 * Takes a certificate when there is none or it is to be renewed, and shows each new one, whichever
 * instance took it. Until then the one before is shown. Failed tries are repeated after growing
 * pauses.
 */
export const keepCertificate = ({ database, acme, seals, shown, show }: Kept): Keeper => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let wake = () => {};

  const look = async (): Promise<number> => {
    const found = await readCertificate(database, acme, seals);
    if (found && found.certificate !== shown?.certificate) {
      show(found);
      shown = found;
    }
    const tries = await beginTry(database, acme, found === undefined);
    if (tries === undefined) return found ? lookEveryMilliseconds : waitEveryMilliseconds;
    await tryOnce({ database, acme, seals }, tries, signal);
    return 0;
  };

  const loop = async () => {
    while (!signal.aborted) {
      const rest = await look().catch((error) => {
        if (!signal.aborted) log('warn', 'certificate waits', describeError(error));
        return lookEveryMilliseconds;
      });
      if (signal.aborted) break;
      const timer = Promise.withResolvers<void>();
      wake = timer.resolve;
      const due = setTimeout(wake, rest);
      await timer.promise;
      clearTimeout(due);
    }
  };
  const running = loop();
  return {
    tryNow: () =>
      void endPause(database, acme).then(
        () => wake(),
        (error) => log('warn', 'certificate waits', describeError(error)),
      ),
    async stop() {
      stopping.abort(new Error('The server stops.'));
      wake();
      await running;
    },
  };
};

/** One try: its end is stored, also if it fails. */
const tryOnce = async (
  { database, acme, seals }: Pick<Kept, 'database' | 'acme' | 'seals'>,
  tries: number,
  stopped: AbortSignal,
) => {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(tryMilliseconds)]);
  try {
    const pair = await take({ database, acme, seals }, signal);
    await keepCertified(database, acme, pair, seals);
    log('info', 'certificate taken', { names: acme.names, directory: acme.directory });
  } catch (error) {
    if (stopped.aborted) return takeBackTry(database, acme);
    const late: Refused = { kind: 'slow', detail: '' };
    const refused = refusedOf(error) ?? (signal.aborted ? late : undefined);
    if (!refused) log('error', 'certificate not taken', describeError(error));
    const stored = refused ?? { kind: 'other', detail: 'see the log for why' };
    const seconds = pauseSeconds(stored, tries);
    await keepRefused(database, acme, stored, seconds);
    const { what, do: todo } = wordsOfRefused(stored, acme);
    log('error', 'certificate refused', { message: `${what} ${todo}`, tries });
  }
};

const pauseMinutes = [1, 5, 15, 60, 180, 360];
// Nothing is spared by waiting longer for a network.
const longestAwaySeconds = 3_600;

/** How long to wait after so many tries without success. Let's Encrypt allows five failures an hour. */
const pauseSeconds = ({ kind }: Refused, tries: number) => {
  const seconds = 60 * (pauseMinutes[tries - 1] ?? pauseMinutes.at(-1) ?? 0);
  return kind === 'away' ? Math.min(seconds, longestAwaySeconds) : seconds;
};

const take = async (
  { database, acme, seals }: Pick<Kept, 'database' | 'acme' | 'seals'>,
  signal: AbortSignal,
): Promise<Pair> => {
  const make = async () => pemOf(await newKey());
  const pem = await accountKey(database, acme.directory, seals, make);
  const directory = await readDirectory(acme.directory, signal);
  const account = await openAccount(directory, createPrivateKey(pem), acme.email, signal);
  const key = await newKey();
  const publish = (token: string, answer: string) => publishAnswer(database, token, answer);
  const order = { names: acme.names, key, publish, signal };
  return {
    certificate: await orderCertificate(directory, account, order),
    key: await pemOf(key),
  };
};
