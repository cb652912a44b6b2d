import { Refusal } from './refusal.ts';

/** So many at work at once, so many more in line, and so long in line at most. */
type Turns = { atOnce: number; inLine: number; patienceMilliseconds: number };

/**
 * Lets a few do at once what is dear, in the order they came; the others wait their turn. Throws
 * `Refusal` rate_limited where the line is full or does not move on.
 */
export const openTurns = ({ atOnce, inLine, patienceMilliseconds }: Turns) => {
  const line = new Set<() => void>();
  let atWork = 0;

  const waitInLine = () =>
    new Promise<void>((resolve, reject) => {
      if (line.size >= inLine) throw comeLater();
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.delete(begin);
        reject(comeLater());
      }, patienceMilliseconds);
      line.add(begin);
    });

  /** Waits for a turn and gives what ends it. */
  const take = async (): Promise<() => void> => {
    if (atWork < atOnce) atWork += 1;
    else await waitInLine();
    return () => {
      const [next] = line;
      if (next) {
        line.delete(next);
        next();
      } else {
        atWork -= 1;
      }
    };
  };

  /** Does work in a turn. */
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const end = await take();
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
