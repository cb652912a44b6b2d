/**
 * The first module that main.ts imports. Normally it does nothing. In a process that was started as
 * the launcher of a Postgres program, it turns the process into that program. The program cannot
 * outlive the process that asked for it, and never runs as root.
 */
import { closeSync, rmSync } from 'node:fs';
import {
  type Account,
  become,
  execute,
  inheritable,
  leaveSession,
  signalOnDeathOfParent,
  tryFlock,
} from './libc.ts';
import { openLockFile } from './lock.ts';

/** What a launcher is to do, passed as JSON in the environment variable `orderVariable`. */
export type Order = {
  program: string;
  commandLine: string[];
  environment: Record<string, string>;
  /** Held by the program and everything it starts, until the last of them ends. */
  lock: string;
  /** Removed once the lock is held: then they are of a Postgres that has ended. */
  staleFiles: string[];
  /** The user to become if this process is root. */
  account: Account;
  parent: number;
};

export const orderVariable = 'MATTERHORN_POSTGRES_LAUNCHER';
/** What a failing launcher writes before its sentence. */
export const launcherSays = 'launcher: ';

const lockPatienceMilliseconds = 10_000;
const interrupt = 2;

const fail: (sentence: string) => never = (sentence) => {
  console.error(launcherSays + sentence);
  process.exit(1);
};

const parentLives = (order: Order) => process.ppid === order.parent;

const takeClusterLock = (order: Order) => {
  const file = openLockFile(order.lock);
  const deadline = performance.now() + lockPatienceMilliseconds;
  while (!tryFlock(file, 'exclusive')) {
    if (!parentLives(order)) process.exit(1);
    if (performance.now() > deadline) {
      fail(
        `A Postgres that this program cannot see (in another container, or of another user) still uses ${order.lock}; stop it first.`,
      );
    }
    Bun.sleepSync(5);
  }
  inheritable(file);
  closeSync(file);
};

const becomeProgram = (order: Order) => {
  process.umask(0o077);
  leaveSession();
  takeClusterLock(order);
  if (process.geteuid?.() === 0 && !become(order.account)) {
    fail(`Postgres refuses root, and becoming user ${order.account.name} failed.`);
  }
  // After the change of user, which clears the signal. The parent may have ended just before.
  if (!signalOnDeathOfParent(interrupt)) fail('The kernel does not offer prctl(PR_SET_PDEATHSIG).');
  if (!parentLives(order)) process.exit(1);
  for (const file of order.staleFiles) rmSync(file, { force: true });
  execute(order.program, order.commandLine, order.environment);
  fail(`The program ${order.program} could not be executed.`);
};

const order = process.env[orderVariable];
if (order !== undefined) {
  try {
    becomeProgram(JSON.parse(order) as Order);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}
