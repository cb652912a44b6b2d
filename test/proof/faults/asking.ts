/** How a client asks that goes on through failures, and what it writes down about the answers. */
import type { Answer } from '../../support/firm.ts';

export type Asked = {
  /** What went wrong in the answers, one line each; empty when every answer kept the contract. */
  broken: string[];
  /** How many answers came with each status. */
  statuses: Map<number, number>;
  /** How many requests lost their connection, and how many were not answered in time. */
  counts: { dropped: number; hung: number };
  /** The longest that a request took to settle. */
  slowestMilliseconds(): number;
  /** Asks once; undefined if it should be asked again. `mayBeGone`: 404 is an answer too. */
  ask(
    request: () => Promise<Answer>,
    isRepeat: boolean,
    mayBeGone?: boolean,
  ): Promise<Answer | undefined>;
};

const settleWithinMilliseconds = 10_000;

/** Opens the notes of clients. `mayDrop`: whether a server may be gone when it is asked. */
export const openAsked = ({ mayDrop }: { mayDrop: boolean }): Asked => {
  const broken: string[] = [];
  const statuses = new Map<number, number>();
  const counts = { dropped: 0, hung: 0 };
  let slowest = 0;

  const settle = async (request: () => Promise<Answer>) => {
    const since = performance.now();
    const answer = await Promise.race([
      request().catch((error) => error as Error & { code?: unknown }),
      Bun.sleep(settleWithinMilliseconds).then(() => 'no answer in time' as const),
    ]);
    slowest = Math.max(slowest, performance.now() - since);
    return answer;
  };

  const ask: Asked['ask'] = async (request, isRepeat, mayBeGone = false) => {
    const answer = await settle(request);
    const isLost = answer instanceof Error && typeof answer.code === 'string';
    if (isLost) counts.dropped += 1;
    if (answer === 'no answer in time') counts.hung += 1;
    if (typeof answer === 'string' || answer instanceof Error) {
      if (!isLost || !mayDrop) broken.push(String(answer));
      else await Bun.sleep(10);
      return undefined;
    }
    const { status, body, headers } = answer;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status < 300 || (status === 404 && mayBeGone)) return answer;
    // A repeat may meet its first attempt, which Postgres does not know to be given up.
    const isHonest =
      (status === 503 && body?.error?.code === 'unavailable' && headers.has('retry-after')) ||
      (status === 409 && body?.error?.code === 'conflict' && isRepeat);
    if (!isHonest) broken.push(`${status} ${JSON.stringify(body)}`);
    // A real one waits for Retry-After; these are to find the moment when things are well again.
    await Bun.sleep(20 + Math.random() * 60);
    return undefined;
  };
  return { broken, statuses, counts, slowestMilliseconds: () => Math.round(slowest), ask };
};
