/**
 * Sends to endpoints, outside of all transactions and requests. A job of each endpoint says when (`jobs.ts`), and takes the
 * endpoint's turn for one server. The log is read from the endpoint's own cursor, and what came of a batch is kept in one
 * transaction: if the server ends before it, another sends the same batch again when the turn is over.
 */
import { newId } from '../base/columns.ts';
import { describeError, log } from '../base/log.ts';
import type { Fresh } from '../events/fresh.ts';
import type { Interest } from '../events/read.ts';
import { readEvents } from '../events/read.ts';
import { mayUse, type Permission } from '../firm/permissions.ts';
import type { Database, Transaction } from '../postgres/pool.ts';
import type { Reader } from '../record/actor.ts';
import { writeWithin } from '../record/write.ts';
import { hasEnded, isWell, type Message, type Outcome, pausesSeconds, sendBatch } from './batch.ts';
import { resumeByServer, stopByServer, type Webhooks, webhookPermission } from './endpoint.ts';
import {
  advance,
  dropMessages,
  endTurn,
  keepMessages,
  keepTries,
  keepTurn,
  maxWaiting,
  type Outgoing,
  outgoing,
  type Tried,
  type Turn,
  turnSeconds,
  waiting,
} from './outgoing.ts';
import { type Answered, post } from './post.ts';
import { openSecret, signedHeaders } from './secret.ts';
import { holdJob, sendAt } from './sending.ts';
import { type StopReason, tellStopped } from './told.ts';

/** How many endpoints a server sends to at once, and how many of those that fail. */
export const maxAtOnce = { all: 256, failing: 64 };

const batchSize = 20;
// Then the turn ends, so that others with much to send have theirs.
const maxBatches = 30;
/** An endpoint that was just made is looked at again after so long: then its own entry is sealed. */
const unsealedMilliseconds = 450;
/** A turn after a failure begins no sooner. */
const restSeconds = 5;
/** A receiver may take longer than a turn lasts by itself. */
const keepsMilliseconds = (turnSeconds * 1_000) / 4;

