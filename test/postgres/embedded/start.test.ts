import { afterAll, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  ask,
  postgresOf,
  postmasterOf,
  ROOM_MS,
  readyDirectory,
  start,
  temporaryDirectory,
  tidyUp,
} from './driver.ts';

afterAll(tidyUp);

test(
  'a first start makes a durable cluster, reachable by its socket and password alone',
  async () => {
    const data = join(temporaryDirectory(), 'data');
    const program = start(['serve', data], { fsync: true });
    const address = await program.until('address');

    const [row] = await ask(
      address,
      `select ${[
        'fsync',
        'full_page_writes',
        'synchronous_commit',
        'data_checksums',
        'listen_addresses',
        'timezone',
        'server_encoding',
        'wal_level',
        'max_connections',
      ].map((name) => `current_setting('${name}') as ${name}`)}`,
    );
    expect(row).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      data_checksums: 'on',
      listen_addresses: '',
      timezone: 'UTC',
      server_encoding: 'UTF8',
      wal_level: 'replica',
      max_connections: '100',
    });

    expect(address.path).toBe(join(data, 'run/.s.PGSQL.5432'));
    expect(lstatSync(join(data, 'run')).mode & 0o777).toBe(0o700);
    expect(lstatSync(join(data, 'pgdata')).mode & 0o777).toBe(0o700);
    expect(lstatSync(join(data, 'pgpass')).mode & 0o777).toBe(0o600);
    expect(tcpSocketsOf(postgresOf(data))).toEqual([]);
    await expect(ask({ ...address, password: 'wrong' }, 'select 1')).rejects.toThrow(/password/);

    await ask(address, 'create extension pg_trgm; create extension unaccent');
    const found = await ask(
      address,
      `select show_trgm('Öl') as trigrams, unaccent('Zoë') as plain`,
    );
    expect(JSON.stringify(found)).toContain('0x');
    expect(found[0]?.plain).toBe('Zoe');

    expect(await program.kill('SIGTERM')).toBe(0);
    expect(program.noise()).toBe('');
    expect(readdirSync(data).filter((name) => name.startsWith('new-'))).toEqual([]);
  },
  ROOM_MS,
);

const tcpSocketsOf = (pids: number[]): string[] => {
  expect(pids.length).toBeGreaterThan(3);
  const tables = ['/proc/net/tcp', '/proc/net/tcp6', '/proc/net/udp', '/proc/net/udp6'];
  const inodes = new Set<string>();
  for (const table of tables.filter((path) => existsSync(path))) {
    for (const line of readFileSync(table, 'utf8').trim().split('\n').slice(1)) {
      inodes.add(line.trim().split(/\s+/)[9] ?? '');
    }
  }
  const open = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).map((file) => readlinkSync(`/proc/${pid}/fd/${file}`)),
  );
  return open.filter((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? 'none'));
};

test(
  'every acknowledged commit was confirmed by the disk',
  async () => {
    const program = start(['serve', await readyDirectory()], { fsync: true });
    const address = await program.until('address');
    const total = `select sum(fsyncs)::int as count from pg_stat_io where object = 'wal'`;
    await ask(address, 'create table kept (number int)');
    const [before] = await ask(address, total);
    const inserts = Array.from({ length: 20 }, (_, n) => `insert into kept values (${n}); commit;`);
    await ask(address, `${inserts.join('\n')} select pg_stat_force_next_flush()`);
    const [after] = await ask(address, total);
    expect(Number(after?.count) - Number(before?.count)).toBeGreaterThanOrEqual(20);
    await program.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'a second server on the directory is refused and told whose it is',
  async () => {
    const data = await readyDirectory();
    const first = start(['serve', data]);
    await first.until('ready');
    const postmaster = postmasterOf(data);
    const second = start(['serve', data]);
    const sentence = await second.until('failed');
    expect(sentence).toContain(
      `Another server (pid ${first.process.pid}) is already using ${data}`,
    );
    expect(await second.process.exited).toBe(1);
    expect(second.facts[0]?.name).toBe('Refusal');
    expect(postmasterOf(data)).toBe(postmaster);
    await first.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'of two first starts at once exactly one wins',
  async () => {
    const data = join(temporaryDirectory(), 'data');
    const both = [start(['serve', data]), start(['serve', data])];
    const ends = await Promise.all(
      both.map((program) =>
        Promise.any<boolean | string>([program.until('ready'), program.until('failed')]),
      ),
    );
    expect(ends.filter((end) => end === true).length).toBe(1);
    expect(String(ends.find((end) => end !== true))).toContain('Another server');
    for (const program of both) await program.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'a long path works as well, and nothing lies outside of the data directory that others could take',
  async () => {
    const data = join(temporaryDirectory(), 'long'.repeat(30), 'data');
    const before = readdirSync('/tmp').filter((name) => /^matterhorn-[0-9a-f]{8}$/.test(name));
    const program = start(['serve', data]);
    const address = await program.until('address');
    expect(address.path).toBe(join(data, 'run/.s.PGSQL.5432'));
    expect(address.path.length).toBeGreaterThan(108);
    expect(await ask(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await start(['borrow', data]).until('returned')).toBe(true);
    await program.kill('SIGTERM');
    const after = readdirSync('/tmp').filter((name) => /^matterhorn-[0-9a-f]{8}$/.test(name));
    expect(after).toEqual(before);
  },
  ROOM_MS,
);

test(
  'a data directory that is a file, lies open or is damaged is said to be so, with what to do',
  async () => {
    const file = join(temporaryDirectory(), 'data');
    writeFileSync(file, '');
    expect(await start(['serve', file]).until('failed')).toBe(
      `The path ${file} is a file, not a folder. Name another one.`,
    );

    const data = await readyDirectory();
    chmodSync(join(data, 'pgdata'), 0o777);
    expect(await start(['serve', data]).until('failed')).toContain(
      `chmod -R go-rwx ${data}/pgdata`,
    );
    chmodSync(join(data, 'pgdata'), 0o700);

    rmSync(join(data, 'pgdata/global/pg_control'));
    const damaged = start(['serve', data]);
    const sentence = await damaged.until('failed');
    expect(sentence).toContain('global/pg_control');
    expect(sentence).toContain('restore your newest backup into a new data directory');
    expect(damaged.noise()).toBe('');
  },
  ROOM_MS,
);
