/** How much memory a process holds, seen from outside. */
import { readFile } from 'node:fs/promises';

export type Memory = {
  /** MiB held now. */
  now(): Promise<number>;
  /** The most MiB seen since it was last asked. */
  takePeak(): number;
  stop(): void;
};

/** Looks at a process's resident memory ten times a second. */
export const watchMemory = (pid: number): Memory => {
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
