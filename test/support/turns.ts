/**
 * Loaded into a server before it (`bun --preload`): measures the longest turn of its event loop, which
 * is what another request waits for. In processor time of the main thread, so that what else runs on
 * the machine does not count. The result stands in the file that TURNS_FILE names.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The longest turn in milliseconds, since it was last set to 0: one number of 8 bytes. */
const bytes = 8;
const everyMilliseconds = 2;

const watchTurns = (file: string) => {
  const longest = new Float64Array(Bun.mmap(file).buffer, 0, 1);
  let before = process.threadCpuUsage();
  const turn = () => {
    const now = process.threadCpuUsage();
    const took = (now.user + now.system - before.user - before.system) / 1_000;
    if (took > (longest[0] ?? 0)) longest[0] = took;
    before = now;
  };
  // A timer comes once in each turn, so between two of them is one turn and at most 2 ms of others.
  setInterval(turn, everyMilliseconds).unref();
};

const file = process.env.TURNS_FILE;
if (file && Bun.isMainThread && existsSync(file)) watchTurns(file);

/** The longest turns of a process that is started with `preload` and `environment`. */
export const openTurns = (file: string) => {
  writeFileSync(file, new Uint8Array(bytes));
  return {
    preload: ['--preload', import.meta.path],
    environment: { TURNS_FILE: file },
    /** The longest turn since it was last asked, in milliseconds. */
    take: (): number => {
      const [longest = 0] = new Float64Array(new Uint8Array(readFileSync(file)).buffer, 0, 1);
      writeFileSync(file, new Uint8Array(bytes), { flag: 'r+' });
      return longest;
    },
  };
};

/**
 * The least processor time, of three tries, of writing into so much memory that the program did not have
 * before. A virtual machine may take thirty times as long as another for it, whatever is done there.
 */
export const millisecondsForMemory = (bytes: number): number => {
  // All are held until the end: none gets the memory of the one before.
  const tries = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    const memory = new Uint8Array(bytes).fill(1);
    const { user, system } = process.threadCpuUsage(before);
    return { memory, took: (user + system) / 1_000 };
  });
  return Math.min(...tries.map(({ took }) => took));
};
