/** The few calls of the C library that Bun does not offer. Loaded at the first call, Linux only. */
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
    setgid: { args: ['u32'], returns: 'i32' },
    setuid: { args: ['u32'], returns: 'i32' },
    prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    execve: { args: ['ptr', 'ptr', 'ptr'], returns: 'i32' },
  }).symbols;

let loaded: ReturnType<typeof load> | undefined;
const libc = () => (loaded ??= load());

/** A user of this machine. `name` is missing if the uid has no entry among the users. */
export type Account = { uid: number; gid: number; name?: string };

const LOCK_SHARED = 1;
const LOCK_EXCLUSIVE = 2;
const LOCK_WITHOUT_WAITING = 4;
const LOCK_RELEASE = 8;

/** Takes the advisory lock of an open file if it is free; says whether it was. */
export const tryFlock = (file: number, kind: 'shared' | 'exclusive'): boolean =>
  libc().flock(file, (kind === 'shared' ? LOCK_SHARED : LOCK_EXCLUSIVE) | LOCK_WITHOUT_WAITING) ===
  0;

/** Gives the advisory lock of an open file back. */
export const releaseFlock = (file: number): void => {
  libc().flock(file, LOCK_RELEASE);
};

/** A second descriptor of the same open file that a program started by exec inherits. */
export const inheritable = (file: number): number => libc().dup(file);

/** Writes everything of the file system that holds the open file to its disk. */
export const syncFilesystem = (file: number): void => {
  libc().syncfs(file);
};

const accountAt = (found: Pointer | bigint | null): Account | undefined => {
  if (!found) return undefined;
  const entry = found as Pointer;
  const name = new CString(read.ptr(entry, 0) as Pointer).toString();
  return { uid: read.u32(entry, 16), gid: read.u32(entry, 20), name };
};

/** The user with this number, or undefined. */
export const accountOfUid = (uid: number): Account | undefined => accountAt(libc().getpwuid(uid));

/** The user with this name, or undefined. */
export const accountNamed = (name: string): Account | undefined =>
  accountAt(libc().getpwnam(ptr(Buffer.from(`${name}\0`))));

/** Leaves the terminal's session and process group, so that Ctrl-C does not reach this process. */
export const leaveSession = (): void => {
  libc().setsid();
};

/** Gives root's rights up for good; says whether that worked. */
export const become = (account: Account): boolean =>
  libc().setgroups(0, null) === 0 &&
  libc().setgid(account.gid) === 0 &&
  libc().setuid(account.uid) === 0;

const PR_SET_PDEATHSIG = 1;

/** Has the kernel send `signal` to this process when its parent ends, however it ends. */
export const signalOnDeathOfParent = (signal: number): boolean =>
  libc().prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) === 0;

/** Turns this process into another program. Returns only if that failed. */
export const execute = (
  program: string,
  commandLine: string[],
  environment: Record<string, string>,
): void => {
  const strings: Buffer[] = [];
  const listOf = (texts: string[]): BigUint64Array => {
    const start = strings.length;
    for (const text of texts) strings.push(Buffer.from(`${text}\0`));
    return new BigUint64Array([...strings.slice(start).map((s) => BigInt(ptr(s))), 0n]);
  };
  const path = Buffer.from(`${program}\0`);
  const argumentList = listOf(commandLine);
  const variables = listOf(Object.entries(environment).map(([name, value]) => `${name}=${value}`));
  libc().execve(ptr(path), ptr(argumentList), ptr(variables));
};
