/** The state of the server, as a firm's people see it: findings, and backups. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberBackup } from '../../src/backup/remembered.ts';
import { startScheduledBackups } from '../../src/backup/schedule.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { memberBrowser } from '../support/app.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { environmentOf } from '../support/roles.ts';

// Of its own: a backup holds everything, and the tests' shared database grows.
const server = await startTestServer({ databaseUrl: await ownDatabase() });
const sql = connect(server.databaseUrl);
const here = '/settings/system';
const soon = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

/** The same server with a folder for backups; nothing is due there for a year. */
const withFolder = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'matterhorn-backups-'));
  const { databaseUrl } = server;
  const settings = readSettings({ DRAIN_SECONDS: '0', ...environmentOf(databaseUrl) });
  const backups = startScheduledBackups(settings.databaseOwner ?? '', {
    backups: { directory, everyMilliseconds: 31_536_000_000, keep: 3 },
    backupRecipients: [],
  });
  if (!backups || !settings.database) throw new Error('There is no folder.');
  const other = startServer(
    settings.database,
    { ...settings, backups: { directory, everyMilliseconds: 31_536_000_000, keep: 3 } },
    { host: '127.0.0.1', port: 0 },
    { backups },
  );
  const stop = async () => {
    await Promise.all([other.stop(), backups.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
  return { directory, stop, backups, server: { url: other.url, databaseUrl } };
};

describe('The system', () => {
  test('shows findings about this firm and the server, and nothing of another firm', async () => {
    const [firm, other] = [await makeFirm(server), await makeFirm(server, { numbering: {} })];
    const [ada, eve] = await Promise.all([
      memberBrowser(server, firm, owner),
      memberBrowser(server, other, owner),
    ]);
    await firm.command([
      'key',
      'create',
      '--member',
      owner,
      '--scope',
      'leads:read',
      '--name',
      'Soon',
      '--expires',
      soon,
    ]);
    const shown = await ada.get(here);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('The key &quot;Soon&quot;');
    expect(shown.text).toContain('href="/settings/keys"');
    expect(shown.text).toContain('this installation has no key');
    expect(shown.text).not.toContain(other.firm.name);
    const others = await eve.get(here);
    expect(others.text).toContain('has no numbering of leads, numbering of matters');
    expect(others.text).not.toContain('Soon');
    expect(others.text).not.toContain(firm.firm.name);
  });

  test('says honestly that there is no folder for backups, and makes none', async () => {
    const firm = await makeFirm(server);
    const ada = await memberBrowser(server, firm, owner);
    const { text } = await ada.get(here);
    expect(text).toContain('Automatic backups are not set up.');
    expect(text).toContain('a Postgres database that is looked after elsewhere');
    const refused = await ada.send(`${here}/backup`, {});
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('has no folder for backups');
  });

  test('until there is a backup of the data here, the page warns and Home offers to set them up', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'matterhorn-data-'));
    const { databaseUrl } = server;
    const settings = readSettings({ DRAIN_SECONDS: '0', ...environmentOf(databaseUrl) });
    const other = startServer(
      settings.database ?? '',
      settings,
      { host: '127.0.0.1', port: 0 },
      { dataDirectory },
    );
    afterAll(async () => {
      await other.stop();
      await rm(dataDirectory, { recursive: true });
    });
    const here_ = { url: other.url, databaseUrl };
    const firm = await makeFirm(server);
    const [ada, ben, guest] = await Promise.all([
      memberBrowser(here_, firm, owner),
      memberBrowser(here_, firm, attorney),
      memberBrowser(here_, firm, owner, 'demonstration'),
    ]);
    const offer = 'Set up backups';
    const unknown = (await ada.get(here)).text;
    expect(unknown).toContain('This server knows of no backup;');
    // In the words of the page's own button.
    expect(unknown).toContain('it then creates a backup every day. To create one now, run');
    expect((await ada.get('/')).text).toContain(offer);
    await firm.owner.post('/v1/leads', { lastName: 'One' });
    const home = (await ada.get('/')).text;
    expect(home).toContain(offer);
    expect(home).not.toContain('Add your first lead');
    expect((await ben.get('/')).text).not.toContain(offer);
    expect((await guest.get('/')).text).not.toContain(offer);
    await rememberBackup(dataDirectory, new Date());
    expect((await ada.get(here)).text).not.toContain('knows of no');
    expect((await ada.get('/')).text).not.toContain(offer);
  });

  test('a backup is made by those who may, once at a time, and written down', async () => {
    const { directory, stop, server: with_ } = await withFolder();
    afterAll(stop);
    const firm = await makeFirm(server);
    const ada = await memberBrowser(with_, firm, owner);
    const ben = await memberBrowser(with_, firm, attorney);
    expect((await ben.get(here)).status).toBe(403);
    expect((await ben.send(`${here}/backup`, {})).status).toBe(403);
    const unproven = await memberBrowser(with_, firm, owner, 'unproven');
    const asked = await unproven.send(`${here}/backup`, {});
    expect(asked.location).toStartWith('/settings/me/confirm');
    const byHand = async () =>
      (await readdir(directory)).filter((name) => name.endsWith('.by-hand.backup'));
    // A server makes its first backup when it starts, and one at a time.
    while (!(await readdir(directory)).some((name) => name.endsWith('.backup')))
      await Bun.sleep(50);
    // The file is there a moment before its maker lets go of the turn.
    const turns = () => sql`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    while ((await turns()).length > 0) await Bun.sleep(50);
    expect(await byHand()).toEqual([]);
    const answers = await Promise.all([1, 2].map(() => ada.send(`${here}/backup`, {})));
    const statuses = answers.map(({ status }) => status).sort();
    const entries = await sql<{ after: string; memberId: string }[]>`
      select changes->'backup'->>'after' as after, member_id as "memberId" from audit_entry
      where firm_id = ${firm.id} and changes ? 'backup' order by id`;
    // The second one may come when the first is made. In the same second it has the same name.
    expect(statuses).toEqual(entries.length > 1 ? [303, 303] : [303, 422]);
    const names = [...new Set(entries.map(({ after }) => after))];
    expect((await byHand()).sort()).toEqual(names);
    expect(new Set(entries.map(({ memberId }) => memberId))).toEqual(
      new Set([firm.members[owner] ?? '']),
    );
    const { text } = await ada.get(here);
    expect(text).toContain(names[0] ?? 'a name');
    expect(text).toContain(directory);
    expect(text).toContain('under a minute old');
  });

  test('calls its own address, and says where nobody answers there', async () => {
    let url = '';
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => fetch(url + new URL(request.url).pathname),
    });
    afterAll(() => proxy.stop(true));
    const publicUrl = proxy.url.origin;
    const { databaseUrl } = server;
    const named = await startTestServer({ databaseUrl, environment: { PUBLIC_URL: publicUrl } });
    url = named.url;
    const firm = await makeFirm(named);
    const ada = await memberBrowser(named, firm, owner);
    const reached = await ada.get(here);
    expect(reached.text).toContain('PUBLIC_URL begins with http://');
    expect(reached.text).not.toContain(publicUrl);
    await proxy.stop(true);
    const { text } = await ada.get(here);
    expect(text).toContain(`Nobody answers at PUBLIC_URL, ${publicUrl}: it refuses connections.`);
  });
});
