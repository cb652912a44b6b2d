/** What every attack has at hand, and what is measured and promised of each. */
import type { Taken } from './meter.ts';
import type { Meter } from './meters.ts';
import { milliseconds, type Report } from './report.ts';
import type { Seen } from './seen.ts';
import type { MarkedFirm } from './stage.ts';

export type Scene = {
  databaseUrl: string;
  url: string;
  seen: Seen;
  attacker: MarkedFirm;
  honest: MarkedFirm;
  pings: Meter;
  pace: Meter;
  report: Report;
  /** What the pace was before any attack. */
  idle: Taken;
  /** Keeps what was acknowledged, to be looked for in the end. */
  note: (taken: Taken) => void;
  /** Whether the server's turns are measured: not those of an executable. */
  hasTurns: boolean;
  /** The small size: times are stated and never judged. */
  isSmall: boolean;
};

const maxHeldMebibytes = 1_024;

/**
 * States the pace of the honest. A server that is busy may ask them to come again (429, 503): in
 * the usual size that breaks the promise too, in the small one it is stated.
 */
export const statePace = ({ report, idle, note, isSmall }: Scene, attack: string, taken: Taken) => {
  note(taken);
  const { requests, p50, p99, again, broken } = taken;
  const beside = `idle ${[idle.p50, idle.p99].map(milliseconds).join(', ')}`;
  const figures = `${[p50, p99].map(milliseconds).join(', ')} of ${requests} (${beside})${again ? `, ${again} sent once more` : ''}`;
  report.state(attack, 'honest p50, p99', figures);
  report.detail(broken.slice(0, 5).map((one) => `${attack}: honest: ${one}`));
  const later = broken.filter((one) => /^(429|503) /.test(one)).length;
  const failed = broken.length - later;
  report.promise(attack, 'honest requests that failed', failed, failed === 0);
  const promise = 'honest requests asked to come again';
  report.promiseTime(isSmall, attack, promise, later, later === 0);
};

/** Promises that no more memory was held since it was last asked. */
export const promiseMemory = async ({ report, seen }: Scene, attack: string) => {
  const peak = seen.takePeak();
  const figures = `${peak} MiB, then ${await seen.now()} MiB`;
  const promise = `memory at its peak at most ${maxHeldMebibytes} MiB`;
  report.promise(attack, promise, figures, peak <= maxHeldMebibytes);
};
