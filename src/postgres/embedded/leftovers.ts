import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import type { Layout } from './layout.ts';
import { plainError } from './plain-error.ts';

const PATIENCE_MS: [NodeJS.Signals | undefined, number][] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Ends every Postgres process that a program before us left in the cluster. To be called with the
 * server's lock held. Throws a plain sentence if one cannot be ended.
 */
export const endLeftOvers = async (layout: Layout): Promise<void> => {
  for (const [signal, patienceMs] of PATIENCE_MS) {
    const found = processesIn(layout.cluster);
    if (found.length === 0) return;
    for (const pid of addressees(layout, found, signal)) send(pid, signal);
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      if (processesIn(layout.cluster).length === 0) return;
      await Bun.sleep(5);
    }
  }
  const pids = processesIn(layout.cluster).join(', ');
  throw plainError(
    `An earlier Postgres (pid ${pids}) still uses ${layout.cluster} and cannot be ended.`,
  );
};

// SIGINT, the orderly end, means something else to every process but the first.
const addressees = (
  layout: Layout,
  found: number[],
  signal: NodeJS.Signals | undefined,
): number[] => {
  if (signal !== 'SIGINT') return found;
  const first = postmasterFile(layout)?.pid;
  return found.filter((pid) => pid === first);
};

const send = (pid: number, signal: NodeJS.Signals | undefined): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, or is another user's: either shows in the next look.
  }
};

const processesIn = (cluster: string): number[] => {
  const home = realpathSync(cluster);
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const folder = readlinkSync(`/proc/${name}/cwd`);
      const inside = folder === home || folder.startsWith(`${home}/`);
      if (inside && isPostgres(name)) found.push(Number(name));
    } catch {
      // It ended meanwhile, or belongs to someone else.
    }
  }
  return found;
};

// A shell whose user merely looks around in the cluster is left alone.
const isPostgres = (pid: string): boolean =>
  readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';

/**
 * What the running Postgres wrote about itself; undefined if no such file is there. `written` tells
 * a file from the one before it, even if both name the same pid, as is common in containers.
 */
export const postmasterFile = (
  layout: Layout,
): { pid: number; status: string; written: string } | undefined => {
  const path = `${layout.cluster}/postmaster.pid`;
  try {
    const { ino, mtimeNs } = statSync(path, { bigint: true });
    const lines = readFileSync(path, 'utf8').split('\n');
    return {
      pid: Number(lines[0]),
      status: lines[7]?.trim() ?? '',
      written: `${ino} ${mtimeNs}`,
    };
  } catch {
    return undefined;
  }
};
