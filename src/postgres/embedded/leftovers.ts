import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../base/refusal.ts';
import type { Layout } from './layout.ts';

const signals: [NodeJS.Signals | undefined, number][] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Ends every Postgres process that an earlier program left in the cluster. Call it with the
 * server's lock held. Throws `Refusal` if one cannot be ended.
 */
export const endLeftOvers = async (layout: Layout) => {
  for (const [signal, patienceMilliseconds] of signals) {
    const found = processesIn(layout.cluster);
    if (found.length === 0) return;
    for (const pid of addressees(layout, found, signal)) send(pid, signal);
    const deadline = performance.now() + patienceMilliseconds;
    while (performance.now() < deadline) {
      if (processesIn(layout.cluster).length === 0) return;
      await Bun.sleep(5);
    }
  }
  const pids = processesIn(layout.cluster).join(', ');
  throw new Refusal(
    'unavailable',
    `An earlier Postgres (pid ${pids}) still uses ${layout.cluster} and cannot be ended.`,
  );
};

// SIGINT ends only the first process in order; to the others it means something else.
const addressees = (layout: Layout, found: number[], signal: NodeJS.Signals | undefined) => {
  if (signal !== 'SIGINT') return found;
  const first = postmasterFile(layout)?.pid;
  return found.filter((pid) => pid === first);
};

const send = (pid: number, signal: NodeJS.Signals | undefined) => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or is another user's. The next look shows which.
  }
};

const processesIn = (cluster: string) => {
  const home = realpathSync(cluster);
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const folder = readlinkSync(`/proc/${name}/cwd`);
      const inside = folder === home || folder.startsWith(`${home}/`);
      if (inside && isPostgres(name)) found.push(Number(name));
    } catch {
      // It has ended, or belongs to somebody else.
    }
  }
  return found;
};

// A shell whose user only looks around in the cluster is left alone.
const isPostgres = (pid: string) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';

/**
 * What the running Postgres wrote about itself; undefined if there is no such file. `written` tells
 * two files with the same pid apart, which are common in containers.
 */
export const postmasterFile = (layout: Layout) => {
  try {
    const { text, inode, changedAt } = readOfCluster(layout, 'postmaster.pid');
    const lines = text.split('\n');
    return {
      pid: Number(lines[0]),
      status: lines[7]?.trim() ?? '',
      written: `${inode} ${changedAt}`,
    };
  } catch {
    return undefined;
  }
};

/**
 * Reads a file of the cluster. The user of Postgres may put a link in its place: links are not
 * followed.
 */
export const readOfCluster = (layout: Layout, name: string) => {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(join(layout.cluster, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { ino, mtimeNs } = fstatSync(file, { bigint: true });
    return { text: readFileSync(file, 'utf8'), inode: ino, changedAt: mtimeNs };
  } finally {
    closeSync(file);
  }
};
