import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  ask,
  commandForEveryone,
  isRoot,
  postgresOf,
  ROOM_MS,
  readyDirectory,
  removeLater,
  start,
  temporaryDirectory,
  tidyUp,
} from './driver.ts';

const NOBODY = isRoot ? 65534 : (process.geteuid?.() ?? 0);
const UNKNOWN = 54321;
let command: string[] = [];

beforeAll(() => {
  if (isRoot) command = commandForEveryone();
});
afterAll(async () => {
  await tidyUp();
  const left = '/var/lib/matterhorn';
  if (isRoot && existsSync(left) && readdirSync(left).length === 0) rmdirSync(left);
});

const usersOf = (pids: number[]): number[] => [
  ...new Set(pids.map((pid) => statSync(`/proc/${pid}`).uid)),
];

/** How to start the program as another user: only root can. */
const as = (uid: number) =>
  isRoot
    ? { before: ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'], command }
    : {};

test(
  'Postgres never runs as root: as the owner of the data, else as nobody, else as whoever started it',
  async () => {
    const data = await readyDirectory();
    const program = start(['serve', data]);
    await program.until('ready');
    const users = usersOf(postgresOf(data));
    expect(users).toEqual([isRoot ? NOBODY : (process.geteuid?.() ?? -1)]);
    expect(users).not.toContain(0);
    await program.kill('SIGTERM');

    const owned = join(temporaryDirectory(), 'data');
    mkdirSync(owned);
    if (isRoot) chownSync(owned, 1, 1);
    const second = start(['serve', owned]);
    const address = await second.until('address');
    expect(usersOf(postgresOf(owned))).toEqual([isRoot ? 1 : (process.geteuid?.() ?? -1)]);
    expect(await ask(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.kill('SIGTERM');
    for (const name of ['server.lock', 'cluster.lock', 'pgpass', 'pgdata', 'runtime']) {
      expect(statSync(join(owned, name)).uid).toBe(statSync(owned).uid);
    }
  },
  ROOM_MS,
);

test(
  'an ordinary user runs everything as himself, in a directory closed to others',
  async () => {
    const home = temporaryDirectory();
    if (isRoot) chownSync(home, NOBODY, NOBODY);
    chmodSync(home, 0o700);
    const data = join(home, 'data');
    const program = start(['serve', data], as(NOBODY));
    const address = await program.until('address');
    expect(usersOf(postgresOf(data))).toEqual([NOBODY]);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(await ask(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await program.kill('SIGTERM')).toBe(0);
    expect(program.facts.some((fact) => fact.said !== undefined)).toBe(false);
  },
  ROOM_MS,
);

test(
  'below a private home of root the data lies elsewhere, always in the same place, and root is told',
  async () => {
    const home = temporaryDirectory();
    chmodSync(home, 0o700);
    const asked = join(home, 'firm', 'data');
    const place = await start(['place', asked]).until('place');
    if (isRoot) removeLater(place);
    const program = start(['serve', asked]);
    expect(await program.until('dataDirectory')).toBe(place);
    if (isRoot) {
      expect(place).toMatch(/^\/var\/lib\/matterhorn\/firm-[0-9a-f]{8}$/);
      expect(program.facts[0]?.said).toContain(place);
      expect(existsSync(asked)).toBe(false);
    } else {
      expect(place).toBe(asked);
      expect(program.facts.some((fact) => fact.said !== undefined)).toBe(false);
    }
    const command = start(['borrow', asked]);
    expect(await command.until('returned')).toBe(true);
    await program.kill('SIGTERM');

    // Whoever opens the home later still finds the data.
    chmodSync(home, 0o755);
    expect(await start(['place', asked]).until('place')).toBe(place);
  },
  ROOM_MS,
);

test(
  'data that its user may no longer reach is refused, not begun anew elsewhere',
  async () => {
    const home = temporaryDirectory();
    const data = join(home, 'data');
    const first = start(['borrow', data]);
    await first.until('returned');
    chmodSync(home, isRoot ? 0o700 : 0o600);
    const second = start(['serve', data]);
    const sentence = await second.until('failed');
    expect(sentence).toContain(home);
    expect(second.facts.at(-1)?.name).toBe('PlainError');
    expect(second.noise()).toBe('');
    chmodSync(home, 0o755);
  },
  ROOM_MS,
);

test(
  'a directory that may not be written is refused in one sentence',
  async () => {
    const home = temporaryDirectory();
    chmodSync(home, 0o555);
    const program = start(['serve', join(home, 'data')], as(NOBODY));
    expect(await program.until('failed')).toContain('the permission is missing');
    expect(program.facts[0]?.name).toBe('PlainError');
    expect(await program.process.exited).toBe(1);
    expect(program.noise()).toBe('');

    const awkward = start(['serve', join(home, 'a:b$c')]);
    expect(await awkward.until('failed')).toContain('name another');
  },
  ROOM_MS,
);

test(
  'a user without a name is told what he lacks',
  async () => {
    const home = temporaryDirectory();
    if (isRoot) chownSync(home, UNKNOWN, UNKNOWN);
    const program = start(['serve', join(home, 'data')], as(UNKNOWN));
    if (isRoot) {
      expect(await program.until('failed')).toContain(`uid ${UNKNOWN} has no name`);
      expect(program.noise()).toBe('');
    } else {
      expect(await program.until('ready')).toBe(true);
      await program.kill('SIGTERM');
    }
  },
  ROOM_MS,
);
