/** Settings, Mail: an owner sets the firm's mail server, and sends a test to themselves. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInstallationKey } from '../../src/base/installation-key.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { memberBrowser as browser } from '../support/app.ts';
import { atEnd } from '../support/at-end.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, makeFirm, owner } from '../support/firm.ts';
import { startMailServer } from '../support/mail.ts';
import { environmentOf } from '../support/roles.ts';

const sharedUrl = await ownDatabase();
const sql = connect(sharedUrl);
const folder = mkdtempSync(join(tmpdir(), 'matterhorn-mail-'));
atEnd(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'installation.key');
const publicUrl = 'https://practice.harrow.example';
const key = makeInstallationKey(keyFile);

const serverWith = (
  environment: Record<string, string> = {},
  installation: object = { key, keyFile },
  databaseUrl = sharedUrl,
) => {
  const settings = readSettings({
    DRAIN_SECONDS: '0',
    PUBLIC_URL: publicUrl,
    ...environment,
    ...environmentOf(databaseUrl),
  });
  const started = startServer(
    settings.database ?? '',
    settings,
    { host: '127.0.0.1', port: 0 },
    installation,
  );
  atEnd(() => started.stop());
  return { url: started.url, databaseUrl };
};

const server = serverWith();
const here = '/settings/mail';

/** A browser at the application's own address. */
const memberBrowser = async (...of: Parameters<typeof browser>) => {
  const { get, send } = await browser(...of);
  return {
    get,
    send: (path: string, body: Record<string, string>) => send(path, body, { origin: publicUrl }),
  };
};

const passwordForm = (mailServer: { host: string; port: number }, password: string) => ({
  host: mailServer.host,
  port: String(mailServer.port),
  security: 'starttls',
  from: 'office@harrow.example',
  signsInBy: 'password',
  userName: 'office',
  password,
});

