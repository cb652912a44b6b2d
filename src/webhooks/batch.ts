/** One batch of messages to one endpoint: what is due, sent in the order of each record. */
import type { Event } from '../events/wire.ts';
import type { Answered } from './post.ts';

/** A message that is to be sent, and what it is told by. */
export type Message = {
  /** The seal of the audit log that it tells of. */
  seal: bigint;
  recordId: string;
  event: Event;
  /** How often it was tried before. */
  tries: number;
  /** Whether it waits in the database already. */
  isWaiting: boolean;
};

/** What came of the messages of a batch. */
export type Outcome = { tried: { message: Message; answered: Answered }[]; left: Message[] };

/** So many messages about different records are on their way at once. */
const atOnce = 4;
/** A batch begins no more tries after so long. */
const batchMilliseconds = 20_000;

/** Seconds from one try of a message to the next. The first is made at once. */
export const pausesSeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, 86_400, 86_400];

/** A message is tried no more often than this. */
export const maxTries = pausesSeconds.length + 1;

/** Whether nothing more of this message is tried. */
export const hasEnded = ({ tries }: Message, { failure }: Answered) =>
  failure === null || failure === 'aborted' || tries + 1 >= maxTries;

/** Whether the receiver took it, or said that it wants none of it: it is well. */
export const isWell = ({ failure }: Answered) => failure === null || failure === 'aborted';

/**
 * Sends messages, those about one record one after the other. What fails holds up its own record alone, as long as others
 * arrive. When something failed and nothing has arrived, when as many in a row fail as are on their way at once, when the
 * receiver wants to be left alone, or when `isOver`, nothing more is begun: what is `left` waits.
 */
export const sendBatch = async (
  messages: readonly Message[],
  sendOne: (message: Message) => Promise<Answered>,
  isOver: () => boolean,
): Promise<Outcome> => {
  const tried: Outcome['tried'] = [];
  const lines = [...Map.groupBy(messages, ({ recordId }) => recordId).values()];
  const until = performance.now() + batchMilliseconds;
  let hasArrived = false;
  let failedInRow = 0;
  let isUnwanted = false;
  const isFailing = () => failedInRow > 0 && (!hasArrived || failedInRow >= atOnce);
  const mayBegin = () => !isUnwanted && !isFailing() && !isOver() && performance.now() < until;
  const sendLines = async () => {
    for (let line = lines.shift(); line; line = lines.shift()) {
      for (const message of line) {
        if (!mayBegin()) return;
        const answered = await sendOne(message);
        tried.push({ message, answered });
        isUnwanted ||= answered.status === 410 || answered.retryAfterSeconds !== null;
        if (isWell(answered)) {
          hasArrived = true;
          failedInRow = 0;
        } else {
          failedInRow += 1;
          break;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendLines));
  const begun = new Set(tried.map(({ message }) => message));
  return { tried, left: messages.filter((message) => !begun.has(message)) };
};
