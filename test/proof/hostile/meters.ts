/** The measuring threads, as the attacks use them. */
import { median } from '../bench/load.ts';
import type { Ask, Taken } from './meter.ts';

export type Meter = {
  /** What was measured since the last time. Then it starts again. */
  take(): Promise<Taken>;
  /** Measures for this long and returns the result. */
  over(milliseconds: number): Promise<Taken>;
  /**
   * Measures three times for this long. p50 and p99 are the medians, so one hiccup of the machine
   * does not count.
   */
  steadily(milliseconds: number): Promise<Taken>;
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
  const steadily = async (milliseconds: number): Promise<Taken> => {
    const looks = [await over(milliseconds), await over(milliseconds), await over(milliseconds)];
    const of = (name: 'requests' | 'p50' | 'p99' | 'longest' | 'again') =>
      looks.map((look) => look[name]);
    const sum = (all: number[]) => all.reduce((one, other) => one + other, 0);
    return {
      requests: sum(of('requests')),
      again: sum(of('again')),
      p50: median(of('p50')),
      p99: median(of('p99')),
      longest: Math.max(...of('longest')),
      broken: looks.flatMap(({ broken }) => broken),
      created: looks.flatMap(({ created }) => created),
    };
  };
  return { take, over, steadily, stop: () => thread.terminate() };
};
