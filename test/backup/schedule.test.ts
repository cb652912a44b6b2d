/** A server that is given a folder backs up into it by itself, each time once, and keeps the last ones. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateIn, ownFolder } from '../support/backup.ts';
import { emptyDatabase, ownDatabase } from '../support/database.ts';
import { withoutLateJobs } from '../support/expectations.ts';
import { makeFirm } from '../support/firm.ts';
import { startInstance } from '../support/instances.ts';
import { expectSentence, run, runJson } from '../support/terminal.ts';

const hour = 3_600_000;

/** The name of a backup made this long ago. */
const nameOf = (agoMilliseconds: number) => {
  const stamp = new Date(Date.now() - agoMilliseconds).toISOString().slice(0, 19);
  return `matterhorn-${stamp.replaceAll(':', '-')}Z.backup`;
};

const firmToBackUp = async () => {
  const databaseUrl = await ownDatabase();
  await makeFirm({ url: '', databaseUrl });
  return databaseUrl;
};

/** An instance that backs up into `folder`; `log` holds what it said. */
const start = async (databaseUrl: string, folder: string, more: Record<string, string> = {}) => {
  const log: string[] = [];
  const instance = await startInstance(databaseUrl, {
    environment: { BACKUP_DIR: folder, MATTERHORN_LOG: '', ...more },
    hear: (text) => log.push(text),
  });
  const said = async (event: string) => {
    for (;;) {
      const line = log
        .join('')
        .split('\n')
        .find((one) => one.includes(`"event":"${event}"`));
      if (line) return JSON.parse(line) as Record<string, unknown>;
      await Bun.sleep(20);
    }
  };
  return { ...instance, log, said };
};

describe('A server with BACKUP_DIR', () => {
  test('makes the folder and a backup in it, which restores; and none more at a restart', async () => {
    const databaseUrl = await firmToBackUp();
    const folder = join(await ownFolder(), 'backups');
    const server = await start(databaseUrl, folder);
    const { file, rows } = await server.said('backup made');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([file as string]);
    expect(file).toMatch(/\/matterhorn-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/);
    expect(statSync(file as string).mode & 0o777).toBe(0o600);
    const proof = await runJson<{ rows: number }>(await emptyDatabase(), [
      'restore',
      '--unsigned',
      file as string,
    ]);
    expect(proof.rows).toBe(rows as number);
    await server.stop();
    const again = await start(databaseUrl, folder);
    // It looks before it serves its first minute; what is not due then is not made.
    await Bun.sleep(1_000);
    await again.stop();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('backs up when the newest one is old enough, keeps the last ones, and touches nothing else', async () => {
    const databaseUrl = await firmToBackUp();
    const folder = await ownFolder();
    const old = [7, 6, 5, 4].map((hours) => nameOf(hours * hour + 1_000));
    const stale = `${nameOf(50 * hour)}.unfinished`;
    const young = `${nameOf(1_000)}.unfinished`;
    const future = nameOf(-48 * hour);
    const others = ['notes.txt', `my-${old[0]}`, `${old[0]}.gpg`, 'matterhorn-2020.backup'];
    for (const name of [...old, ...others, stale, young, future])
      writeFileSync(join(folder, name), name);
    const longAgo = (Date.now() - 50 * hour) / 1000;
    utimesSync(join(folder, stale), longAgo, longAgo);
    const server = await start(databaseUrl, folder, { BACKUP_EVERY: '4h', BACKUP_KEEP: '3' });
    const { file } = await server.said('backup made');
    const made = (file as string).slice(folder.length + 1);
    const expected = [...old.slice(-2), made, ...others, young, future].sort();
    while (readdirSync(folder).length > expected.length) await Bun.sleep(20);
    await server.stop();
    expect(readdirSync(folder).sort()).toEqual(expected);
    expect(await Bun.file(join(folder, old[3] as string)).text()).toBe(old[3] as string);
  });

  test('does so once, however many instances share the database and the folder', async () => {
    const databaseUrl = await firmToBackUp();
    const folder = await ownFolder();
    const servers = await Promise.all([1, 2, 3].map(() => start(databaseUrl, folder)));
    await Promise.race(servers.map((server) => server.said('backup made')));
    await Bun.sleep(1_500);
    await Promise.all(servers.map((server) => server.stop()));
    expect(readdirSync(folder)).toHaveLength(1);
    const logs = servers.flatMap(({ log }) => log).join('');
    expect(logs.match(/"event":"backup made"/g)).toHaveLength(1);
    expect(logs).not.toContain('"level":"error"');
  });

  test('leaves nothing of a backup that was under way when it was stopped', async () => {
    const databaseUrl = await firmToBackUp();
    const gate = await gateIn(databaseUrl);
    await gate.inBackup();
    const folder = await ownFolder();
    const server = await start(databaseUrl, folder);
    await gate.reached();
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/Z\.backup\.unfinished$/)]);
    expect((await server.stop()).exitCode).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(server.log.join('')).not.toContain('"level":"error"');
  });

  test('says in one line why it failed, serves on, and the doctor says so too', async () => {
    const databaseUrl = await firmToBackUp();
    const folder = join(await ownFolder(), 'file');
    writeFileSync(folder, 'in the way');
    const server = await start(databaseUrl, folder);
    const { at, ...line } = await server.said('scheduled backup failed');
    expect(line).toEqual({
      level: 'error',
      event: 'scheduled backup failed',
      message: `The file ${folder} already exists. Choose another name.`,
    });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const environment = { BACKUP_DIR: folder };
    const ill = await run(databaseUrl, ['doctor'], '', environment);
    expect([ill.exitCode, ill.out]).toEqual([1, expect.stringContaining('cannot be read')]);
    rmSync(folder);
    await server.stop();
    expect(server.log.join('').match(/scheduled backup failed/g)).toHaveLength(1);
  });
});

