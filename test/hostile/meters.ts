/** The measuring threads, as the attacks use them. */
import type { Ask, Taken } from './meter.ts';

export type Meter = {
  /** What was measured since the last time; it begins anew. */
  take(): Promise<Taken>;
  /** Measures for so long and gives it. */
  over(milliseconds: number): Promise<Taken>;
  stop(): void;
};

/** Starts a thread that asks or pings until it is stopped. */
export const startMeter = (ask: Exclude<Ask, { kind: 'take' }>): Meter => {
  const thread = new Worker(new URL('./meter.ts', import.meta.url).href);
  thread.postMessage(ask);
  const take = () =>
    new Promise<Taken>((resolve) => {
      thread.onmessage = ({ data }: MessageEvent<Taken>) => resolve(data);
      thread.postMessage({ kind: 'take' } satisfies Ask);
    });
  const over = async (milliseconds: number) => {
    await take();
    await Bun.sleep(milliseconds);
    return take();
  };
  return { take, over, stop: () => thread.terminate() };
};
