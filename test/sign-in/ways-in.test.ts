/** Keys, feeds and passkeys after a reset, a deactivation and the end of all sessions. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect, ownDatabase } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  type Caller,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { run } from '../support/terminal.ts';

const server = await startTestServer({ databaseUrl: await ownDatabase() });
const ways = '/settings/me/ways';
type Browser = Awaited<ReturnType<typeof memberBrowser>>;

/** A member with a key that a form uses, one that nothing has used for long, and a feed. */
const withWays = async (firm: Firm, email: string) => {
  const browser = await memberBrowser(server, firm, email);
  const [used, unused] = [await firm.callerOf(email), await firm.callerOf(email)];
  const { text } = await browser.send('/settings/me/feed', {});
  const [, secret] = /\/calendar\/feed\/([\w-]{43})\.ics/.exec(text) ?? [];
  const sql = connect(server.databaseUrl);
  await sql`update api_key set last_used_at = moment() - interval '2 days' where id = ${used.keyId}`;
  await sql`update api_key set last_used_at = moment() - interval '31 days' where id = ${unused.keyId}`;
  await sql.end();
  return { browser, used, unused, feed: `/calendar/feed/${secret}.ics` };
};

const isGood = async (key: Caller) => (await key.get('/v1/contacts')).status === 200;
const isFed = async (path: string) => (await fetch(server.url + path)).status === 200;

/** Whether each of these is offered on the page, and ticked. */
const ticked = (text: string, ids: string[]) =>
  ids.map((id) => {
    const [box] = new RegExp(`<input type="checkbox"[^>]*value="${id}"[^>]*>`).exec(text) ?? [];
    return box?.includes('checked');
  });

const reset = async (firm: Firm, email: string, more: string[] = []) => {
  const words = ['member', 'reset', '--member', email, ...more];
  const { link } = await firm.command<{ link: string }>(words);
  const answer = await fetch(server.url + new URL(link).pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: server.url },
    body: new URLSearchParams({ password: 'wet-stones-by-the-river' }),
  });
  return answer.headers.get('location');
};

describe('After a reset', () => {
  test('the member is asked which keys and feeds end: feeds and unused keys are ticked', async () => {
    const firm = await makeFirm(server);
    const { used, unused, feed } = await withWays(firm, attorney);
    expect(await reset(firm, attorney)).toBe(ways);
    expect([await isGood(used), await isGood(unused), await isFed(feed)]).toEqual([
      true,
      true,
      true,
    ]);
    const fresh = await memberBrowser(server, firm, attorney);
    await passUse(used, unused);
    const { text } = await fresh.get(ways);
    const feedId = String(firm.members[attorney]);
    expect(ticked(text, [feedId, used.keyId, unused.keyId])).toEqual([true, false, true]);
    expect(text.match(/, last used /g)?.length).toBe(3);
    const sent = await fresh.send(ways, [
      ['end', feedId],
      ['end', unused.keyId],
      ['end', firm.owner.keyId],
    ]);
    expect(sent.location).toBe('/settings/me?saved=ways');
    expect([await isGood(used), await isGood(unused), await isFed(feed)]).toEqual([
      ...[true, false, false],
    ]);
    expect(await isGood(firm.owner)).toBe(true);
  });

  test('a member who has none is led on to their settings', async () => {
    const firm = await makeFirm(server);
    expect(await reset(firm, bookkeeper)).toBe(ways);
    const cy = await memberBrowser(server, firm, bookkeeper);
    expect((await cy.get(ways)).location).toBe('/settings/me?saved=sessions#sessions');
  });

  test('--revoke-keys ends all of them at once, and without it they are listed', async () => {
    const firm = await makeFirm(server);
    const { used, unused, feed } = await withWays(firm, attorney);
    const words = ['member', 'reset', '--member', attorney, '--firm', firm.id];
    const listed = await run(server.databaseUrl, words);
    expect(listed.out).toMatch(/feed +Calendar feed +never\nkey +API key +\d{4}-/);
    expect(await isGood(used)).toBe(true);
    const ended = await run(server.databaseUrl, [...words, '--revoke-keys']);
    expect(ended.out).toContain('These have ended:');
    expect([await isGood(used), await isGood(unused), await isFed(feed)]).toEqual([
      ...[false, false, false],
    ]);
    expect(await isGood(firm.owner)).toBe(true);
  });
});

/** The API notes a use a moment later; put back what `isGood` has just changed. */
const passUse = async (used: Caller, unused: Caller) => {
  const sql = connect(server.databaseUrl);
  for (let left = 100; left > 0; left -= 1) {
    const noted = await sql`select from api_key where id in (${used.keyId}, ${unused.keyId})
      and last_used_at > moment() - interval '1 day'`;
    if (noted.length === 2) break;
    await Bun.sleep(20);
  }
  await sql`update api_key set last_used_at = moment() - interval '31 days' where id = ${unused.keyId}`;
  await sql.end();
};

describe('“Sign out everywhere else”', () => {
  test('leads to the same decision, and ends the other sessions', async () => {
    const firm = await makeFirm(server);
    const { browser } = await withWays(firm, attorney);
    const other = await memberBrowser(server, firm, attorney);
    expect((await browser.send('/settings/me/sessions/end-others', {})).location).toBe(ways);
    expect((await other.get('/')).status).toBe(303);
    expect((await browser.get(ways)).text).toContain('You are signed out everywhere else');
  });
});