export const openSender = (
  database: Database,
  webhooks: Webhooks,
  fresh: Pick<Fresh, 'lastOf' | 'windows'>,
) => {
  const underWay = new Set<Promise<void>>();
  const atOnce = { all: 0, failing: 0 };
  let isClosed = false;

  const begin = (turn: Turn, isFailing: boolean) => {
    atOnce.all += 1;
    if (isFailing) atOnce.failing += 1;
    // The database may be away: then the turn ends.
    const keeps = setInterval(
      () => database.run(keepTurn, turn).catch(() => {}),
      keepsMilliseconds,
    );
    const sending = takeTurns(turn)
      // The turn ends by itself, and then another server sends the same again.
      .catch((error) => log('warn', 'webhook not sent', describeError(error)))
      .finally(() => {
        clearInterval(keeps);
        atOnce.all -= 1;
        if (isFailing) atOnce.failing -= 1;
        underWay.delete(sending);
      });
    underWay.add(sending);
  };

  const takeTurns = async (turn: Turn) => {
    let rest = 0;
    let wasRefused = false;
    for (let batch = 0; batch < maxBatches && !isClosed; batch += 1) {
      const went = await sendNext(turn);
      if (went === 'on' || (went === 'refused' && !wasRefused)) {
        wasRefused = went === 'refused';
        continue;
      }
      rest = went === 'idle' ? 0 : restSeconds;
      break;
    }
    await database.transaction(
      async (transaction) => {
        // Before the turn's end is seen, so that whoever calls the job meanwhile has the last word.
        await holdJob(transaction, turn);
        const ended = await transaction.first(endTurn, { ...turn, restSeconds: rest });
        if (ended) sendAt(transaction, turn, ended.dueAt);
      },
      { of: turn.firmId },
    );
  };

  /**
   * One batch. Says whether there may be more, nothing is due, or nothing arrived: it was `refused` by a receiver that
   * answers and may take what is about another record, or `failed` without an answer.
   */
  const sendNext = async (turn: Turn): Promise<'on' | 'idle' | 'refused' | 'failed'> => {
    const to = await database.first(outgoing, turn);
    if (!to || to.heldSeconds > 0) return 'idle';
    const may = (one: Permission) => to.isActive && (to.holdsAll || to.permissions.includes(one));
    if (!may(webhookPermission)) return stop(turn, to, 'MEMBER');
    const secrets = await secretsOf(turn, to);
    if (!secrets) return stop(turn, to, 'SECRET');
    const last = await fresh.lastOf(turn.firmId);
    if (to.cursor === null) {
      // Its own entry is not sealed yet. What happens next must not wait for the job that looks.
      await Bun.sleep(unsealedMilliseconds);
      return 'on';
    }
    const isProbe = to.status === 'PAUSED';
    const limit = to.isFailing || isProbe ? 1 : batchSize;
    const found = await nextMessages(
      { ...to, cursor: BigInt(to.cursor), may },
      turn,
      last,
      limit,
      isProbe,
    );
    const isNothing = found.due.length === 0 && found.end === BigInt(to.cursor);
    if (isNothing && found.gone.length === 0 && found.behind.length === 0) return 'idle';
    const outcome = await sendBatch(
      found.due,
      (message) => sendOne(to.url, secrets, message),
      () => isClosed,
    );
    const kept = await keep(turn, to, found, outcome);
    if (!kept || isClosed) return 'idle';
    const hasArrived = outcome.tried.some(({ answered }) => isWell(answered));
    if (outcome.tried.some(({ answered }) => answered.status === 410))
      return stop(turn, to, 'GONE');
    if (isProbe && hasArrived) await resume(turn);
    else if (!isProbe && kept.hasFailedLong) return stop(turn, to, 'FAILING');
    if (hasArrived || outcome.tried.length === 0) return 'on';
    const hasAnswer = outcome.tried.some(({ answered }) => answered.status !== null);
    return hasAnswer && !isProbe ? 'refused' : 'failed';
  };

  const secretsOf = async (turn: Turn, { secret, formerSecret }: Outgoing) => {
    const seals = webhooks.seals();
    const current = await openSecret(seals, secret, turn);
    const former = formerSecret === null ? undefined : await openSecret(seals, formerSecret, turn);
    return current === undefined ? undefined : [current, ...(former ? [former] : [])];
  };

  const sendOne = (url: string, secrets: readonly string[], { event }: Message) => {
    const body = JSON.stringify(event);
    const headers = signedHeaders({ id: event.id, body, at: new Date() }, secrets);
    return post(webhooks.reach, { url, headers, body });
  };

  type Sight = Pick<Outgoing, 'types' | 'resources' | 'memberId' | 'holdsAll'> & {
    cursor: bigint;
    may: (permission: Permission) => boolean;
  };

  /**
   * What is due, and how far the log was read for it. New messages about a record that waits are `behind`; those that
   * the member may not see any more are `gone`.
   */
  const nextMessages = async (
    to: Sight,
    { firmId, endpointId }: Turn,
    last: bigint,
    limit: number,
    isProbe: boolean,
  ) => {
    const interest = interestOf(to);
    const reader: Reader = {
      ...{ run: database.run, first: database.first, firmId },
      ...{ memberId: to.memberId, seesPrivate: to.holdsAll },
    };
    const stored = await database.run(waiting, { firmId, endpointId });
    const waits = new Set(stored.map(({ recordId }) => recordId));
    const lines = [...Map.groupBy(stored, ({ recordId }) => recordId).values()];
    // A record whose message was tried less often goes first: it may be another's fault that nothing arrives.
    const dueLines = lines
      .filter(([head]) => head?.isDue || isProbe)
      .toSorted(([one], [other]) => (one?.tries ?? 0) - (other?.tries ?? 0));
    const chosen = dueLines.flat().slice(0, limit);
    const due: Message[] = [];
    const gone: bigint[] = [];
    for (const { seal, recordId, tries } of chosen) {
      const at = BigInt(seal);
      const range = { after: at - 1n, last: at, limit: 1 };
      const [event] = (await readEvents(fresh.windows, reader, interest, range)).events;
      if (event) due.push({ seal: at, recordId, event, tries, isWaiting: true });
      else gone.push(at);
    }
    const behind: Message[] = [];
    let end = to.cursor;
    const room = Math.min(limit - due.length, maxWaiting - stored.length);
    if (room > 0 && end < last) {
      const part = await readEvents(fresh.windows, reader, interest, {
        after: end,
        last,
        limit: room,
      });
      end = part.end;
      for (const [index, event] of part.events.entries()) {
        const recordId = event.data.id;
        const message = {
          seal: part.seals[index] as bigint,
          recordId,
          event,
          tries: 0,
          isWaiting: false,
        };
        (waits.has(recordId) ? behind : due).push(message);
      }
    }
    return { due, gone, behind, end };
  };

  const interestOf = ({ types, resources, may }: Sight): Interest =>
    webhooks.types.interestIn(
      types.includes('*') ? undefined : new Set(types),
      (resource) =>
        (resources === null || resources.includes(resource)) && mayUse(`${resource}:read`, may),
      may,
    );

  /** Keeps what came of a batch, all of it or nothing; undefined if it was no longer this server's turn. */
  const keep = (
    turn: Turn,
    to: Outgoing,
    found: Awaited<ReturnType<typeof nextMessages>>,
    { tried, left }: Outcome,
  ): Promise<{ hasFailedLong: boolean } | undefined> =>
    database.transaction(
      async (transaction) => {
        // What is told again says nothing of its health.
        const telling = tried.filter(({ message }) => message.seal > BigInt(to.replayUntil));
        const hasArrived = tried.some(({ answered }) => isWell(answered));
        const kept = await transaction.first(advance, {
          ...turn,
          cursor: String(found.end),
          hasArrived,
          hasFailed: telling.some(({ answered }) => !isWell(answered)),
          holdSeconds: Math.max(0, ...tried.map(({ answered }) => answered.retryAfterSeconds ?? 0)),
        });
        if (!kept) return undefined;
        keepMessagesOf(transaction, turn, to.status === 'PAUSED', found, { tried, left });
        return kept;
      },
      { of: turn.firmId },
    );

  const stop = async (turn: Turn, to: Outgoing, reason: StopReason): Promise<'idle'> => {
    await database.transaction((transaction) => stopWithin(transaction, turn, to, reason), {
      of: turn.firmId,
    });
    return 'idle';
  };

  const resume = ({ firmId, endpointId }: Turn) =>
    database.transaction(
      (transaction) =>
        writeWithin(transaction, asServer(firmId), (w) => resumeByServer(w, endpointId)),
      { of: firmId },
    );

  return {
    /** Whether there is room for one more endpoint. */
    hasRoom: (isFailing: boolean) =>
      !isClosed &&
      atOnce.all < maxAtOnce.all &&
      !(isFailing && atOnce.failing >= maxAtOnce.failing),
    /** Sends to an endpoint until nothing is due. Nobody waits for it. */
    begin,
    /** Begins no more tries. Those under way are waited for by `end`. */
    close() {
      isClosed = true;
    },
    end: async () => {
      await Promise.race([Promise.all(underWay), Bun.sleep(endMilliseconds)]);
    },
  };
};

