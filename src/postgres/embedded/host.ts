import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { plainError } from './plain-error.ts';

const WAY_OUT = 'Set DATABASE_URL to a PostgreSQL server instead.';
const loaders: Record<string, string> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
};

/** Throws a plain sentence if the built-in Postgres cannot run on this kind of machine. */
export const checkHost = (): void => {
  const kind = `${process.platform} on ${process.arch}`;
  const loader = loaders[process.arch];
  if (process.platform !== 'linux' || loader === undefined) {
    throw plainError(
      `The built-in Postgres runs on Linux only, on Intel, AMD and ARM, and this is ${kind}. ${WAY_OUT}`,
    );
  }
  if (!existsSync(loader)) {
    throw plainError(
      `The built-in Postgres needs glibc, which this system (Alpine or another musl one?) lacks. ${WAY_OUT}`,
    );
  }
};

/** Throws a plain sentence if a new cluster cannot be made for want of a shell. */
export const checkShell = (): void => {
  if (existsSync('/bin/sh')) return;
  throw plainError(`Making a database needs /bin/sh, which this system lacks. ${WAY_OUT}`);
};

/** Throws a plain sentence if the Postgres programs cannot be executed where they are. */
export const checkPrograms = (runtime: { directory: string; libraries: string }): void => {
  let cause: string;
  try {
    const program = join(runtime.directory, 'bin/postgres');
    const { exitCode, stderr } = Bun.spawnSync([program, '--version'], {
      env: { LD_LIBRARY_PATH: runtime.libraries },
      cwd: '/',
    });
    if (exitCode === 0) return;
    cause = stderr.toString().trim().split('\n')[0] || `it ended with exit code ${exitCode}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const isForbidden = code === 'EACCES' || code === 'EPERM';
    cause = isForbidden ? 'the file system forbids running programs (noexec)' : String(error);
  }
  throw plainError(
    `The built-in Postgres does not run from ${runtime.directory}: ${cause}. Name another data directory, or set DATABASE_URL to a PostgreSQL server.`,
  );
};