describe('A deactivation', () => {
  const deactivated = async (firm: Firm, ada: Browser) => {
    const page = `/settings/members/${firm.members[attorney]}`;
    expect((await ada.send(`${page}/deactivate`, {})).status).toBe(303);
    return page;
  };

  test('ends keys and feed for good: the page lists them before, and activation brings none back', async () => {
    const firm = await makeFirm(server);
    const ada = await memberBrowser(server, firm, owner);
    const { browser, used, unused, feed } = await withWays(firm, attorney);
    const { text } = await ada.get(`/settings/members/${firm.members[attorney]}`);
    expect(text).toContain('These end. A website’s form may use one of the keys:');
    const page = await deactivated(firm, ada);
    const left = async () => [await isGood(used), await isGood(unused), await isFed(feed)];
    expect(await left()).toEqual([false, false, false]);
    expect((await ada.get(page)).text).toContain('can make new ones');
    expect((await ada.send(`${page}/activate`, {})).status).toBe(303);
    expect(await left()).toEqual([false, false, false]);
    expect((await browser.get('/')).status).toBe(303);
    expect(await isGood(await firm.callerOf(attorney))).toBe(true);
  });

  test('by an earlier version only refused them: activation ends them too', async () => {
    const firm = await makeFirm(server);
    const { used, feed } = await withWays(firm, attorney);
    const sql = connect(server.databaseUrl);
    await sql`update member set deactivated_at = moment()
      where firm_id = ${firm.id} and email = ${attorney}`;
    await sql.end();
    expect(await isGood(used)).toBe(false);
    await firm.command(['member', 'activate', attorney]);
    expect([await isGood(used), await isFed(feed)]).toEqual([false, false]);
    const again = await withWays(firm, attorney);
    await firm.command(['member', 'activate', attorney]);
    expect([await isGood(again.used), await isFed(again.feed)]).toEqual([true, true]);
  });

  test('at the terminal hands work over, or says how: --to, --leave', async () => {
    const firm = await makeFirm(server);
    const newMatter = async () => {
      const made = await firm.owner.post('/v1/matters', {
        title: 'Roe v. Roe',
        practiceAreaId: firm.practiceAreas.Family?.id,
        openDate: '2026-01-02',
        team: [{ memberId: firm.members[attorney], role: 'RESPONSIBLE_ATTORNEY' }],
      });
      return made.body.data.id as string;
    };
    const teamOf = async (id: string) => {
      const { body } = await firm.owner.get(`/v1/matters/${id}`);
      return (body.data.team as { memberId: string }[]).map(({ memberId }) => memberId);
    };
    const [matter, used] = [await newMatter(), await firm.callerOf(attorney)];
    const words = ['member', 'deactivate', attorney, '--firm', firm.id];
    const refused = await run(server.databaseUrl, words);
    expect(refused).toMatchObject({ exitCode: 1, out: '' });
    expect(refused.err).toContain('--to EMAIL');
    expect(refused.err).toContain('--leave');
    expect(await isGood(used)).toBe(true);
    const both = await run(server.databaseUrl, [...words, '--to', owner, '--leave']);
    expect(both.exitCode).toBe(2);
    const own = await run(server.databaseUrl, [...words, '--to', attorney]);
    expect(own.err).toContain('--to must be another member');
    const handed = await run(server.databaseUrl, [...words, '--to', owner]);
    expect(handed.out).toContain('key   API key');
    expect(await isGood(used)).toBe(false);
    expect(await teamOf(matter)).toEqual([firm.members[owner] as string]);
    await firm.command(['member', 'activate', attorney]);
    const left = await newMatter();
    await firm.command(['member', 'deactivate', attorney, '--leave', '--revoke-keys']);
    expect(await teamOf(left)).toEqual([firm.members[attorney] as string]);
  });
});

describe('A member’s page', () => {
  test('lets those who manage members end ways in, never those of a member with more rights', async () => {
    const permissions = ['contacts:read', 'members:write', 'matters:read'];
    const firm = await makeFirm(server, {
      roles: [
        { name: 'Administrator', permissions },
        { name: 'Clerk', permissions: ['contacts:read', 'matters:read'] },
      ],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Max Vane', role: 'Administrator' },
        { email: bookkeeper, name: 'Cy Moss', role: 'Clerk' },
      ],
    });
    const max = await memberBrowser(server, firm, attorney);
    const { browser: cy, used, feed } = await withWays(firm, bookkeeper);
    const pageOf = (email: string) => `/settings/members/${firm.members[email]}`;
    const wish = [used.keyId, String(firm.members[bookkeeper])].map((id): [string, string] => [
      'end',
      id,
    ]);
    expect((await cy.send(`${pageOf(bookkeeper)}/ways`, wish)).status).toBe(403);
    expect((await max.send(`${pageOf(owner)}/ways`, [['end', firm.owner.keyId]])).status).toBe(403);
    expect([await isGood(used), await isGood(firm.owner), await isFed(feed)]).toEqual([
      ...[true, true, true],
    ]);
    expect((await max.send(`${pageOf(bookkeeper)}/ways`, wish)).status).toBe(303);
    expect([await isGood(used), await isFed(feed)]).toEqual([false, false]);
  });
});