export type Sender = ReturnType<typeof openSender>;

const endMilliseconds = 3_000;

/** The messages that have ended are removed; the others wait. A probe is not counted as a try of its message. */
const keepMessagesOf = (
  transaction: Transaction,
  turn: Turn,
  isProbe: boolean,
  { gone, behind }: { gone: bigint[]; behind: Message[] },
  { tried, left }: Outcome,
) => {
  const ended = tried.filter(({ message, answered }) => hasEnded(message, answered));
  const seals = [
    ...gone,
    ...ended.filter(({ message }) => message.isWaiting).map(({ message }) => message.seal),
  ];
  if (seals.length > 0) void transaction.run(dropMessages, { ...turn, seals: seals.map(String) });
  const waits = (message: Message, tries: number, seconds: number) => ({
    seal: String(message.seal),
    recordId: message.recordId,
    tries,
    seconds,
  });
  const messages = [
    ...tried
      .filter(({ message, answered }) => !hasEnded(message, answered))
      .map(({ message }) => {
        const tries = message.tries + (isProbe ? 0 : 1);
        return waits(message, tries, pausesSeconds[Math.max(0, tries - 1)] ?? 0);
      }),
    ...[...left, ...behind].filter(({ isWaiting }) => !isWaiting).map((one) => waits(one, 0, 0)),
  ];
  if (messages.length > 0) {
    void transaction.run(keepMessages, { ...turn, messages: JSON.stringify(messages) });
  }
  if (tried.length === 0) return;
  const rows = tried.map(({ message, answered }) => triedAs(message, answered));
  void transaction.run(keepTries, { ...turn, tried: JSON.stringify(rows) });
};

const triedAs = (message: Message, answered: Answered): Tried => ({
  id: newId(),
  messageId: message.event.id,
  type: message.event.type,
  recordId: message.recordId,
  answer: answered.status,
  failure: answered.failure,
  milliseconds: answered.milliseconds,
  tryNumber: message.tries + 1,
  isLast: hasEnded(message, answered),
});

/** A change that the server makes by itself. */
const asServer = (firmId: string) => ({
  firmId,
  memberId: null,
  seesPrivate: true,
  keyId: null,
  requestId: newId(),
});

const stopWithin = (
  transaction: Transaction,
  { firmId, endpointId }: Turn,
  { memberId }: Outgoing,
  reason: StopReason,
) =>
  writeWithin(transaction, asServer(firmId), async (w) => {
    const at = await stopByServer(w, endpointId, reason);
    if (at) void tellStopped(transaction, { firmId, endpointId, memberId, reason }, at);
  });
