import type { Subprocess } from 'bun';
import type { Layout } from './layout.ts';
import { boundLog, fullDisk, howEnded, startPostmaster, stopPostmaster } from './postmaster.ts';
import type { Runtime } from './runtime.ts';

const restartsAMinute = 5;
const minuteMilliseconds = 60_000;
const repeatDelayMilliseconds = 200;
const fullDiskDelayMilliseconds = 2_000;

export type Guarded = { stop(): Promise<void> };

/**
 * Starts Postgres on the cluster, and again whenever it ends, until stopped. It gives up after five
 * times within a minute, unless the disk is full: then it waits for room. Throws `Refusal` if the
 * first start fails.
 */
export const keepRunning = async (
  layout: Layout,
  runtime: Runtime,
  report: { say(sentence: string): void; onGaveUp(sentence: string): void },
): Promise<Guarded> => {
  let child: Subprocess | undefined;
  let isStopping = false;
  const start = () => startPostmaster(layout, runtime, (started) => (child = started));
  const deaths: number[] = [];
  let lastFailure = '';

  const waitOrStop = async (milliseconds: number) => {
    const until = performance.now() + milliseconds;
    while (!isStopping && performance.now() < until) await Bun.sleep(20);
  };

  const startAgain = async () => {
    for (;;) {
      const now = performance.now();
      while (deaths[0] !== undefined && now - deaths[0] > minuteMilliseconds) deaths.shift();
      if (deaths.push(now) > restartsAMinute) return false;
      // The first restart is immediate. A server that keeps ending must not spin.
      await Bun.sleep((deaths.length - 1) * repeatDelayMilliseconds);
      if (isStopping) return true;
      try {
        await start();
        report.say('Postgres runs again.');
        return true;
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        if (!isStopping && failure !== lastFailure) report.say(failure);
        lastFailure = failure;
        if ((error as { cause?: unknown } | null)?.cause !== fullDisk) continue;
        deaths.length = 0;
        await waitOrStop(fullDiskDelayMilliseconds);
      }
    }
  };

  const guard = async () => {
    for (;;) {
      await child?.exited;
      if (isStopping) return;
      report.say(`Postgres ended unexpectedly (${howEnded(child)}); starting it again.`);
      if (!(await startAgain())) break;
    }
    report.onGaveUp(
      `Postgres ended more than ${restartsAMinute} times within a minute and is not started again. ${lastFailure}`.trim(),
    );
  };

  try {
    await start();
  } catch (error) {
    if (child !== undefined) await stopPostmaster(child);
    throw error;
  }
  const logWatch = setInterval(() => boundLog(layout), minuteMilliseconds);
  logWatch.unref();
  const guarding = guard();
  const stop = async () => {
    isStopping = true;
    clearInterval(logWatch);
    let isOver = false;
    guarding.finally(() => (isOver = true));
    // A start under way may have another process now than a moment ago.
    while (!isOver) {
      if (child !== undefined) await stopPostmaster(child);
      await Bun.sleep(1);
    }
  };
  return { stop };
};
