/** Two Postgres clusters of Debian's packages on this machine: one serves, the other follows it. */
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../support/at-end.ts';
import { freePort } from '../../support/instances.ts';
import { debianFolderOf } from '../debian-postgres.ts';

export type Cluster = {
  /** The address of its database `matterhorn`. */
  url: string;
  /** Runs SQL in it, as an administrator does with psql. Gives what psql printed. */
  psql(text: string): Promise<string>;
  /** Makes a standby of the cluster with this address, and waits until it takes connections. */
  follow(url: string): Promise<void>;
  /** Makes an empty cluster with an empty database, and waits until it takes connections. */
  begin(): Promise<void>;
  /** Ends each of its processes at once, as a machine does that loses power. */
  kill(): Promise<void>;
  /** Makes the standby the one that serves. */
  promote(): Promise<void>;
};

const isRoot = process.getuid?.() === 0;

/** Postgres refuses to run as root. Debian's package has made a user for it. */
const asPostgres = (command: string[]) =>
  isRoot
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command]
    : command;

const programs = async (): Promise<string> => {
  const folder = await debianFolderOf('pg_basebackup');
  if (folder) return folder;
  throw new Error('There is no pg_basebackup of Debian: apt-get install postgresql.');
};

const run = async (command: string[]): Promise<string> => {
  const child = Bun.spawn(asPostgres(command), {
    cwd: '/',
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [printed, complained] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${complained}`);
  return printed;
};

/** Opens a cluster that is not there yet: `begin` or `follow` makes it. */
export const openCluster = async (): Promise<Cluster> => {
  const folder = await programs();
  const program = (name: string) => join(folder, name);
  const directory = await mkdtemp(join(tmpdir(), 'matterhorn-standby-'));
  if (isRoot) await chown(directory, ...(await idsOfPostgres()));
  const data = join(directory, 'data');
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/matterhorn`;
  const start = () => {
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
    const log = join(directory, 'log');
    return run([program('pg_ctl'), '-D', data, '-w', '-l', log, '-o', options, 'start']);
  };
  const kill = async () => {
    const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
    const first = Number(text.split('\n')[0]);
    if (!first) return;
    const children = await readFile(`/proc/${first}/task/${first}/children`, 'utf8').catch(
      () => '',
    );
    for (const id of [first, ...children.trim().split(' ').filter(Boolean).map(Number)]) {
      try {
        process.kill(id, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    await rm(join(data, 'postmaster.pid'), { force: true });
  };
  atEnd(async () => {
    await kill();
    await rm(directory, { recursive: true, force: true });
  });
  const psql = async (text: string) => {
    const flags = ['--no-psqlrc', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1'];
    return (await run([program('psql'), ...flags, '--command', text, url])).trim();
  };
  return {
    url,
    psql,
    kill,
    async begin() {
      await run([program('initdb'), '-D', data, '-U', 'postgres', '-E', 'UTF8', '-A', 'trust']);
      await start();
      const home = url.replace(/matterhorn$/, 'postgres');
      await run([program('psql'), '--command', 'create database matterhorn', home]);
    },
    async follow(of) {
      await rm(data, { recursive: true, force: true });
      const { port: toFollow } = new URL(of);
      const from = `host=127.0.0.1 port=${toFollow} user=postgres`;
      const flags = ['--write-recovery-conf', '--checkpoint=fast'];
      await run([program('pg_basebackup'), '-D', data, '--dbname', from, ...flags]);
      await start();
    },
    promote: async () => void (await run([program('pg_ctl'), '-D', data, '-w', 'promote'])),
  };
};

const idsOfPostgres = async (): Promise<[number, number]> => {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((one) => one.startsWith('postgres:'));
  const [, , user, group] = (line ?? '').split(':').map(Number);
  if (!user || !group) throw new Error('There is no user postgres: apt-get install postgresql.');
  return [user, group];
};