describe('The doctor', () => {
  test('says when the newest backup is older than twice the time between two', async () => {
    const databaseUrl = await firmToBackUp();
    const folder = await ownFolder();
    const doctor = async (environment: Record<string, string>) => {
      const { exitCode, out } = await run(databaseUrl, ['doctor', '--json'], '', environment);
      const { findings } = JSON.parse(out) as { findings: { level: string; what: string }[] };
      const problems = findings.filter(({ level }) => level === 'problem');
      expect(exitCode).toBe(problems.length > 0 ? 1 : 0);
      const others = withoutLateJobs(problems).filter(({ what }) => !what.includes(folder));
      expect(others).toEqual([]);
      const about = problems.filter(({ what }) => what.includes(folder));
      return about.map(({ level, what }) => `${level}: ${what}`);
    };
    expect(await doctor({})).toEqual([]);
    const none = [`problem: There is no backup in ${folder} yet.`];
    expect(await doctor({ BACKUP_DIR: folder })).toEqual(none);
    writeFileSync(join(folder, nameOf(9 * hour)), '');
    expect(await doctor({ BACKUP_DIR: folder })).toEqual([]);
    expect(await doctor({ BACKUP_DIR: folder, BACKUP_EVERY: '5h' })).toEqual([]);
    const late = await doctor({ BACKUP_DIR: folder, BACKUP_EVERY: '4h' });
    expect(late).toEqual([expect.stringMatching(/^problem: The newest backup in .* is of \d{4}-/)]);
  });

  test('settings that are wrong are named, with what they take', async () => {
    const databaseUrl = await firmToBackUp();
    for (const [name, values] of Object.entries({
      BACKUP_EVERY: ['', '24', '0h', 'daily', '1.5h', '-1h'],
      BACKUP_KEEP: ['', '0', '-1', 'all', '1.5'],
      BACKUP_DIR: ['backups', './backups', '~/backups'],
      MATTERHORN_LOG: ['loud', 'QUIET', 'info'],
    })) {
      for (const value of values) {
        const environment = { BACKUP_DIR: '/tmp', [name]: value };
        expectSentence(await run(databaseUrl, ['doctor'], '', environment), `${name} must be`);
      }
    }
  });
});
