/** Links that let somebody in: they give no more than their maker may give when they are followed. */

import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { partsIn, textsIn } from '../support/html.ts';

const server = await startTestServer();
const members = '/settings/members';
const administrator = 'max@harrow.example';
const password = `wet-stones-${crypto.randomUUID()}`;

const attorneyMay = ['leads:read', 'leads:write', 'contacts:read'];
const parts = {
  roles: [
    { name: 'Administrator', permissions: [...attorneyMay, 'members:write', 'keys:write'] },
    { name: 'Attorney', permissions: attorneyMay },
    { name: 'Clerk', permissions: ['contacts:read'] },
  ],
  members: [
    { email: owner, name: 'Ada Harrow', role: 'Owner' },
    { email: administrator, name: 'Max Vane', role: 'Administrator' },
    { email: attorney, name: 'Ben Lane', role: 'Attorney' },
    { email: bookkeeper, name: 'Cy Moss', role: 'Clerk' },
  ],
};

/** A firm whose owner and administrator are signed in; nobody has a password yet. */
const ready = async () => {
  const firm = await makeFirm(server, parts);
  const [ada, max] = await Promise.all([
    memberBrowser(server, firm, owner),
    memberBrowser(server, firm, administrator),
  ]);
  const { text } = await ada.get(`${members}?do=invite`);
  const roles = Object.fromEntries(
    partsIn(text, 'option[value]').map((one) => [one.text, one.getAttribute('value')]),
  ) as Record<string, string>;
  const pageOf = (email: string) => `${members}/${firm.members[email]}`;
  return { firm, ada, max, roles, pageOf };
};

type Browser = Awaited<ReturnType<typeof memberBrowser>>;

const linkIn = (text: string) => {
  const address = textsIn(text, 'code').find((code) => code.includes('/welcome/')) ?? '';
  return address.slice(address.indexOf('/welcome/'));
};

/** Has somebody make a link for a member. */
const makeLink = async (by: Browser, page: string) =>
  linkIn((await by.send(`${page}/link`, {})).text);

const atTerminal = async (firm: Firm, word: 'invite' | 'reset', email: string) => {
  const { link } = await firm.command<{ link: string }>(['member', word, '--member', email]);
  return new URL(link).pathname;
};

/** A stranger's browser at a link: what it shows, and what following it gives. */
const follow = async (path: string, typed = password) => {
  const shown = await fetch(server.url + path, { headers: { accept: 'text/html' } });
  const sent = await fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: server.url },
    body: new URLSearchParams({ password: typed }),
  });
  const cookie = /session=[\w-]{43}/.exec(sent.headers.get('set-cookie') ?? '')?.[0];
  const seen = { shownStatus: shown.status, shown: await shown.text() };
  return { ...seen, status: sent.status, text: await sent.text(), cookie };
};

const expectOver = async (path: string) => {
  const followed = await follow(path);
  const { shownStatus, status, cookie } = followed;
  expect({ shownStatus, status, cookie }).toEqual({
    shownStatus: 410,
    status: 410,
    cookie: undefined,
  });
  for (const text of [followed.shown, followed.text]) {
    expectWords(text, { has: ['This link no longer works', 'has changed since it was created'] });
  }
};

const expectWords = (text: string, { has, lacks = [] }: { has: string[]; lacks?: string[] }) => {
  const there = [...has, ...lacks].filter((words) => text.includes(words));
  expect(there).toEqual(has);
};

const expectGood = async (path: string) => {
  const { status, cookie } = await follow(path);
  expect({ status, isIn: cookie !== undefined }).toEqual({ status: 303, isIn: true });
};

describe('An invitation or reset link ends', () => {
  test('when the member gets another role: who kept a copy does not become Owner', async () => {
    const { firm, ada, max, roles, pageOf } = await ready();
    const invited = await max.send(members, {
      do: 'invite',
      name: 'Dee Roe',
      email: 'dee@harrow.example',
      roleId: roles.Attorney ?? '',
    });
    const copy = linkIn(invited.text);
    const listed = partsIn((await ada.get(members)).text, `a[href^="${members}/"]`);
    const dee = listed.find(({ text }) => text.includes('Dee Roe'))?.getAttribute('href') ?? '';
    expect((await ada.send(dee, { roleId: roles.Owner ?? '' })).status).toBe(303);
    await expectOver(copy);
    const terminal = await atTerminal(firm, 'invite', attorney);
    await firm.command(['member', 'role', attorney, 'Clerk']);
    await expectOver(terminal);
    const blueprint = await makeLink(ada, pageOf(bookkeeper));
    const promoted = parts.members.map((one) =>
      one.email === bookkeeper ? { ...one, role: 'Attorney' } : one,
    );
    await firm.reapply({ ...parts, members: promoted });
    await expectOver(blueprint);
  });

  test('when the address changes; another name or an unchanged form leaves it', async () => {
    const { firm, ada, pageOf } = await ready();
    const page = pageOf(attorney);
    const [invitation, other] = [
      await makeLink(ada, page),
      await makeLink(ada, pageOf(bookkeeper)),
    ];
    await ada.send(page, { name: 'Benjamin Lane', email: attorney });
    expect((await follow(invitation, 'short')).status).toBe(422);
    await ada.send(page, { email: 'ben.lane@harrow.example' });
    await expectOver(invitation);
    const reset = await atTerminal(firm, 'reset', bookkeeper);
    await firm.command(['member', 'email', bookkeeper, 'cy.moss@harrow.example']);
    await expectOver(reset);
    await expectOver(other);
  });

  test('when the member is deactivated, and stays ended when they are activated again', async () => {
    const { ada, max, pageOf } = await ready();
    const page = pageOf(attorney);
    const invitation = await makeLink(max, page);
    expect((await ada.send(`${page}/deactivate`, {})).status).toBe(303);
    await expectOver(invitation);
    expect((await ada.send(`${page}/activate`, {})).status).toBe(303);
    await expectOver(invitation);
  });

  test('when the password changes: by the member, or by another link', async () => {
    const { firm, ada, pageOf } = await ready();
    const page = pageOf(attorney);
    const invitation = await makeLink(ada, page);
    const [first, second] = [await atTerminal(firm, 'reset', attorney), invitation];
    await expectGood(first);
    await expectOver(second);
    const reset = await makeLink(ada, page);
    const ben = await memberBrowser(server, firm, attorney);
    const changed = await ben.send('/settings/me/password', {
      present: password,
      password: 'quite-another-password',
    });
    expect(changed.status).toBe(303);
    await expectOver(reset);
  });
});

