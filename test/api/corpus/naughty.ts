/** The Big List of Naughty Strings, and the hostile texts of the corpus: what forms and bodies are filled with. */

import { startInstance } from '../../support/instances.ts';
import { isWhole, shareOf } from '../../support/whole.ts';
import { naughtyStrings } from './strings.ts';

/** What stands in place of the field `at` in this round; after as many rounds as strings it had each. */
export const naughtyAt = (round: number, at: number): string =>
  naughtyStrings[(round + at * 7) % naughtyStrings.length] ?? '';

/** A server of its own whose log is heard: `failures` gives its lines of level error so far. */
export const startHeard = async (databaseUrl: string) => {
  let log = '';
  const { url } = await startInstance(databaseUrl, { hear: (text) => (log += text) });
  const failures = async () => {
    // Lines that come close together are written together.
    await Bun.sleep(200);
    return log.split('\n').filter((line) => line.includes('"level":"error"'));
  };
  return { url, databaseUrl, failures };
};

/**
 * By which string each try begins; its fields get that one and those that follow. With WHOLE=1 a quarter of
 * them: all would be tens of thousands of requests. In each try every field gets another string.
 */
export const rounds = naughtyStrings
  .map((_, at) => at)
  .filter((at) => !isWhole || shareOf(String(at), 4) === 0);

/** A quarter of them, for forms that hash a password each time. */
export const dearRounds = rounds.filter((at) => shareOf(`dear ${at}`, 4) === 0);

/** What such a run may take on a busy machine. */
export const wholeMilliseconds = 20 * 60_000;

/** Does something with each, four at a time. */
export const severalAtOnce = async <One>(
  all: readonly One[],
  work: (one: One) => Promise<unknown>,
): Promise<void> => {
  const left = all.values();
  const worker = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
};
