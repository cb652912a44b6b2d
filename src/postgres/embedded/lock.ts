import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { releaseFlock, tryFlock } from './libc.ts';

/** A lock on a file. The kernel releases it when this process ends for any reason. */
export type Lock = { release(): void };
export type Holder = { role: 'server' | 'command'; pid: number };

const openFlags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

/** Opens a file of the data directory for locking; makes it if it is missing. */
export const openLockFile = (path: string) => openSync(path, openFlags, 0o600);

/** Takes the lock if it is free. If `holder` is given, notes it in the file. */
export const tryLock = (
  path: string,
  options: { kind?: 'shared'; holder?: Holder } = {},
): Lock | undefined => {
  const file = openLockFile(path);
  if (!tryFlock(file, options.kind ?? 'exclusive') || !isStillAt(file, path)) {
    closeSync(file);
    return undefined;
  }
  const { holder } = options;
  if (holder !== undefined) {
    ftruncateSync(file);
    writeSync(file, `${holder.role} ${holder.pid}\n`, 0);
  }
  const release = () => {
    if (holder !== undefined) ftruncateSync(file);
    releaseFlock(file);
    closeSync(file);
  };
  return { release };
};

// If the file was removed, anybody may lock a new one with the same name.
const isStillAt = (file: number, path: string) =>
  statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino;

/** Who noted themselves in the lock file; undefined if nobody did. */
export const holderOf = (path: string): Holder | undefined => {
  const [role, pid] = readFileSync(path, 'utf8').trim().split(' ');
  if (role !== 'server' && role !== 'command') return undefined;
  return { role, pid: Number(pid) };
};
