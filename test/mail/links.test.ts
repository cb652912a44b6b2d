/** Invitations and links for a new password that also go out by mail. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInstallationKey } from '../../src/base/installation-key.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { setupToken } from '../../src/sign-in/setup-link.ts';
import { memberBrowser } from '../support/app.ts';
import { atEnd } from '../support/at-end.ts';
import { openBrowser } from '../support/cookie-jar.ts';
import { onDatabase, ownDatabase } from '../support/database.ts';
import { attorney, makeFirm, owner } from '../support/firm.ts';
import { partsIn, textsIn } from '../support/html.ts';
import { runningDatabase, startMailServer } from '../support/mail.ts';
import { environmentOf } from '../support/roles.ts';
import { untilItDoes as until } from '../support/until.ts';

const { databaseUrl, clock, sql } = await runningDatabase();
const folder = mkdtempSync(join(tmpdir(), 'matterhorn-links-'));
atEnd(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'installation.key');
const key = makeInstallationKey(keyFile);
const publicUrl = 'https://practice.harrow.example';
const members = '/settings/members';

const serverWith = (
  environment: Record<string, string>,
  installation: object,
  database = databaseUrl,
) => {
  const settings = readSettings({
    DRAIN_SECONDS: '0',
    ...environment,
    ...environmentOf(database),
  });
  const port = { host: '127.0.0.1', port: 0 };
  const started = startServer(settings.database ?? '', settings, port, installation);
  atEnd(() => started.stop());
  return { url: started.url, databaseUrl: database };
};
const server = serverWith({ PUBLIC_URL: publicUrl }, { key, keyFile });

/** A firm whose mails go to a mail server of its own, and its owner's browser. */
const mailingFirm = async () => {
  const firm = await makeFirm(server);
  const post = await startMailServer();
  const { get, send } = await memberBrowser(server, firm, owner);
  const ada = {
    get,
    /** Sends a form to the application's address, through a host of any name. */
    send: (path: string, body: Record<string, string>, host = 'practice.harrow.example') =>
      send(path, body, { origin: publicUrl, host }),
  };
  const saved = await ada.send('/settings/mail', {
    host: post.host,
    port: String(post.port),
    security: 'starttls',
    from: 'office@harrow.example',
    signsInBy: 'nothing',
  });
  expect(saved.location).toBe('/settings/mail?saved=%2Fsettings%2Fmail');
  const roles = async () =>
    Object.fromEntries(
      partsIn((await ada.get(`${members}?do=invite`)).text, 'option[value]').map((one) => [
        one.text,
        one.getAttribute('value') ?? '',
      ]),
    );
  return { firm, post, ada, roleId: String((await roles()).Attorney) };
};

const standing = async (firm: { id: string }) => [
  ...(await sql`
    select kind, state, link_token from mail where firm_id = ${firm.id} order by queued_at`),
];

const linkIn = (text: string) => textsIn(text, 'code').find((code) => code.includes('/welcome/'));

