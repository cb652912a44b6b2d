/** The few calls of the C library that Bun does not offer. Loaded at the first call; Linux only. */
import { CString, dlopen, type Pointer, ptr, read } from 'bun:ffi';

const load = () =>
  dlopen('libc.so.6', {
    flock: { args: ['i32', 'i32'], returns: 'i32' },
    dup: { args: ['i32'], returns: 'i32' },
    syncfs: { args: ['i32'], returns: 'i32' },
    getpwuid: { args: ['u32'], returns: 'ptr' },
    getpwnam: { args: ['ptr'], returns: 'ptr' },
    setsid: { args: [], returns: 'i32' },
    setgroups: { args: ['u64', 'ptr'], returns: 'i32' },
    initgroups: { args: ['ptr', 'u32'], returns: 'i32' },
    setgid: { args: ['u32'], returns: 'i32' },
    setuid: { args: ['u32'], returns: 'i32' },
    prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    execve: { args: ['ptr', 'ptr', 'ptr'], returns: 'i32' },
  }).symbols;

let loaded: ReturnType<typeof load> | undefined;
const libc = () => (loaded ??= load());

/** A user of this machine. `name` is missing if the uid has no entry among the users. */
export type Account = { uid: number; gid: number; name?: string };

// Numbers from <sys/file.h>.
const lockKinds = { shared: 1, exclusive: 2 };
const withoutWaiting = 4;
const unlock = 8;

/** Takes the advisory lock of an open file if it is free. Says whether it was. */
export const tryFlock = (file: number, kind: 'shared' | 'exclusive') =>
  libc().flock(file, lockKinds[kind] | withoutWaiting) === 0;

export const releaseFlock = (file: number) => {
  libc().flock(file, unlock);
};

/** A second descriptor of the same open file, which a program started by exec inherits. */
export const inheritable = (file: number) => libc().dup(file);

/** Writes all data of the file system of an open file to its disk. */
export const syncFilesystem = (file: number) => {
  libc().syncfs(file);
};

const accountAt = (found: Pointer | bigint | null): Account | undefined => {
  if (!found) return undefined;
  const entry = found as Pointer;
  const name = new CString(read.ptr(entry, 0) as Pointer).toString();
  return { uid: read.u32(entry, 16), gid: read.u32(entry, 20), name };
};

/** The user with this number, or undefined. */
export const accountOfUid = (uid: number) => accountAt(libc().getpwuid(uid));

/** The user with this name, or undefined. */
export const accountNamed = (name: string) =>
  accountAt(libc().getpwnam(ptr(Buffer.from(`${name}\0`))));

/** Leaves the terminal's session and process group, so that Ctrl-C does not reach this process. */
export const leaveSession = () => {
  libc().setsid();
};

/** Turns this process into another user's for good. Says whether that worked. */
export const become = ({ uid, gid, name }: Account) =>
  (name === undefined
    ? libc().setgroups(0, null)
    : libc().initgroups(ptr(Buffer.from(`${name}\0`)), gid)) === 0 &&
  libc().setgid(gid) === 0 &&
  libc().setuid(uid) === 0;

// Number from <sys/prctl.h>.
const signalOnDeath = 1;

/** Makes the kernel send `signal` to this process when its parent ends for any reason. */
export const signalOnDeathOfParent = (signal: number) =>
  libc().prctl(signalOnDeath, signal, 0, 0, 0) === 0;

/** Turns this process into another program. Returns only if that fails. */
export const execute = (
  program: string,
  commandLine: string[],
  environment: Record<string, string>,
) => {
  const strings: Buffer[] = [];
  const listOf = (texts: string[]) => {
    const start = strings.length;
    for (const text of texts) strings.push(Buffer.from(`${text}\0`));
    return new BigUint64Array([...strings.slice(start).map((s) => BigInt(ptr(s))), 0n]);
  };
  const path = Buffer.from(`${program}\0`);
  const argumentList = listOf(commandLine);
  const variables = listOf(Object.entries(environment).map(([name, value]) => `${name}=${value}`));
  libc().execve(ptr(path), ptr(argumentList), ptr(variables));
};
