import { wakeRunners } from '../../src/jobs/runner.ts';

/** Waits until it holds, and looks again every few milliseconds. */
export const until = (holds: () => boolean | Promise<boolean>): Promise<void> =>
  looking(holds, () => {});

/** Waits for what the server does by itself, and has it look now; it may just have begun to rest for half a minute. */
export const untilItDoes = (what: () => boolean | Promise<boolean>): Promise<void> =>
  looking(what, wakeRunners);

/**
 * On a busy machine what must come may take long: the limit ends what would never come, and proves
 * nothing.
 */
const looking = async (holds: () => boolean | Promise<boolean>, between: () => void) => {
  const end = performance.now() + 400_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`It did not come about in time: ${holds}`);
    between();
    await Bun.sleep(20);
  }
};
