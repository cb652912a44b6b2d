import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
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

const self = process.geteuid?.() ?? -1;
const nobody = isRoot ? 65534 : self;
const unknown = 54321;
/** A user with a name that owns data here: root is not to work on it. */
const daemon = isRoot ? 1 : self;
let command: string[] = [];

beforeAll(() => {
  if (isRoot) command = commandForEveryone();
});
afterAll(async () => {
  await tidyUp();
  const left = '/var/lib/matterhorn-root';
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

const uidOf = (name: string) => Number(Bun.spawnSync(['id', '-u', name]).stdout.toString().trim());

/** The user of a process, as every thread of it has it: real, effective, saved, of files. */
const identitiesOf = (pid: number) => [
  ...new Set(
    readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      (/^Uid:(.*)$/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))?.[1] ?? '')
        .trim()
        .split(/\s+/)
        .map(Number),
    ),
  ),
];

test(
  'Postgres never runs as root: on its own data it runs as a user that nothing else runs as',
  async () => {
    const data = await readyDirectory();
    const program = start(['serve', data]);
    await program.until('ready');
    const users = usersOf(postgresOf(data));
    expect(users).toEqual([isRoot ? uidOf('matterhorn-postgres') : self]);
    expect(users).not.toContain(0);
    expect(users).not.toContain(65534);
    await program.kill('SIGTERM');
  },
  ROOM_MS,
);