describe('The mail server of a firm', () => {
  test('is set by an owner, and a test shows the server’s own words', async () => {
    const firm = await makeFirm(server);
    const post = await startMailServer({ user: { name: 'office', password: 'Tall-Pine-7' } });
    const ada = await memberBrowser(server, firm, owner);
    expect((await ada.get(here)).text).toContain('No mail is set up.');

    const saved = await ada.send(here, passwordForm(post, 'Tall-Pine-7'));
    expect(saved.location).toBe(`${here}?saved=%2Fsettings%2Fmail`);
    const tested = await ada.send(`${here}/test`, {});
    expect(tested.text).toContain(`The mail server has accepted a test for ${owner}.`);
    expect(tested.text).toContain('250 2.0.0 Ok: queued as Q1');

    const [mail] = post.mails;
    expect(post.mails).toHaveLength(1);
    expect(mail).toMatchObject({
      to: [owner],
      from: 'office@harrow.example',
      user: 'office',
      isSecure: true,
    });
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.headers.get('list-unsubscribe')).toBe(
      '<https://practice.harrow.example/settings/me#notifications>',
    );
    expect(mail?.raw).toContain('https://practice.harrow.example');
    expect(mail?.raw).not.toContain('127.0.0.1');
  });

  test('keeps its password sealed, and nobody reads it: not on the page, in the audit log or in the words of a refusal', async () => {
    const firm = await makeFirm(server);
    const post = await startMailServer({ user: { name: 'office', password: 'Right-One-1' } });
    const ada = await memberBrowser(server, firm, owner);
    await ada.send(here, passwordForm(post, 'Wrong-Birch-8'));
    const tested = await ada.send(`${here}/test`, {});
    expect(tested.text).toContain('was not sent');
    expect(tested.text).toContain('535');
    expect(tested.text).toContain(
      'The mail server does not accept the user name and the password, or the token.',
    );
    expect(tested.text).not.toContain('Wrong-Birch-8');
    expect((await ada.get(here)).text).not.toContain('Wrong-Birch-8');
    const [row] = await sql`select secret from mail_account where firm_id = ${firm.id}`;
    expect(row?.secret).toStartWith('sealed1.');
    const [audited] = await sql`
      select string_agg(changes::text, ' ') as text from audit_entry where firm_id = ${firm.id}`;
    expect(audited?.text).toContain('signInSecret');
    expect(audited?.text).not.toContain('Birch');
    expect(audited?.text).not.toContain(row?.secret);
  });

  test('is kept with its password while the server and the user stay, and with no other server', async () => {
    const firm = await makeFirm(server);
    const post = await startMailServer({ user: { name: 'office', password: 'Tall-Pine-7' } });
    const other = await startMailServer({
      host: '127.0.0.2',
      user: { name: 'office', password: 'Tall-Pine-7' },
    });
    const ada = await memberBrowser(server, firm, owner);
    await ada.send(here, passwordForm(post, 'Tall-Pine-7'));
    expect(
      (await ada.send(here, { ...passwordForm(post, ''), from: 'new@harrow.example' })).status,
    ).toBe(303);
    await ada.send(`${here}/test`, {});
    expect(post.mails.map(({ from }) => from)).toEqual(['new@harrow.example']);
    const moved = await ada.send(here, passwordForm(other, ''));
    expect(moved.status).toBe(422);
    expect(moved.text).toContain('the server or the user name is new');
    await ada.send(`${here}/test`, {});
    expect(post.mails).toHaveLength(2);
    expect(other.tries).toEqual([]);
  });

  test('refuses a server that is not on this machine and offers no STARTTLS, and one whose certificate nobody vouches for', async () => {
    const firm = await makeFirm(server);
    // An address of this machine that is not its own loopback.
    const bare = await startMailServer({
      host: '0.0.0.0',
      certificate: undefined,
      user: { name: 'office', password: 'p' },
    });
    const stranger = await startMailServer({
      host: '0.0.0.0',
      user: { name: 'office', password: 'Tall-Pine-7' },
    });
    const ada = await memberBrowser(server, firm, owner);
    for (const [post, why] of [
      [bare, /not recognized/i],
      [stranger, /self.signed certificate/i],
    ] as const) {
      await ada.send(here, passwordForm(post, 'Tall-Pine-7'));
      const { text } = await ada.send(`${here}/test`, {});
      expect(text).toContain('was not sent. The mail server cannot be reached with encryption.');
      expect(text).toMatch(why);
      expect(post.tries).toEqual([]);
    }
  });

  test('is told a token where it asks for XOAUTH2, by client credentials and by a refresh token that is replaced', async () => {
    const firm = await makeFirm(server);
    const post = await startMailServer({ user: { name: 'office', token: 'tok-1' } });
    const asked: Record<string, string>[] = [];
    const provider = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const form = Object.fromEntries(new URLSearchParams(await request.text()));
        asked.push(form);
        const isRight = form.client_secret === 'cs' && (form.refresh_token ?? 'r1') === 'r1';
        return isRight
          ? Response.json({
              access_token: 'tok-1',
              expires_in: 60,
              refresh_token: form.refresh_token && 'r2',
            })
          : Response.json(
              { error: 'invalid_grant', error_description: 'Sign in again.' },
              { status: 400 },
            );
      },
    });
    atEnd(() => provider.stop(true));
    const ada = await memberBrowser(server, firm, owner);
    const tokenForm = {
      ...passwordForm(post, ''),
      signsInBy: 'token',
      tokenUrl: `http://127.0.0.1:${provider.port}/token`,
      clientId: 'matterhorn',
      clientSecret: 'cs',
      scope: 'https://outlook.office365.com/.default',
    };
    await ada.send(here, tokenForm);
    expect((await ada.send(`${here}/test`, {})).text).toContain('has accepted a test');
    expect(asked).toEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'matterhorn',
        client_secret: 'cs',
        scope: 'https://outlook.office365.com/.default',
      },
    ]);
    await ada.send(here, { ...tokenForm, refreshToken: 'r1' });
    expect((await ada.send(`${here}/test`, {})).text).toContain('has accepted a test');
    expect(asked[1]).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r1' });
    // The provider replaced the refresh token: the next token is asked for with the new one.
    const again = await ada.send(`${here}/test`, {});
    expect(asked[2]).toMatchObject({ refresh_token: 'r2' });
    expect(again.text).toContain('invalid_grant: Sign in again.');
    expect(post.mails).toHaveLength(2);
  });

  test('is an owner’s business alone, and each fault is said at its field', async () => {
    const firm = await makeFirm(server);
    const ben = await memberBrowser(server, firm, attorney);
    expect((await ben.get(here)).status).toBe(403);
    expect((await ben.send(here, passwordForm({ host: 'a.example', port: 25 }, 'x'))).status).toBe(
      403,
    );
    expect((await ben.send(`${here}/test`, {})).status).toBe(403);
    const ada = await memberBrowser(server, firm, owner);
    const sane = passwordForm({ host: 'smtp.harrow.example', port: 587 }, 'x');
    for (const wrong of [
      { host: 'a b' },
      { host: 'smtp.harrow.example\r\nRCPT' },
      { port: '0' },
      { port: '70000' },
      { from: 'Ada <ada@harrow.example>' },
      { from: 'ada@harrow.example\r\nBcc: eve@x.example' },
      { userName: '' },
      { password: '' },
      {
        signsInBy: 'token',
        clientId: 'c',
        clientSecret: 's',
        tokenUrl: 'http://login.example/token',
      },
    ]) {
      expect((await ada.send(here, { ...sane, ...wrong })).status).toBe(422);
    }
    expect(await sql`select from mail_account where firm_id = ${firm.id}`).toHaveLength(0);
  });

  test('may not be set with a password where the installation has no key to seal it with', async () => {
    const keyless = serverWith({}, {});
    const firm = await makeFirm(keyless);
    const ada = await memberBrowser(keyless, firm, owner);
    const refused = await ada.send(
      here,
      passwordForm({ host: 'smtp.harrow.example', port: 587 }, 'x'),
    );
    expect(refused.text).toContain('Set INSTALLATION_KEY first');
    expect(await sql`select from mail_account where firm_id = ${firm.id}`).toHaveLength(0);
  });

  test('of the environment serves firms that have none, and a removed one ends the mails', async () => {
    const post = await startMailServer({ user: { name: 'of@fice', password: 'p@ss' } });
    const environment = {
      MAIL_URL: `smtp://of%40fice:p%40ss@127.0.0.1:${post.port}`,
      MAIL_FROM: 'all@harrow.example',
    };
    const set = serverWith(environment, {}, await ownDatabase());
    const firm = await makeFirm(set);
    const ada = await memberBrowser(set, firm, owner);
    expect((await ada.get(here)).text).toContain(
      'The person who looks after the server has set this.',
    );
    expect((await ada.send(`${here}/test`, {})).text).toContain('has accepted a test');
    expect(post.mails[0]).toMatchObject({ from: 'all@harrow.example', user: 'of@fice' });
    const alone = await makeFirm(server);
    const eve = await memberBrowser(server, alone, owner);
    await eve.send(here, passwordForm(post, 'p@ss'));
    const since = async () =>
      (await sql`select mails_since from firm where id = ${alone.id}`)[0]?.mails_since;
    expect(await since()).toBeInstanceOf(Date);
    await eve.send(`${here}/remove`, {});
    expect(await since()).toBeNull();
    expect((await eve.get(here)).text).toContain('No mail is set up.');
  });

  test('of the environment that cannot be one is refused at the start, with what it must be and without its password', () => {
    const read = (MAIL_URL?: string, MAIL_FROM?: string) => () =>
      readSettings({ ...(MAIL_URL && { MAIL_URL }), ...(MAIL_FROM && { MAIL_FROM }) });
    const url = 'smtp://office:Tall-Pine-7@mail.harrow.example';
    const from = 'office@harrow.example';
    for (const wrong of [
      ...[
        'mail.harrow.example',
        'http://mail.harrow.example',
        'smtp://',
        'smtp:mail.harrow.example',
      ],
      ...[`${url}:70000`, `${url}/inbox`, `${url}?tls`, `${url}#tls`, `${url} x`, `x ${url}`],
      ...['smtp://office:Tall-Pine/7@mail.harrow.example', 'smtp://office:Tall-Pine-7@a b'],
      ...['smtp://office:Tall-Pine#7@mail.harrow.example', undefined],
    ]) {
      expect(read(wrong, from)).toThrow('MAIL_URL must be an address like smtp://user:password@');
      expect(read(wrong, from)).not.toThrow('Tall-Pine');
    }
    const percent = read(url.replace('Tall', '100%'), from);
    expect(percent).toThrow('MAIL_URL holds a % that begins no code: % itself is %25.');
    expect(percent).not.toThrow('Pine');
    for (const wrong of [
      ...[undefined, 'office', 'Ada <ada@harrow.example>', '<ada@harrow.example>', 'a@b@c.example'],
      ...['ada@harrow.example, eve@x.example', 'ada@harrow.example\r\nBcc: eve@x.example'],
    ]) {
      expect(read(url, wrong)).toThrow('MAIL_FROM must be the address that mails come from, for ');
    }
    expect(read(`${url.replace('smtp', 'smtps')}`, from)().mail).toMatchObject({
      ...{ host: 'mail.harrow.example', port: 465, security: 'tls', from },
      signIn: { by: 'password', user: 'office', password: 'Tall-Pine-7' },
    });
    expect(read('smtp://[::1]:2525', from)().mail).toEqual({
      ...{ host: '::1', port: 2525, security: 'starttls', from, signIn: { by: 'nothing' } },
    });
  });
});