const linksOf = (text: string | undefined) => [
  ...new Set(text?.match(/https?:\/\/[^\s"<>]+/g) ?? []),
];

describe('An invitation', () => {
  test('goes to its member by mail, with the same link as on the page, which begins with PUBLIC_URL', async () => {
    const { firm, post, ada, roleId } = await mailingFirm();
    expect((await ada.get(`${members}?do=invite`)).text).toContain(
      'A link goes to this address by mail.',
    );
    const dee = { name: 'Dee Roe', email: 'dee@harrow.example', roleId };
    const shown = await ada.send(members, dee, 'evil.example');
    expect(shown.text).toContain('Sent to dee@harrow.example by mail.');
    await until(() => post.mails.length > 0);
    const [mail, ...more] = post.mails;
    expect(more).toEqual([]);
    expect(mail?.to).toEqual(['dee@harrow.example']);
    expect(mail?.headers.get('subject')).toBe(`${firm.firm.name} invites you to Matterhorn`);
    const [link, ...others] = linksOf(mail?.text);
    expect(link).toStartWith(`${publicUrl}/welcome/`);
    expect(others).toEqual([]);
    expect(link).toBe(linkIn(shown.text));
    expect(mail?.raw).not.toContain('evil.example');
    expect(mail?.text).not.toContain('Dee Roe');
    expect(mail?.headers.has('list-unsubscribe')).toBe(false);

    // The link lets its member in.
    const welcome = new URL(String(link)).pathname;
    const entered = await fetch(server.url + welcome, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin', origin: publicUrl },
      body: new URLSearchParams({ password: 'wet-stones-by-the-river' }),
    });
    expect(entered.status).toBe(303);
    await until(async () => (await standing(firm)).every(({ state }) => state === 'accepted'));
    expect(await standing(firm)).toMatchObject([{ kind: 'link', link_token: null }]);
    expect((await ada.get('/settings/mail')).text).toContain('A link to choose a password');
  });

  test('goes by mail as soon as a firm is set up, on a server with MAIL_URL', async () => {
    const post = await startMailServer();
    const own = await ownDatabase();
    const setUp = serverWith({ PUBLIC_URL: publicUrl, ...post.environment }, { key, keyFile }, own);
    const browser = openBrowser(setUp.url, { origin: publicUrl, host: 'practice.harrow.example' });
    const entered = await browser.send('/setup', {
      token: (await onDatabase(own, setupToken)) ?? '',
      firm: 'Roe & Roe',
      timeZone: 'America/Denver',
      start: 'immigration',
      name: 'Rita Roe',
      email: 'rita@roe.example',
      password: 'wet-stones-by-the-river',
    });
    expect(entered.status).toBe(303);
    const offered = await browser.get(`${members}?do=invite`);
    const role = partsIn(offered.text, 'option[value]').find(({ text }) => text === 'Attorney');
    const roleId = role?.getAttribute('value') ?? '';
    const dee = { name: 'Dee Roe', email: 'dee@roe.example', roleId };
    expect((await browser.send(members, dee)).text).toContain('Sent to dee@roe.example by mail.');
    await until(() => post.mails.length > 0);
    expect(post.mails[0]?.headers.get('subject')).toBe('Roe & Roe invites you to Matterhorn');
    const system = (await browser.get('/settings/system')).text;
    expect(system).toContain('Notices also go out by mail.');
  });

  test('waits sealed while the mail server puts it off, and nothing of it is stored in the clear', async () => {
    const { firm, post, ada, roleId } = await mailingFirm();
    post.answerWith(() => ({ code: 451, words: 'Later' }));
    const shown = await ada.send(members, { name: 'Dee', email: 'dee@harrow.example', roleId });
    const token = linkIn(shown.text)?.split('/welcome/')[1] ?? '';
    expect(token).toHaveLength(43);
    await until(
      async () => (await sql`select from mail where firm_id = ${firm.id} and tries > 0`).length > 0,
    );
    const [waiting] = await standing(firm);
    expect(waiting).toMatchObject({ state: 'queued' });
    expect((await ada.get('/settings/mail')).text).toContain('>Queued</span>');
    expect(waiting?.link_token).toStartWith('sealed1.');
    for (const table of ['mail', 'sign_in_link', 'audit_entry', 'job']) {
      const [found] = await sql`
        select count(*)::int as n from ${sql(table)} one where one::text like ${`%${token}%`}`;
      expect(found?.n).toBe(0);
    }
    // A link that has ended is not sent any more.
    post.answerWith(() => 'accept');
    const { id } = (
      await sql`select id from member where email = 'dee@harrow.example'
      and firm_id = ${firm.id}`
    )[0] as { id: string };
    const again = await ada.send(`${members}/${id}/link`, {});
    expect(again.text).toContain('Sent to dee@harrow.example by mail.');
    await clock.step(61);
    await until(async () => (await standing(firm)).every(({ state }) => state !== 'queued'));
    expect((await standing(firm)).map(({ state }) => state)).toEqual(['withdrawn', 'accepted']);
    expect((await standing(firm)).map((one) => one.link_token)).toEqual([null, null]);
    expect(post.mails.map(({ text }) => linksOf(text))).toEqual([[String(linkIn(again.text))]]);
  });

  test('is refused with its member, and then no mail is queued', async () => {
    const { firm, ada, roleId } = await mailingFirm();
    const taken = await ada.send(members, { name: 'Ben', email: attorney, roleId });
    expect(taken.status).toBe(422);
    expect(taken.text).toContain('A member of the firm has this email address already.');
    expect(await standing(firm)).toEqual([]);
  });
});

describe('A link for a new password', () => {
  test('goes to its member by mail, and says so on the page', async () => {
    const { firm, post, ada } = await mailingFirm();
    await sql`
      insert into password (firm_id, member_id, hash, set_at)
      values (${firm.id}, ${String(firm.members[attorney])}, 'x', moment())`;
    const page = `${members}/${firm.members[attorney]}`;
    expect((await ada.get(page)).text).toContain('It goes to them by mail, and you can copy it.');
    const own = (await ada.get(`${members}/${firm.members[owner]}`)).text;
    expect(own).toContain('It goes to you by mail, and you can copy it.');
    expect(own).not.toContain('It goes to them');
    const shown = await ada.send(`${page}/link`, {});
    expect(shown.text).toContain(`Sent to ${attorney} by mail.`);
    await until(() => post.mails.length > 0);
    expect(post.mails[0]?.headers.get('subject')).toBe('A link for a new password');
    expect(linksOf(post.mails[0]?.text)).toEqual([String(linkIn(shown.text))]);
  });
});

describe('Without mail', () => {
  test('a link is only shown, whether mail, the key or the own address is missing', async () => {
    const { firm, ada } = await mailingFirm();
    await ada.send('/settings/mail/remove', {});
    const withoutKey = serverWith({ PUBLIC_URL: publicUrl }, {});
    const withoutAddress = serverWith({}, { key, keyFile });
    const page = `${members}/${firm.members[attorney]}`;
    const shown = await ada.send(`${page}/link`, {});
    expect(shown.text).toContain('Send the link to');
    expect(shown.text).not.toContain('Sent to');
    await sql`update firm set mails_since = moment() where id = ${firm.id}`;
    for (const other of [withoutKey, withoutAddress]) {
      const browser = await memberBrowser(other, firm, owner);
      const origin = other === withoutKey ? publicUrl : other.url;
      const answer = await browser.send(`${page}/link`, {}, { origin });
      expect(linkIn(answer.text)).toBeString();
      expect(answer.text).not.toContain('Sent to');
      expect((await browser.get(`${members}?do=invite`)).text).toContain('No mail is sent.');
    }
    expect(await standing(firm)).toEqual([]);
  });
});
