import { afterAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoleAddress as Address } from '../../../src/postgres/embedded/roles.ts';
import {
  ask,
  eventually,
  type Program,
  postgresOf,
  postmasterOf,
  ROOM_MS,
  readyDirectory,
  start,
  temporaryDirectory,
  tidyUp,
} from './driver.ts';

afterAll(tidyUp);

const acknowledged = (program: Program): number[] =>
  program.facts.flatMap((fact) => fact.written ?? []);

/** Expects every number to be stored; answers how many others are. */
const expectAllStored = async (address: Address, numbers: number[]): Promise<number> => {
  expect(numbers.length).toBeGreaterThan(0);
  const rows = await ask(address, 'select number from written');
  const stored = new Set(rows.map((row) => row.number));
  expect(numbers.filter((number) => !stored.has(number))).toEqual([]);
  return stored.size - numbers.length;
};

test(
  'after kill -9 of the program no Postgres is left, and no acknowledged row lost',
  async () => {
    const data = await readyDirectory();
    const numbers: number[] = [];
    for (const round of [1, 2, 3]) {
      const program = start(['write', data]);
      await program.until('written');
      await Bun.sleep(100 + 70 * round);
      await program.kill('SIGKILL');
      await eventually(() => postgresOf(data).length === 0, 60_000);
      numbers.push(...acknowledged(program));
    }
    const next = start(['serve', data]);
    const address = await next.until('address');
    // Of each round the one insert that was under way may have been stored, and nothing else.
    expect(await expectAllStored(address, numbers)).toBeLessThanOrEqual(3);
    await ask(address, 'create extension amcheck');
    await ask(address, `select bt_index_check('written_pkey', true)`);
    expect(await ask(address, `select * from verify_heapam('written')`)).toEqual([]);
    await next.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'a Postgres killed under the program is started again, and the acknowledged rows are there',
  async () => {
    const data = await readyDirectory();
    const program = start(['write', data]);
    const address = await program.until('address');
    await program.until('written');
    await Bun.sleep(100);
    const killed = postmasterOf(data);
    process.kill(killed, 'SIGKILL');
    const before = acknowledged(program).length;
    await eventually(
      () => program.facts.some((fact) => fact.said === 'Postgres runs again.'),
      40_000,
    );
    await eventually(() => acknowledged(program).length > before + 10, 40_000);
    expect(postmasterOf(data)).not.toBe(killed);
    expect(program.facts.some((fact) => fact.said?.includes('SIGKILL'))).toBe(true);
    await expectAllStored(address, acknowledged(program));
    await program.kill('SIGKILL');
  },
  ROOM_MS,
);

test(
  'a Postgres that keeps dying is given up with a sentence, and the program can still stop',
  async () => {
    const data = await readyDirectory();
    const program = start(['serve', data]);
    await program.until('ready');
    writeFileSync(join(data, 'pgdata/global/pg_control'), 'no longer what it was');
    process.kill(postmasterOf(data), 'SIGKILL');
    expect(await program.until('gaveUp')).toContain('more than 5 times within a minute');
    expect(program.facts.some((fact) => fact.said?.includes('Postgres did not start'))).toBe(true);
    expect(await program.kill('SIGTERM')).toBe(0);
    expect(program.noise()).toBe('');
  },
  ROOM_MS,
);

test(
  'a first start that is killed at any moment does not spoil the next',
  async () => {
    const data = join(temporaryDirectory(), 'data');
    for (const afterMs of [60, 250, 500, 800]) {
      const program = start(['serve', data]);
      await Bun.sleep(afterMs);
      await program.kill('SIGKILL');
    }
    const next = start(['serve', data]);
    expect(await ask(await next.until('address'), 'select 1 as one')).toEqual([{ one: 1 }]);
    await next.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'a pid file left behind that names a living stranger does not stop a start',
  async () => {
    const data = await readyDirectory();
    const stranger = Bun.spawn(['sleep', '60']);
    const lines = [stranger.pid, join(data, 'pgdata'), 1, 5432, join(data, 'run'), '', '', 'ready'];
    writeFileSync(join(data, 'pgdata/postmaster.pid'), `${lines.join('\n')}\n`);
    const program = start(['serve', data]);
    expect(await ask(await program.until('address'), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(stranger.exitCode).toBe(null);
    stranger.kill();
    await program.kill('SIGTERM');
    expect(existsSync(join(data, 'pgdata/postmaster.pid'))).toBe(false);
  },
  ROOM_MS,
);

test(
  'a Postgres that survived its program is ended before the next start',
  async () => {
    const data = await readyDirectory();
    const first = start(['write', data]);
    await first.until('written');
    const postmaster = postmasterOf(data);
    // Stopped, it cannot obey the signal that its program's death sends it.
    process.kill(postmaster, 'SIGSTOP');
    await first.kill('SIGKILL');
    const next = start(['serve', data]);
    await Bun.sleep(200);
    expect(next.facts).toEqual([]);
    process.kill(postmaster, 'SIGCONT');
    await expectAllStored(await next.until('address'), acknowledged(first));
    expect(postmasterOf(data)).not.toBe(postmaster);
    await next.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'the data of another major version is refused untouched',
  async () => {
    const data = await readyDirectory();
    writeFileSync(join(data, 'pgdata/PG_VERSION'), '17\n');
    const program = start(['serve', data]);
    expect(await program.until('failed')).toContain('written by PostgreSQL 17');
    expect(postgresOf(data)).toEqual([]);
    expect(readFileSync(join(data, 'pgdata/PG_VERSION'), 'utf8')).toBe('17\n');
  },
  ROOM_MS,
);