test.skipIf(!isRoot)(
  'root becomes the user whom the data belongs to, for good and before it touches anything, and says so',
  async () => {
    const owned = join(temporaryDirectory(), 'data');
    mkdirSync(owned, { mode: 0o700 });
    chownSync(owned, daemon, daemon);
    const program = start(['serve', owned], { command });
    const address = await program.until('address');
    expect(program.facts[0]?.said).toContain(
      `${owned} belongs to user daemon: this runs as that user, not as root. Better: runuser -u daemon --`,
    );
    expect(identitiesOf(program.process.pid)).toEqual([daemon]);
    expect(usersOf(postgresOf(owned))).toEqual([daemon]);
    expect(await ask(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    const groups = readFileSync(`/proc/${program.process.pid}/status`, 'utf8');
    expect(groups).toMatch(/^Groups:\s*1\s*$/m);
    await program.kill('SIGTERM');
    for (const name of ['server.lock', 'cluster.lock', 'pgpass', 'pgdata', 'runtime']) {
      expect(statSync(join(owned, name)).uid).toBe(daemon);
    }
  },
  ROOM_MS,
);

describe.skipIf(!isRoot)('Root that runs a command on data of another user', () => {
  /** Data of the user daemon, who may have anything lying in it. */
  const ownedData = async (program = command) => {
    const owned = join(temporaryDirectory(), 'data');
    mkdirSync(owned, { mode: 0o700 });
    chownSync(owned, daemon, daemon);
    await start(['borrow', owned], { command: program }).until('returned');
    return owned;
  };

  test(
    'executes nothing there as root',
    async () => {
      // From such a path the programs do not run: they are copied into the data directory.
      const copying = commandForEveryone('awkward $ path');
      const owned = await ownedData(copying);
      const witness = join(temporaryDirectory(), 'witness');
      mkdirSync(witness);
      chmodSync(witness, 0o1777);
      for (const id of readdirSync(join(owned, 'runtime'))) {
        const program = join(owned, 'runtime', id, 'bin/postgres');
        rmSync(join(owned, 'runtime', id), { recursive: true });
        mkdirSync(join(owned, 'runtime', id, 'bin'), { recursive: true });
        writeFileSync(program, `#!/bin/sh\ntouch ${witness}/ran-$(id -u)\nexit 1\n`);
        chmodSync(program, 0o755);
      }
      Bun.spawnSync(['chown', '-Rh', `${daemon}`, owned]);
      const program = start(['borrow', owned], { command: copying });
      expect(await program.until('failed')).toContain('does not run');
      expect(readdirSync(witness)).toEqual([`ran-${daemon}`]);
    },
    ROOM_MS,
  );

  test(
    'gives nothing of root away, reads and writes nothing of root, through planted links',
    async () => {
      const owned = await ownedData();
      const own = temporaryDirectory();
      const secret = join(own, 'secret');
      const untouched = () => {
        const { uid, mode, size, mtimeMs, nlink } = statSync(secret);
        return { uid, mode, size, mtimeMs, nlink, names: readdirSync(own) };
      };
      writeFileSync(secret, 'of root alone\n', { mode: 0o600 });
      const before = untouched();
      const planted = ['server.lock', 'borrowers.lock', 'cluster.lock', 'postgres.log.1', 'pgpass'];
      planted.push('postgres.log', 'runtime', 'run', 'pgdata/postmaster.pid', 'pgdata/PG_VERSION');
      for (const name of planted) {
        const path = join(owned, name);
        const aside = `${path}.aside`;
        if (existsSync(path)) renameSync(path, aside);
        symlinkSync(name === 'runtime' || name === 'run' ? own : secret, path);
        Bun.spawnSync(['chown', '-h', `${daemon}`, path]);
        const program = start(['borrow', owned], { command });
        await program.process.exited;
        expect([name, untouched()]).toEqual([name, before]);
        expect([name, JSON.stringify(program.facts), program.noise()]).not.toContain(
          'of root alone',
        );
        rmSync(path, { recursive: true, force: true });
        if (existsSync(aside)) renameSync(aside, path);
      }
    },
    2 * ROOM_MS,
  );

  test(
    'is refused where a folder or a link on the way belongs to yet another, or lies open to all',
    async () => {
      const home = temporaryDirectory();
      const links = join(home, 'links');
      mkdirSync(links);
      chownSync(links, daemon, daemon);
      const target = join(home, 'of-root');
      mkdirSync(target);
      symlinkSync(target, join(links, 'data'));
      const led = start(['serve', join(links, 'data')], { command });
      const moved = await led.until('dataDirectory');
      removeLater(moved);
      expect(moved).toStartWith('/var/lib/matterhorn-root/');
      await led.kill('SIGTERM');
      expect(readdirSync(target)).toEqual([]);

      const inside = join(links, 'standing');
      cpSync(await readyDirectory(), inside, { recursive: true });
      chownSync(inside, 0, 0);
      const stranger = start(['serve', inside], { command });
      expect(await stranger.until('failed')).toContain(
        `goes through ${links}, which belongs to user daemon`,
      );

      const open = await readyDirectory();
      chmodSync(open, 0o777);
      const refused = start(['serve', open], { command });
      expect(await refused.until('failed')).toContain(`chmod go-w ${open}`);
      expect(refused.noise()).toBe('');
    },
    ROOM_MS,
  );
});

test.skipIf(!isRoot)(
  "root's data that ran as nobody, whom others share, is given to a user of its own, and nothing besides",
  async () => {
    const data = await readyDirectory();
    const outside = join(temporaryDirectory(), 'outside');
    writeFileSync(outside, 'of root');
    Bun.spawnSync(['chown', '-Rh', 'nobody', join(data, 'pgdata')]);
    symlinkSync(outside, join(data, 'pgdata/base/link'));
    linkSync(outside, join(data, 'pgdata/base/hard'));
    const program = start(['serve', data]);
    await program.until('ready');
    expect(program.facts[0]?.said).toContain('is given to user matterhorn-postgres');
    expect(usersOf(postgresOf(data))).toEqual([uidOf('matterhorn-postgres')]);
    expect(statSync(outside).uid).toBe(0);
    expect(lstatSync(join(data, 'pgdata/base')).uid).toBe(uidOf('matterhorn-postgres'));
    await program.kill('SIGTERM');
  },
  ROOM_MS,
);

test(
  'an ordinary user runs everything as himself, in a directory closed to others',
  async () => {
    const home = temporaryDirectory();
    if (isRoot) chownSync(home, nobody, nobody);
    chmodSync(home, 0o700);
    const data = join(home, 'data');
    const program = start(['serve', data], as(nobody));
    const address = await program.until('address');
    expect(usersOf(postgresOf(data))).toEqual([nobody]);
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
      expect(place).toMatch(/^\/var\/lib\/matterhorn-root\/firm-[0-9a-f]{8}$/);
      expect(program.facts[0]?.said).toContain(place);
      expect(existsSync(asked)).toBe(false);
    } else {
      expect(place).toBe(asked);
      expect(program.facts.some((fact) => fact.said !== undefined)).toBe(false);
    }
    const command = start(['borrow', asked]);
    expect(await command.until('returned')).toBe(true);
    await program.kill('SIGTERM');

    // A user who opens the home later still finds the data.
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
    expect(second.facts.at(-1)?.name).toBe('Refusal');
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
    const program = start(['serve', join(home, 'data')], as(nobody));
    expect(await program.until('failed')).toContain('the permission is missing');
    expect(program.facts[0]?.name).toBe('Refusal');
    expect(await program.process.exited).toBe(1);
    expect(program.noise()).toBe('');

    const awkward = start(['serve', join(home, 'a:b$c')]);
    expect(await awkward.until('failed')).toContain('Name another');
  },
  ROOM_MS,
);

test(
  'a user without a name is told what he lacks',
  async () => {
    const home = temporaryDirectory();
    if (isRoot) chownSync(home, unknown, unknown);
    const program = start(['serve', join(home, 'data')], as(unknown));
    if (isRoot) {
      expect(await program.until('failed')).toContain(`uid ${unknown} has no name`);
      expect(program.noise()).toBe('');
    } else {
      expect(await program.until('ready')).toBe(true);
      await program.kill('SIGTERM');
    }
  },
  ROOM_MS,
);
