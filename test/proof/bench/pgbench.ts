/** pgbench with the statements of a create: what the database alone can do on this machine. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianFolderOf } from '../debian-postgres.ts';
import { type Measured, spreadOf } from './load.ts';

/** The pgbench on the PATH, or the newest of Debian's; undefined if there is none. */
export const findPgbench = async (): Promise<string | undefined> => {
  const onPath = Bun.which('pgbench');
  if (onPath) return onPath;
  const folder = await debianFolderOf('pgbench');
  return folder && join(folder, 'pgbench');
};

/** A database to run on, by its socket's folder. */
export type Place = { folder: string; username: string; password: string; database: string };

/** Runs a script's transaction again and again, prepared, from this many clients for this long. */
export const runPgbench = async (
  program: string,
  place: Place,
  script: string,
  variables: Record<string, string>,
  clients: number,
  seconds: number,
): Promise<Measured> => {
  const logs = await mkdtemp(join(tmpdir(), 'matterhorn-pgbench-'));
  const threads = Math.min(clients, navigator.hardwareConcurrency);
  const child = Bun.spawn(
    [
      ...[program, '--no-vacuum', '--protocol=prepared', '--log', `--log-prefix=${logs}/log`],
      ...[`--file=${join(import.meta.dir, 'pgbench', `${script}.sql`)}`],
      ...[`--client=${clients}`, `--jobs=${threads}`, `--time=${Math.max(1, Math.round(seconds))}`],
      ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
    ],
    {
      env: {
        ...process.env,
        PGHOST: place.folder,
        PGUSER: place.username,
        PGPASSWORD: place.password,
        PGDATABASE: place.database,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [printed, complaints, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(printed)?.[1]);
  const failed = Number(/failed transactions: (\d+)/.exec(printed)?.[1] ?? 0);
  if (exitCode !== 0 || !(perSecond > 0))
    throw new Error(`pgbench failed: ${complaints}${printed}`);
  const latencies: number[] = [];
  for (const file of await readdir(logs))
    for (const line of (await Bun.file(join(logs, file)).text()).trim().split('\n'))
      latencies.push(Number(line.split(' ')[2]) / 1000);
  await rm(logs, { recursive: true });
  const spread = spreadOf(latencies);
  return { perSecond, ...spread, requests: latencies.length, failed, load: Number.NaN };
};
