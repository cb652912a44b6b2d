/** What processes use, read from /proc: on Linux alone; elsewhere these figures are left out. */
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Whether this machine tells what processes use. */
export const isTold = process.platform === 'linux';

type Process = { pid: number; parent: number; ticks: number };

const processOf = (pid: number): Process | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may contain anything, even spaces and parentheses.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, ofEndedUser = 0, ofEndedSystem = 0] = fields.slice(11, 15);
    return { pid, parent: fields[1] ?? 0, ticks: user + system + ofEndedUser + ofEndedSystem };
  } catch {
    return undefined;
  }
};

/** A process and all that descend from it. */
const treeOf = (root: number): Process[] => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processOf(Number(name)))
    .filter((one) => one !== undefined);
  const tree = all.filter(({ pid }) => pid === root);
  for (const one of tree) tree.push(...all.filter(({ parent }) => parent === one.pid));
  return tree;
};

/**
 * The seconds of CPU that a process and its descendants have used, ended ones included. Not a number if
 * there is no such process.
 */
export const cpuSecondsOf = (root: number): number => {
  const tree = isTold ? treeOf(root) : [];
  if (tree.length === 0) return Number.NaN;
  return tree.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
};

/** The seconds of CPU that a process itself has used, and those of its children that have ended. */
export const ownCpuSecondsOf = (pid: number): number =>
  (processOf(pid)?.ticks ?? Number.NaN) / ticksPerSecond;

/** The process that started this backend of Postgres; -1 if it does not run on this machine. */
export const postmasterOf = (backend: number): number => {
  try {
    const isPostgres = /^postgres[: ]/.test(readFileSync(`/proc/${backend}/cmdline`, 'latin1'));
    return isPostgres ? (processOf(backend)?.parent ?? -1) : -1;
  } catch {
    return -1;
  }
};

/** The memory of a process and its descendants in MB; `root` is the first one's, `shared` what Postgres shares. */
export type Memory = { all: number; root: number; shared: number };

/**
 * The memory of a process and its descendants in MB (10^6 bytes): what they share with others is
 * divided by how many share it.
 */
export const memoryOf = (root: number): Memory => {
  const memory = { all: 0, root: 0, shared: 0 };
  if (!isTold) return { all: Number.NaN, root: Number.NaN, shared: Number.NaN };
  for (const { pid } of treeOf(root)) {
    const pss = proportionalOf(pid);
    memory.all += pss.all;
    memory.shared += pss.shared;
    if (pid === root) memory.root = pss.all;
  }
  return memory;
};

/** As `memoryOf`, in one figure. */
export const megabytesOf = (root: number): number => memoryOf(root).all;

/** A process's part of the memory; nothing of one that has just ended. */
const proportionalOf = (pid: number) => {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    const of = (name: string) =>
      (Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024) / 1e6;
    return { all: of('Pss'), shared: of('Pss_Shmem') };
  } catch {
    return { all: 0, shared: 0 };
  }
};