describe('The right of a link’s maker is asked again when it is followed', () => {
  test('it is over once its maker is deactivated, or may no longer manage members', async () => {
    for (const lose of ['deactivate', 'role'] as const) {
      const { ada, max, roles, pageOf } = await ready();
      const link = await makeLink(max, pageOf(bookkeeper));
      const page = pageOf(administrator);
      if (lose === 'role') await ada.send(page, { roleId: roles.Attorney ?? '' });
      else await ada.send(`${page}/deactivate`, {});
      await expectOver(link);
    }
  });

  test('it is over once the member’s role allows more than its maker’s', async () => {
    const { firm, max, ada, pageOf } = await ready();
    const [link, owners] = [
      await makeLink(max, pageOf(attorney)),
      await makeLink(ada, pageOf(bookkeeper)),
    ];
    const more = parts.roles.map((role) => ({
      ...role,
      permissions: [...role.permissions, ...(role.name === 'Administrator' ? [] : ['audit:read'])],
    }));
    await firm.reapply({ ...parts, roles: more });
    await expectOver(link);
    await expectGood(owners);
  });

  test('it is over once the member sees a private lead, and an owner’s is not', async () => {
    const { firm, max, ada, pageOf } = await ready();
    const link = await makeLink(max, pageOf(attorney));
    await hidePrivateLead(firm, attorney);
    await expectOver(link);
    await expectGood(await makeLink(ada, pageOf(attorney)));
  });

  test('of two who change the role and follow the link at once, nobody becomes more', async () => {
    const { firm, ada, max, roles } = await ready();
    const sql = connect(server.databaseUrl);
    for (let round = 0; round < 5; round += 1) {
      const email = `eve${round}@harrow.example`;
      await firm.command(['member', 'add', '--email', email, '--name', 'Eve', '--role', 'Clerk']);
      const [{ id } = { id: '' }] = await sql`select id from member
        where firm_id = ${firm.id} and email = ${email}`;
      const page = `${members}/${id}`;
      const link = await makeLink(max, page);
      const [promoted, followed] = await Promise.all([
        ada.send(page, { roleId: roles.Owner ?? '' }),
        follow(link),
      ]);
      expect(promoted.status).toBe(303);
      // Who came first became a clerk, and is promoted later, by their own password.
      expect([303, 410]).toContain(followed.status);
      await expectOver(link);
    }
    await sql.end();
  });
});

/** A private lead that only this member and the owners see. */
const hidePrivateLead = async (firm: Firm, email: string) => {
  const made = await (await firm.callerOf(email)).post('/v1/leads', {
    leadStageColumnId: firm.leadStages.New,
    lastName: 'Caller',
    isPrivate: true,
  });
  expect(made.status).toBe(201);
  return made.body.data as { id: string };
};

describe('Only an owner makes a link', () => {
  test('for a member who has a password; others are told whom to ask, and the terminal may', async () => {
    const { firm, ada, max, pageOf } = await ready();
    const page = pageOf(attorney);
    await expectGood(await makeLink(max, page));
    expectWords((await max.get(page)).text, {
      has: ['They have a password already', 'Ask Ada Harrow'],
      lacks: [`${page}/link`],
    });
    const refused = await max.send(`${page}/link`, {});
    expect(refused.status).toBe(403);
    expectWords(refused.text, { has: ['Ada Harrow can give you access.'], lacks: ['/welcome/'] });
    expectWords((await ada.get(page)).text, { has: ['Create a reset link'] });
    await expectGood(await makeLink(ada, page));
    await expectGood(await atTerminal(firm, 'reset', attorney));
  });

  test('for a member who sees a private lead: an administrator does not read it as them', async () => {
    const { firm, ada, max, pageOf } = await ready();
    const lead = await hidePrivateLead(firm, attorney);
    expect((await max.get(`/leads/${lead.id}`)).status).toBe(404);
    const page = pageOf(attorney);
    expectWords((await max.get(page)).text, { has: ['They see a private lead'] });
    const refused = await max.send(`${page}/link`, {});
    expect(refused.status).toBe(403);
    expectWords(refused.text, { has: ['Ada Harrow can give you access.'], lacks: ['/welcome/'] });
    await expectGood(await makeLink(ada, page));
  });
});
