import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
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

const hasReturned = (program: Program): boolean =>
  program.facts.some((fact) => fact.returned === true);

test(
  "a command uses the running server's Postgres and leaves it running",
  async () => {
    const data = await readyDirectory();
    const server = start(['serve', data]);
    const address = await server.until('address');
    const postmaster = postmasterOf(data);
    const commands = [start(['borrow', data]), start(['borrow', data])];
    for (const command of commands) expect(await command.until('returned')).toBe(true);
    expect(postmasterOf(data)).toBe(postmaster);
    expect(await ask(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'a command without a server starts a Postgres, on an empty directory too, and stops it',
  async () => {
    const data = join(temporaryDirectory(), 'data');
    const command = start(['borrow', data]);
    expect(await command.until('returned')).toBe(true);
    expect(await command.process.exited).toBe(0);
    expect(postgresOf(data)).toEqual([]);
    expect(command.noise()).toBe('');
  },
  ROOM_MS,
);

test(
  'two commands at once share one Postgres, and the one that started it waits for the other',
  async () => {
    const data = await readyDirectory();
    const first = start(['hold', data]);
    const since = await first.until('since');
    const second = start(['hold', data]);
    expect(await second.until('since')).toBe(since);
    first.process.kill('SIGUSR2');
    await Bun.sleep(500);
    expect(hasReturned(first)).toBe(false);
    second.process.kill('SIGUSR2');
    expect(await second.until('returned')).toBe(true);
    expect(await first.until('returned')).toBe(true);
    expect(await first.process.exited).toBe(0);
    expect(postgresOf(data)).toEqual([]);
  },
  ROOM_MS,
);

test(
  'many commands on a new directory at once all work',
  async () => {
    const data = join(temporaryDirectory(), 'data');
    const commands = Array.from({ length: 4 }, () => start(['borrow', data]));
    for (const command of commands) expect(await command.until('returned')).toBe(true);
    for (const command of commands) expect(await command.process.exited).toBe(0);
    expect(postgresOf(data)).toEqual([]);
  },
  ROOM_MS,
);

test(
  'a server waits for a command at work on the directory',
  async () => {
    const data = await readyDirectory();
    const command = start(['hold', data]);
    await command.until('borrowed');
    const server = start(['serve', data]);
    expect(await server.until('said')).toContain(`command (pid ${command.process.pid})`);
    expect(hasReturned(command)).toBe(false);
    command.process.kill('SIGUSR2');
    await server.until('ready');
    expect(hasReturned(command)).toBe(true);
    await server.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'a command that comes while a server starts uses it, and one after its death needs none',
  async () => {
    const data = join(temporaryDirectory(), 'data');
    const server = start(['serve', data]);
    await Bun.sleep(100);
    const command = start(['borrow', data]);
    await command.until('returned');
    expect(await server.until('ready')).toBe(true);

    const dying = start(['hold', data]);
    await dying.until('borrowed');
    await server.kill('SIGKILL');
    await eventually(() => postgresOf(data).length === 0, 60_000);
    const next = start(['borrow', data]);
    await next.until('borrowed');
    await dying.kill('SIGKILL');
    expect(await next.until('returned')).toBe(true);
  },
  ROOM_MS,
);
