/** `matterhorn upgrade` where the data is in a Postgres of Debian's, with two roles, beside a table of the owner's own. */
import { readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import { connect } from '../../support/database.ts';
import { check } from '../../support/executable.ts';
import type { UpgradeTrial } from '../../support/upgrade-trial.ts';
import { openCluster } from '../standby/cluster.ts';
import { kill, killsOn, processOf } from './upgrade-killed.ts';
import { tryService } from './upgrade-service.ts';

const roles = ['matterhorn_owner', 'matterhorn_requests'] as const;

/** The same trial with its data in a cluster, and the folder that takes the copies. */
const moveOutside = async (trial: UpgradeTrial) => {
  const cluster = await openCluster();
  await cluster.begin();
  const addressAs = (role: string, database = 'matterhorn') => {
    const url = new URL(cluster.url);
    url.username = role;
    url.pathname = database;
    return url.href;
  };
  const admin = connect(addressAs('postgres', 'postgres'));
  const copies = join(trial.folder, 'copies');
  await mkdir(copies);
  const settings = {
    DATABASE_OWNER_URL: addressAs(roles[0]),
    DATABASE_URL: addressAs(roles[1]),
    INSTALLATION_KEY: join(copies, 'installation.key'),
  };
  const begin = async (template: string) => {
    await admin.unsafe('drop database if exists matterhorn with (force)');
    await admin.unsafe(`create database matterhorn owner ${roles[0]} template ${template}`);
  };
  const command = (words: string[], more: Record<string, string> = {}) =>
    trial.command(words, { ...settings, ...more });
  const sql = async (text: string) => {
    const client = connect(addressAs(roles[0]));
    try {
      return [...(await client.unsafe(text))] as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };

  for (const role of roles) await admin.unsafe(`create role ${role} login`);
  await begin('template0');
  const made = await command(['firm', 'apply', join(trial.folder, 'firm.json')]);
  if (made.exitCode !== 0) throw new Error(made.err);
  await sql("create table harrow_report as select 'Ours' as title");
  await admin.unsafe('alter database matterhorn rename to pristine');

  const copiesLeft = () => readdirSync(copies).filter((name) => name.startsWith('database-'));
  const outside = {
    ...trial,
    environment: { ...trial.environment, ...settings },
    data: copies,
    upgradeWords: [...trial.upgradeWords.slice(0, 4), '--data', copies],
    command,
    install: async () => {
      await trial.install();
      await begin('pristine');
      // The heads of a database that is not there any more.
      await rm(`${settings.INSTALLATION_KEY}.heads`, { force: true });
      for (const name of copiesLeft()) await rm(join(copies, name), { recursive: true });
    },
    serve: (more: Record<string, string> = {}) => trial.serve({ ...settings, ...more }, []),
    hasFirm: async () =>
      (await command(['firm', 'list'])).out.includes('Harrow') &&
      (await sql('select title from harrow_report'))[0]?.title === 'Ours',
    isLogWhole: async () => (await command(['audit', 'verify'])).exitCode === 0,
  };
  return { outside, admin, settings, sql, copiesLeft, addressAs };
};

type Outside = Awaited<ReturnType<typeof moveOutside>>;

type Part = (name: string, act: () => Promise<void>) => Promise<void>;

export const tryOutside = async (trial: UpgradeTrial, part: Part) => {
  let opened: Promise<Outside> | undefined;
  const open = () => (opened ??= moveOutside(trial));
  await part('outside, by hand', async () => byHand(await open()));
  await part('outside, refused', async () => refused(await open()));
  await part('outside, killed', async () => killed(await open()));
  await part('outside, as a service', async () => asService(trial, await open()));
  await (await opened)?.admin.end();
};

/** The settings are those of the service: the one who upgrades it has none. */
const asService = async (trial: UpgradeTrial, { outside, settings, copiesLeft }: Outside) => {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  const { command, environment } = trial;
  await tryService({ ...outside, command, environment }, lines.join(''));
  check('the services left no copy', copiesLeft().length === 0);
};

const lastUpgradeOf = async ({ outside }: Outside) =>
  JSON.parse((await outside.command(['doctor', '--json'])).out).lastUpgrade;

const byHand = async (moved: Outside) => {
  const { outside, copiesLeft } = moved;
  await outside.install();
  const done = await outside.command(outside.upgradeWords);
  console.log(done.err + done.out);
  check('it upgrades', done.exitCode === 0 && (await outside.version()) === '9.2.0');
  check('nobody is told that --data is not used', !done.err.includes('--data'));
  check('there is one copy', copiesLeft().length === 1);
  const during = await outside.command(['firm', 'list']);
  check('no command stores what could be put back', /interrupted/.test(during.err));
  const after = await outside.serve();
  check('the new version serves the data', (await after.isReady()) && (await outside.hasFirm()));
  check('the copy is gone', copiesLeft().length === 0);
  check('the doctor knows it', (await lastUpgradeOf(moved)).result === 'upgraded');
  check('the log says it', (await after.stop()).includes('"event":"upgraded"'));
  check('the audit log is whole', await outside.isLogWhole());

  await outside.install();
  const failed = await outside.command(outside.upgradeWords, { UPGRADE_FAILS: 'trial' });
  console.log(failed.err);
  check(
    'it says why',
    failed.exitCode === 1 && failed.err.includes('It fails as it was asked to.'),
  );
  check('the executable is the one before', (await outside.version()) === '9.1.0');
  check('the copy is gone', copiesLeft().length === 0);
  check('the data is as before', await outside.hasFirm());
  check('the doctor knows it', (await lastUpgradeOf(moved)).result === 'went back');
  const before = await outside.serve();
  check('the version before serves it', await before.isReady());
  await before.stop();
  check('the audit log is whole', await outside.isLogWhole());

  await outside.install();
  await outside.command(outside.upgradeWords);
  const stops = await outside.serve({ UPGRADE_FAILS: 'service' });
  check('the new version does not start', stops.server.exitCode !== 0);
  await $`mv ${outside.executable}.before ${outside.executable}`;
  const back = await outside.serve();
  check('the data follows the executable', (await back.isReady()) && (await outside.hasFirm()));
  await back.stop();
};

const refused = async (moved: Outside) => {
  const { outside, copiesLeft, settings, sql } = moved;
  const refuses = async (what: string, said: RegExp, more: Record<string, string> = {}) => {
    const { exitCode, err } = await outside.command(outside.upgradeWords, more);
    console.log(`     ${err.trimEnd().split('\n').at(-1)}`);
    check(`${what} is refused`, exitCode === 1 && said.test(err));
    const [mark] = await sql(
      "select obj_description('drizzle.__drizzle_migrations'::regclass) as comment",
    );
    check(
      '  and nothing was changed',
      copiesLeft().length === 0 && !`${mark?.comment}`.includes('begunAt'),
    );
    check('  and the version before is there', (await outside.version()) === '9.1.0');
  };
  await outside.install();
  const other = await outside.serve();
  await refuses('a second live instance', /Stop every server of it, on all machines/);
  check('it goes on', await other.isReady());
  await other.stop();
  await refuses('a role that does not own the tables', /DATABASE_OWNER_URL/, {
    DATABASE_OWNER_URL: settings.DATABASE_URL,
  });
  await refuses('a database that is away', /No database answers/, {
    DATABASE_OWNER_URL: 'postgres://ada@127.0.0.1:1/harrow',
  });
  await $`mv ${outside.data} ${outside.data}-there && mkdir ${outside.data}`;
  if (
    (await $`mount -t tmpfs -o size=4k,mode=755 none ${outside.data}`.nothrow().quiet())
      .exitCode === 0
  ) {
    const key = { INSTALLATION_KEY: join(`${outside.data}-there`, 'installation.key') };
    await refuses('a disk without room for the copy', /disk is full at .*before-upgrade/, key);
    await $`umount ${outside.data}`.quiet();
  } else console.log('     a full disk was not tried: no disk can be made here');
  await $`rmdir ${outside.data} && mv ${outside.data}-there ${outside.data}`;
};

const killed = async (moved: Outside) => {
  const { outside, sql, copiesLeft, addressAs } = moved;

  /** Begins an upgrade, which nobody else may use the database for, and calls `act` when it has said a word. */
  const until = async (
    word: string,
    act: (upgrade: Bun.Subprocess) => Promise<void>,
    more: Record<string, string> = {},
  ) => {
    await outside.install();
    await killsOn(outside).begun(word, act, more);
  };
  const oneServes = async (what: string) => {
    const server = await outside.serve();
    const serves = (await server.isReady()) && (await outside.hasFirm());
    const is = `${what}: ${await outside.version()} serves`;
    check(is, serves && copiesLeft().length === 0 && (await outside.isLogWhole()));
    await server.stop();
  };
  /** Holds a lock until `act` has killed who waits for it. */
  const atLock = async (lock: string, act: () => void) => {
    const client = connect(addressAs('matterhorn_owner'));
    await client.unsafe(`begin; lock table ${lock}`);
    const waits =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = 'matterhorn'";
    while ((await sql(waits)).length === 0) await Bun.sleep(10);
    act();
    await client.unsafe('rollback');
    await client.end();
  };
  const lockOnFirm = 'firm in access share mode';

  for (const [word, delay] of [
    ['Copying', 0],
    ['Copying', 300],
    ['Trying', 0],
    ['Trying', 600],
    ['Putting', 0],
    ['Upgraded', 0],
  ] as const) {
    await until(word, async (upgrade) => {
      await Bun.sleep(delay);
      kill(upgrade.pid);
    });
    await oneServes(`the upgrade killed ${delay} ms after “${word}”`);
  }

  await until('Trying', (upgrade) => atLock(lockOnFirm, () => kill(upgrade.pid)));
  await oneServes('the upgrade killed while the new version migrates');

  await until('Trying', () =>
    atLock(lockOnFirm, () => kill(processOf(`${outside.executable}.new serve`))),
  );
  await oneServes('the new server killed while it migrates');

  const failing = { UPGRADE_FAILS: 'trial' };
  for (const [when, lock] of [
    ['before it removes a table', lockOnFirm],
    [
      'when all is stored but the end',
      'drizzle.__drizzle_migrations in share update exclusive mode',
    ],
  ] as const) {
    const killsBack = async (upgrade: Bun.Subprocess) => {
      while (!processOf('/proc/self/exe upgrade-data back')) await Bun.sleep(2);
      await atLock(lock, () => {
        kill(processOf('/proc/self/exe upgrade-data back'));
        kill(upgrade.pid);
      });
    };
    await until('Trying', killsBack, failing);
    await oneServes(`going back killed ${when}`);
  }

  await until('Trying', (upgrade) => atLock(lockOnFirm, () => kill(upgrade.pid)));
  const back = await outside.command(['upgrade', '--data', outside.data]);
  console.log(back.err + back.out);
  check('an interrupted upgrade goes back when it is asked to', back.exitCode === 0);
  check('and leaves no copy', copiesLeft().length === 0);
  const again = await outside.command(outside.upgradeWords);
  check('and is done again', again.exitCode === 0 && (await outside.version()) === '9.2.0');
  const finished = await outside.command(['upgrade']);
  check('what waits for its first start is said', /Start it again/.test(finished.out));
  await oneServes('the new version, started');
};
