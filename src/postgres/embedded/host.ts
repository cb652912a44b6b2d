import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../base/refusal.ts';

const wayOut = 'Set DATABASE_URL to a PostgreSQL server instead.';
const loaders: Record<string, string> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
};

/** Throws `Refusal` if the embedded Postgres cannot run on this kind of machine. */
export const checkHost = () => {
  const kind = `${process.platform} on ${process.arch}`;
  const loader = loaders[process.arch];
  if (process.platform !== 'linux' || loader === undefined) {
    throw new Refusal(
      'unavailable',
      `The built-in Postgres runs on Linux only, on Intel, AMD and ARM, and this is ${kind}. ${wayOut}`,
    );
  }
  if (!existsSync(loader)) {
    throw new Refusal(
      'unavailable',
      `The built-in Postgres needs glibc, which this system (Alpine or another musl one?) lacks. ${wayOut}`,
    );
  }
};

/** Throws `Refusal` if a new cluster cannot be made because there is no shell. */
export const checkShell = () => {
  if (existsSync('/bin/sh')) return;
  throw new Refusal(
    'unavailable',
    `Making a database needs /bin/sh, which this system lacks. ${wayOut}`,
  );
};

/** Throws `Refusal` if the Postgres programs cannot be executed. */
export const checkPrograms = (runtime: { directory: string; libraries: string }) => {
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
  throw new Refusal(
    'unavailable',
    `The built-in Postgres does not run from ${runtime.directory}: ${cause}. Name another data directory, or set DATABASE_URL to a PostgreSQL server.`,
  );
};
