import { Refusal } from './refusal.ts';

/**
 * So many at work at once, so many of them of one owner; so many more of one owner in line, and so
 * long in line at most.
 */
type Turns = { atOnce: number; ofOne: number; inLine: number; patienceMilliseconds: number };

type Waiting = { of: string; begin: () => void };

/**
 * Lets a few do at once what is dear, in the order they came; the others wait their turn. A turn is
 * `of` an owner, such as a firm: while one owner has all the turns that it may have, those of others
 * go before it. Throws `Refusal` rate_limited where an owner's line is full or does not move on.
 */
export const openTurns = ({ atOnce, ofOne, inLine, patienceMilliseconds }: Turns) => {
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
      if (before >= inLine) throw comeLater();
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

  /** Waits for a turn and gives what ends it. */
  const take = async (of: string): Promise<() => void> => {
    if (mayBegin(of)) count(of, 1);
    else await waitInLine(of);
    return () => {
      count(of, -1);
      serveLine();
    };
  };

  /** Does work in a turn. */
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
