import { Refusal } from './refusal.ts';

/**
 * How many work at once, how many of them for one owner, how many of one owner may queue, how long
 * they wait, and how many may queue in all, where owners cost nothing.
 */
type Turns = {
  atOnce: number;
  ofOne: number;
  inLine: number;
  patienceMilliseconds: number;
  inAll?: number;
};

type Waiting = { of: string; begin: () => void };

/**
 * Limits how many do expensive work at once, first come, first served. Each turn belongs to an
 * owner, for example a firm. While one owner has all the turns it may have, others go first. Throws
 * `Refusal` rate_limited if an owner's queue is full, or does not move.
 */
export const openTurns = ({
  atOnce,
  ofOne,
  inLine,
  patienceMilliseconds,
  inAll = Number.POSITIVE_INFINITY,
}: Turns) => {
  const line = new Set<Waiting>();
  const atWork = new Map<string, number>();
  let total = 0;

  const mayBegin = (of: string) => total < atOnce && (atWork.get(of) ?? 0) < ofOne;

  const count = (of: string, change: 1 | -1) => {
    total += change;
    const ofThis = (atWork.get(of) ?? 0) + change;
    if (ofThis > 0) atWork.set(of, ofThis);
    else atWork.delete(of);
  };

  const waitInLine = (of: string) =>
    new Promise<void>((resolve, reject) => {
      const before = [...line].filter((waiting) => waiting.of === of).length;
      if (before >= inLine || line.size >= inAll) throw comeLater();
      const begin = () => {
        clearTimeout(timer);
        line.delete(waiting);
        resolve();
      };
      const waiting = { of, begin };
      const timer = setTimeout(() => {
        line.delete(waiting);
        reject(comeLater());
      }, patienceMilliseconds);
      line.add(waiting);
    });

  const serveLine = () => {
    for (const { of, begin } of line) {
      if (!mayBegin(of)) continue;
      count(of, 1);
      begin();
    }
  };

  /** Waits for a turn. Returns the function that ends it. */
  const take = async (of: string): Promise<() => void> => {
    if (mayBegin(of)) count(of, 1);
    else await waitInLine(of);
    return () => {
      count(of, -1);
      serveLine();
    };
  };

  /** Does work during a turn. */
  const inTurn = async <Result>(of: string, work: () => Promise<Result>): Promise<Result> => {
    const end = await take(of);
    try {
      return await work();
    } finally {
      end();
    }
  };
  return { take, inTurn };
};

const comeLater = () =>
  new Refusal('rate_limited', 'Too many such requests at once. Wait 1 second and try again.', {
    'retry-after': '1',
  });
