/** Three servers of which one or another is killed at random moments, and started again. */
import { afterAll } from 'bun:test';
import { type Instance, startInstance } from './instances.ts';

/** Starts them. `start` lets the killing begin, `stop` ends it and waits until all are up. */
export const startKilled = async (
  databaseUrl: string,
  count: number,
  random: () => number,
  restMilliseconds: number,
) => {
  const instances: Instance[] = await Promise.all(
    Array.from({ length: count }, () => startInstance(databaseUrl)),
  );
  let kills = 0;
  let isKilling = false;
  let killing = Promise.resolve();
  const killOne = async () => {
    const index = Math.floor(random() * instances.length);
    await instances[index]?.kill();
    kills += 1;
    instances[index] = await startInstance(databaseUrl);
  };
  const stop = async () => {
    isKilling = false;
    await killing;
  };
  afterAll(stop);
  return {
    kills: () => kills,
    /** The address of one of them, which may be away at the moment. */
    anyUrl: () => instances[Math.floor(random() * instances.length)]?.url ?? '',
    start: () => {
      isKilling = true;
      killing = (async () => {
        while (isKilling) {
          await Bun.sleep(restMilliseconds * (0.2 + random()));
          if (isKilling) await killOne();
        }
      })();
    },
    stop,
  };
};

/** Asks again, at another instance, while the one asked is away or cannot tell. */
export const insistently = async <Found extends { status: number }>(
  ask: () => Promise<Found>,
): Promise<Found> => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await ask().catch(() => undefined);
    if (answer && answer.status !== 503 && answer.status !== 409) return answer;
    await Bun.sleep(30);
  }
  throw new Error('No instance answered.');
};
