/** Servers of which one or another is killed at random moments, and started again. */
import { type Instance, startInstance } from './instances.ts';

/** Starts them. None is killed before there is work for them (`during`). */
export const startKilled = async (
  databaseUrl: string,
  count: number,
  random: () => number,
  restMilliseconds: number,
  environment: Record<string, string> = {},
) => {
  const startOne = () => startInstance(databaseUrl, { environment });
  const instances: Instance[] = await Promise.all(Array.from({ length: count }, startOne));
  let kills = 0;
  const killOne = async () => {
    const index = Math.floor(random() * instances.length);
    await instances[index]?.kill();
    kills += 1;
    instances[index] = await startOne();
  };
  return {
    kills: () => kills,
    /** The address of one of them, which may be away at the moment. */
    anyUrl: () => instances[Math.floor(random() * instances.length)]?.url ?? '',
    /**
     * Kills one or another while this work goes on, and then waits until all are up. Throws what
     * broke off the work: its own failure, or that a killed server does not start again.
     */
    during: async (work: () => Promise<void>): Promise<void> => {
      let isOver = false;
      const kill = async () => {
        while (!isOver) {
          await Bun.sleep(restMilliseconds * (0.2 + random()));
          if (!isOver) await killOne();
        }
      };
      const killing = kill();
      const done = work().finally(() => {
        isOver = true;
      });
      try {
        await Promise.race([done, killing.then(() => done)]);
        await killing;
      } finally {
        await killing.catch(() => {});
      }
    },
  };
};

/** On a busy machine the start of a server may take long. */
const patienceMilliseconds = 120_000;

/**
 * Asks again, at another instance, while the one asked is away or cannot tell. What is wrong with an
 * answer is thrown at once.
 */
export const insistently = async <Found extends { status: number }>(
  ask: () => Promise<Found>,
): Promise<Found> => {
  let last: unknown;
  const until = performance.now() + patienceMilliseconds;
  while (performance.now() < until) {
    const answer = await ask().catch((error) => {
      if (!isOfNetwork(error)) throw error;
      last = error;
    });
    if (answer && answer.status !== 503 && answer.status !== 409) return answer;
    if (answer) last = `It answered ${answer.status}.`;
    await Bun.sleep(30);
  }
  throw new Error('No instance answered.', { cause: last });
};

/** What `fetch` throws has a code, such as ECONNRESET; what a test throws has none. */
const isOfNetwork = (error: unknown) => typeof (error as { code?: unknown }).code === 'string';
