import type { Context } from 'elysia';
import { describeError, log } from '../base/log.ts';
import { openTurns } from '../base/turns.ts';
import { callerOf } from '../http/caller.ts';

// Such an answer takes the memory of one heavy record and a few copies: about 100 MiB.
const turns = openTurns({ atOnce: 6, ofOne: 2, inLine: 20, patienceMilliseconds: 20_000 });
const takenWithinMilliseconds = 30_000;
const pieceLength = 256 * 1024;
// Garbage of this size is collected before more is read: left alone, the runtime collects late. It
// takes some tens of milliseconds, so it is not done for each record.
const collectEvery = 8 * 1024 * 1024;

type Texts = AsyncGenerator<string, void, undefined>;

/**
 * Answers with JSON that is too heavy to be in memory together with others of its kind. When its
 * turn comes, `begin` gives it bit by bit, or gives another answer. The next bit is made after the
 * client has taken the last one. If a bit fails, or the client takes nothing for 30 seconds, the
 * connection ends in the middle of the answer. Throws what `begin` throws, and `Refusal`
 * rate_limited if too many such answers of the caller's firm are under way.
 */
export const answerInPieces = async (
  request: Request,
  set: Context['set'],
  begin: () => Promise<Texts | Response>,
): Promise<Response> => {
  const endTurn = await turns.take(callerOf(request)?.firmId ?? '');
  const begun = await begin().catch((error) => {
    endTurn();
    throw error;
  });
  if (!(begun instanceof Response)) return stream(begun, set, endTurn);
  endTurn();
  return begun;
};

const stream = (texts: Texts, set: Context['set'], endTurn: () => void) => {
  const pieces = inPieces(texts);
  const encoder = new TextEncoder();
  let isOver = false;
  const finish = () => {
    clearTimeout(patience);
    if (isOver) return;
    isOver = true;
    endTurn();
    pieces.return().catch(() => {});
    Bun.gc(false);
  };
  let giveUp = finish;
  let patience = setTimeout(() => giveUp(), takenWithinMilliseconds);

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(patience);
        try {
          const { done, value } = await pieces.next();
          if (isOver) return;
          if (done) {
            finish();
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(value));
          giveUp = () => {
            finish();
            controller.error(new Error('The client does not take its answer.'));
          };
          patience = setTimeout(() => giveUp(), takenWithinMilliseconds);
        } catch (error) {
          finish();
          const requestId = set.headers['x-request-id'];
          log('warn', 'an answer broke off', { requestId, ...describeError(error) });
          controller.error(error);
        }
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  );
  const headers = {
    ...(set.headers as Record<string, string>),
    'content-type': 'application/json;charset=utf-8',
  };
  return new Response(body, { headers });
};

/** The same texts in pieces of limited length. No piece ends within a character. */
async function* inPieces(texts: Texts): Texts {
  let uncollected = 0;
  for await (const text of texts) {
    uncollected += text.length;
    if (uncollected > collectEvery) {
      Bun.gc(true);
      uncollected = 0;
    }
    for (let from = 0; from < text.length; ) {
      const end = from + pieceLength;
      const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
      yield text.slice(from, to);
      from = to;
    }
  }
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
