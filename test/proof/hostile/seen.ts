/** How much memory a process holds and how long it computes, seen from outside. */
import { readFile } from 'node:fs/promises';

export type Seen = {
  /** MiB held now. */
  now(): Promise<number>;
  /** The most MiB seen since it was last asked. */
  takePeak(): number;
  /** Milliseconds that its main thread has computed so far; undefined where the system does not say. */
  computed(): Promise<number | undefined>;
  /** Milliseconds so far in which something on the machine waited for a processor; 0 where it does not say. */
  pressed(): Promise<number>;
  /** The longest turn of its event loop since it was last asked, in milliseconds it computed; 0 of an executable. */
  takeTurn(): number;
  stop(): void;
};

/** Looks at a process; at its resident memory ten times a second. */
export const watch = (pid: number, takeTurn: () => number): Seen => {
  let peak = 0;
  const now = async () => {
    const held = await residentMebibytes(pid);
    peak = Math.max(peak, held);
    return held;
  };
  const timer = setInterval(now, 100);
  return {
    now,
    takePeak() {
      const seen = peak;
      peak = 0;
      return seen;
    },
    computed: () => computedMilliseconds(pid),
    pressed: pressedMilliseconds,
    takeTurn,
    stop: () => clearInterval(timer),
  };
};

const residentMebibytes = async (pid: number) => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const kibibytes =
    status === undefined
      ? await Bun.$`ps -o rss= -p ${pid}`.nothrow().quiet().text()
      : (/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? '0');
  return Math.round(Number(kibibytes) / 1024);
};

const computedMilliseconds = async (pid: number) => {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  const nanoseconds = await readFile(file, 'utf8').catch(() => undefined);
  return nanoseconds === undefined ? undefined : Number(nanoseconds.split(' ')[0]) / 1_000_000;
};

const pressedMilliseconds = async () => {
  const said = await readFile('/proc/pressure/cpu', 'utf8').catch(() => '');
  return Number(/^some .*total=(\d+)/m.exec(said)?.[1] ?? 0) / 1_000;
};
