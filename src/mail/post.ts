/**
 * Sends the queued mails. A job finds them; each is then sent outside of any transaction, so that a mail
 * server that is slow, or does not answer, holds no connection to the database and keeps no other job
 * waiting.
 */

import { describeError, log } from '../base/log.ts';
import type { MailAccount } from '../base/mail-settings.ts';
import { Refusal } from '../base/refusal.ts';
import type { Seals } from '../base/seal.ts';
import type { JobKind } from '../jobs/kind.ts';
import type { Runs } from '../postgres/pool.ts';
import { accountOf, keepRefreshToken } from './account.ts';
import { eventToPost, letterOfEvent } from './event.ts';
import { letterOf, letterOfLink, letterOfMorning } from './letter.ts';
import { linkToPost } from './link.ts';
import { datesOfMorning, noticesOfMorning } from './morning.ts';
import {
  beginTry,
  contentOf,
  endMail,
  failDue,
  failTry,
  firmsWithMail,
  putOffMails,
  type Tried,
  untilNextMail,
} from './queue.ts';
import { type Letter, sendLetter } from './transport.ts';

/** What mails are sent with. */
export type Sending = {
  database: Runs;
  /** The mail server of firms without one of their own. */
  account: MailAccount | undefined;
  publicUrl: string | undefined;
  seals: Seals;
};

export type Post = {
  /** The job that finds what is to be sent. */
  job: JobKind;
  /** Begins no more mails. Resolves when those under way have ended, or will not in time. */
  stop(): Promise<void>;
};

const restSeconds = 30;
// A mail server that does not answer holds its firm's place for most of a minute.
const firmsAtOnce = 32;
const mailsAtOnce = 2;
// So long after the mail server could not be reached, by the database's clock, the next mail is tried.
const pauseMilliseconds = 60_000;
const stopMilliseconds = 10_000;

/** Sends mails until it is stopped. Any number of instances may share a database. */
export const openPost = (sending: Sending): Post => {
  const lanes = new Map<string, Promise<void>>();
  const paused = new Map<string, number>();
  let isStopping = false;
  let looking: Promise<void> | undefined;

  const look = async () => {
    for (const { firmId, now } of await sending.database.run(firmsWithMail)) {
      if (isStopping || lanes.size >= firmsAtOnce) return;
      if (lanes.has(firmId) || (paused.get(firmId) ?? 0) > now) continue;
      lanes.set(firmId, serve(firmId, now));
    }
  };

  const begin = () => {
    if (isStopping) return;
    looking ??= look()
      .catch(say)
      .finally(() => {
        looking = undefined;
      });
  };

  /** Sends what is due of a firm, until the mail server cannot be reached. */
  const serve = async (firmId: string, now: number) => {
    let isReached = true;
    paused.delete(firmId);
    const pause = () => {
      isReached = false;
      paused.set(firmId, now + pauseMilliseconds);
    };
    await sendAll(sending, firmId, () => isReached && !isStopping, pause).catch((error) => {
      say(error);
      pause();
    });
    lanes.delete(firmId);
    // Firms that found no lane.
    if (lanes.size === firmsAtOnce - 1) begin();
  };

  const job: JobKind = {
    kind: 'send_mails',
    everySeconds: 5,
    restSeconds,
    async work(_, transaction, again) {
      const next = await transaction.run(untilNextMail);
      const waits = next.flatMap(({ seconds }) => (seconds === null ? [] : Number(seconds)));
      const wait = Math.min(restSeconds, ...waits);
      if (wait <= 0) transaction.afterCommit(begin);
      else again(wait === restSeconds ? restSeconds : Math.ceil(wait));
    },
  };

  return {
    job,
    async stop() {
      isStopping = true;
      await Promise.race([Promise.all([looking, ...lanes.values()]), Bun.sleep(stopMilliseconds)]);
    },
  };
};

const say = (error: unknown) => log('warn', 'mails wait', describeError(error));

/** Sends the firm's due mails, a few at a time, while `isOpen`. */
const sendAll = async (
  sending: Sending,
  firmId: string,
  isOpen: () => boolean,
  pause: () => void,
): Promise<void> => {
  const { database, seals } = sending;
  const account = await accountOf(database, firmId, sending.account, seals);
  if (!account || account === 'lost') {
    await database.run(putOffMails, { firmId });
    return;
  }
  const domain = account.from.slice(account.from.lastIndexOf('@') + 1);
  const work = async () => {
    while (isOpen()) {
      const [tried] = await database.run(beginTry, { firmId, domain });
      if (!tried) return;
      if (!(await sendOne(sending, firmId, account, tried))) pause();
    }
  };
  await Promise.all(Array.from({ length: mailsAtOnce }, work));
};

/** Tries one mail, and stores how that ended. Says whether the mail server could be reached. */
const sendOne = async (
  sending: Sending,
  firmId: string,
  account: MailAccount,
  { id, messageId, isAgain, isOld }: Tried,
): Promise<boolean> => {
  const { database, seals } = sending;
  const end = { firmId, id, address: null, code: null };
  const written = await writtenOf(sending, firmId, id, account.from).catch((error: unknown) => {
    // The database is away: nothing was tried.
    if (error instanceof Refusal) throw error;
    log('error', 'mail not written', { firmId, mail: id, ...describeError(error) });
    return 'unwritable' as const;
  });
  if (written === 'unwritable') {
    // The firm's other mails do not wait for it.
    await database.run(failTry, { ...end, words: 'The mail could not be written.' });
    return true;
  }
  if (!written) {
    await database.run(endMail, { ...end, state: 'withdrawn', words: null });
    return true;
  }
  if (isOld) {
    const words = 'The mail could not be sent for two days.';
    await database.run(endMail, { ...end, state: 'given_up', words });
    return true;
  }
  // The mail server may have taken it at the earlier try.
  if (isAgain) log('warn', 'mail again', { firmId, mail: id });
  const letter = { ...written, messageId };
  const { outcome, code, words } = await sendLetter(account, letter, {
    renewed: (refreshToken) => keepRefreshToken(database, firmId, seals, refreshToken),
  });
  log(outcome === 'accepted' ? 'info' : 'warn', 'mail', { firmId, mail: id, outcome, code });
  const told = { firmId, id, address: letter.to, code, words };
  if (outcome === 'accepted' || outcome === 'refused') {
    await database.run(endMail, { ...told, state: outcome });
    return true;
  }
  await database.run(failTry, { ...told, address: outcome === 'later' ? letter.to : null });
  if (outcome === 'later') return true;
  await database.run(failDue, { firmId, code, words });
  return false;
};

/** What a mail says now; undefined if its member may be told none of it any more. */
const writtenOf = async (
  { database, publicUrl, seals }: Sending,
  firmId: string,
  id: string,
  from: string,
): Promise<Letter | undefined> => {
  const [content] = await database.run(contentOf, { firmId, id });
  if (content) {
    return content.mayBeTold ? letterOf(content, content.address, publicUrl) : undefined;
  }
  const link = await linkToPost(database, firmId, id, seals);
  if (link) {
    if (!publicUrl) return undefined;
    return letterOfLink(link, link.address, `${publicUrl}/welcome/${link.token}`);
  }
  const [event] = await database.run(eventToPost, { firmId, id });
  if (event) return letterOfEvent(event, from, publicUrl);
  const notices = await database.run(noticesOfMorning, { firmId, id });
  const [dates] = await database.run(datesOfMorning, { firmId, id });
  const address = dates?.address ?? notices[0]?.address;
  return address === undefined ? undefined : letterOfMorning(notices, address, publicUrl, dates);
};
