/** Members, roles and keys: who may change whom, and secrets that are shown once. */

import { describe, expect, test } from 'bun:test';
import type { HTMLElement } from 'node-html-parser';
import { memberBrowser } from '../support/app.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, bookkeeper, caller, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributeIn, partsIn, textsIn } from '../support/html.ts';

const server = await startTestServer({ databaseUrl: await ownDatabase() });
const members = '/settings/members';

const administrator = 'max@harrow.example';
const parts = {
  roles: [
    {
      name: 'Administrator',
      permissions: ['leads:read', 'leads:write', 'contacts:read', 'members:write', 'keys:write'],
    },
    { name: 'Attorney', permissions: ['leads:read', 'leads:write', 'contacts:read'] },
    { name: 'Matters', permissions: ['matters:read', 'matters:write', 'practice-areas:read'] },
  ],
  members: [
    { email: owner, name: 'Ada Harrow', role: 'Owner' },
    { email: administrator, name: 'Max Vane', role: 'Administrator' },
    { email: attorney, name: 'Ben Lane', role: 'Attorney' },
    { email: bookkeeper, name: 'Cy Moss', role: 'Attorney' },
  ],
};

const ready = async () => {
  const firm = await makeFirm(server, parts);
  const [ada, max] = await Promise.all([
    memberBrowser(server, firm, owner),
    memberBrowser(server, firm, administrator),
  ]);
  const id = (email: string) => firm.members[email] ?? '';
  const page = await ada.get('/settings/members?do=invite');
  const roles = Object.fromEntries(
    partsIn(page.text, 'option[value]').map((one) => [one.text, one.getAttribute('value')]),
  ) as Record<string, string>;
  return { firm, ada, max, id, roles };
};

/** The id in the address that a form sends to. */
const idIn = (form: HTMLElement | undefined) =>
  /[\w-]{36}/.exec(form?.getAttribute('action') ?? '')?.[0] ?? '';

const linkIn = (text: string) => textsIn(text, 'code').find((code) => code.includes('/welcome/'));

describe('Members', () => {
  test('an invitation adds a member and shows a link once, which signs them in', async () => {
    const { ada, roles } = await ready();
    const input = {
      do: 'invite',
      name: 'Dee Roe',
      email: 'dee@harrow.example',
      roleId: roles.Attorney ?? '',
    };
    const invited = await ada.send(members, input);
    expect(invited.status).toBe(200);
    const link = linkIn(invited.text) ?? '';
    expect(link.startsWith(server.url)).toBe(true);
    const list = await ada.get(members);
    expect(list.text).toContain('dee@harrow.example');
    expect(list.text).not.toContain('/welcome/');
    expect((await fetch(link, { headers: { accept: 'text/html' } })).status).toBe(200);
    const again = await ada.send(members, input);
    expect(again.status).toBe(422);
    expect(again.text).toContain('has this email address already');
    expect((await ada.send(members, { ...input, email: 'no address' })).status).toBe(422);
    const other = await ready();
    const foreign = { ...input, email: 'eve@harrow.example', roleId: other.roles.Attorney ?? '' };
    expect((await ada.send(members, foreign)).status).toBe(404);
    expect((await ada.get(members)).text).not.toContain('eve@harrow.example');
  });

  test('who is not proven lately is asked for the password first, and nothing is done', async () => {
    const { firm, id } = await ready();
    const unproven = await memberBrowser(server, firm, owner, 'unproven');
    const there = `${members}/${id(attorney)}`;
    for (const path of [members, there, `${there}/link`, `${there}/deactivate`, '/settings/keys']) {
      const sent = await unproven.send(path, { name: 'Else' });
      expect(sent.status).toBe(303);
      expect(sent.location).toStartWith('/settings/me/confirm?to=%2Fsettings%2F');
    }
    expect((await unproven.get(there)).text).not.toContain('Else');
  });

  test('only owners give or take Owner, and the last owner stays', async () => {
    const { ada, max, id, roles } = await ready();
    const { text } = await max.get(`${members}/${id(owner)}`);
    expect(text).toContain('only an owner can change these settings');
    for (const path of ['', '/link', '/deactivate']) {
      const sent = await max.send(`${members}/${id(owner)}${path}`, { name: 'Mine' });
      expect(sent.status).toBe(403);
    }
    const rise = await max.send(`${members}/${id(attorney)}`, { roleId: roles.Owner ?? '' });
    expect(rise.status).toBe(403);
    const own = await max.send(`${members}/${id(administrator)}`, { roleId: roles.Owner ?? '' });
    expect(own.status).toBe(403);
    expect(
      (await max.send(`${members}/${id(attorney)}`, { roleId: roles.Matters ?? '' })).status,
    ).toBe(403);
    const fall = await ada.send(`${members}/${id(owner)}`, { roleId: roles.Attorney ?? '' });
    expect(fall.status).toBe(422);
    expect(fall.text).toContain('at least one active member with the role Owner');
    expect((await ada.send(`${members}/${id(owner)}/deactivate`, {})).status).toBe(422);
    expect(
      (await ada.send(`${members}/${id(attorney)}`, { roleId: roles.Owner ?? '' })).status,
    ).toBe(303);
    expect(
      (await ada.send(`${members}/${id(owner)}`, { roleId: roles.Attorney ?? '' })).status,
    ).toBe(303);
    expect((await ada.get(members)).status).toBe(403);
  });

  test('the page of oneself says you, and does not offer to deactivate oneself', async () => {
    const { firm, ada, id } = await ready();
    const sql = connect(server.databaseUrl);
    for (const email of [owner, attorney]) {
      await sql`insert into authenticator (firm_id, member_id, secret, confirmed_at, last_step, created_at)
        values (${firm.id}, ${id(email)}, 'ABCD', moment(), 0, moment())`;
    }
    await sql.end();
    const own = (await ada.get(`${members}/${id(owner)}`)).text;
    expect(own).toContain('You have no password yet');
    expect(own).toContain('You sign in with a code.');
    expect(own).not.toContain('Deactivate');
    expect(own).not.toMatch(/They sign in|their authenticator|>\s*No password yet/);
    const other = (await ada.get(`${members}/${id(attorney)}`)).text;
    expect(other).toContain('Deactivate');
    expect(other).toContain('They sign in with a code. If they have lost their authenticator');
    expect(other).toContain('No password yet. The member chooses one with an invitation link.');
    expect(other).not.toMatch(/You have no password|You sign in with a code|your authenticator/);
  });

  test('nobody deactivates themselves by a form that no page has, an administrator or an owner of several', async () => {
    const { ada, max, id, roles } = await ready();
    const promoted = await ada.send(`${members}/${id(attorney)}`, { roleId: roles.Owner ?? '' });
    expect(promoted.status).toBe(303);
    for (const [visitor, email] of [
      [max, administrator],
      [ada, owner],
    ] as const) {
      const refused = await visitor.send(`${members}/${id(email)}/deactivate`, {
        heirId: id(attorney),
      });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain(
        'Nobody can deactivate themselves. Ask a colleague who may change members.',
      );
      expect((await visitor.get(members)).status).toBe(200);
    }
  });

  test('another firm’s members are not there', async () => {
    const [one, other] = [await ready(), await ready()];
    for (const foreign of [other.id(attorney), crypto.randomUUID(), 'x']) {
      expect((await one.ada.get(`${members}/${foreign}`)).status).toBe(404);
      for (const path of ['', '/link', '/deactivate', '/activate']) {
        const sent = await one.ada.send(`${members}/${foreign}${path}`, { name: 'Mine' });
        expect(sent.status).toBe(404);
      }
    }
    expect((await other.ada.get(members)).text).not.toContain('Mine');
  });

  test('a member who leaves hands over what is open, in one write', async () => {
    const { firm, ada, max, id } = await ready();
    const team = [
      { memberId: id(attorney), role: 'RESPONSIBLE_ATTORNEY', allocation: 60 },
      { memberId: id(attorney), role: 'ORIGINATING_ATTORNEY', allocation: 40 },
      { memberId: id(bookkeeper), role: 'ORIGINATING_ATTORNEY', allocation: 0 },
    ];
    const matter = await firm.owner.post('/v1/matters', {
      title: 'Roe v. Roe',
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-01-02',
      team,
    });
    expect(matter.status).toBe(201);
    const lead = await firm.owner.post('/v1/leads', {
      leadStageColumnId: firm.leadStages.New,
      lastName: 'Caller',
    });
    const sql = connect(server.databaseUrl);
    const leadId = lead.body.data.id as string;
    await sql`insert into lead_assignee values (${firm.id}, ${leadId}, ${id(attorney)})`;
    const there = `${members}/${id(attorney)}`;
    // Tasks and events of both count; what is over does not, nor what is another lead's.
    const other = await firm.owner.post('/v1/leads', { lastName: 'Other' });
    const past = { startsAt: '2020-01-02T09:00:00Z' };
    const coming = { startsAt: '2099-01-02T09:00:00Z' };
    for (const [path, body] of [
      ['tasks', { leadId, title: 'Call back' }],
      ['tasks', { matterId: matter.body.data.id, title: 'File' }],
      ['tasks', { leadId: other.body.data.id, title: 'Other' }],
      ['tasks', { leadId, title: 'Done', status: 'DONE' }],
      ['calendar-events', { leadId, title: 'First meeting', ...coming }],
      ['calendar-events', { leadId, title: 'Over', ...past }],
      ['calendar-events', { leadId: other.body.data.id, title: 'Other', ...coming }],
    ] as const) {
      const made = await firm.owner.post(`/v1/${path}`, body);
      expect([path, body.title, made.status]).toEqual([path, body.title, 201]);
      if ('status' in body) {
        const done = await firm.owner.patch(`/v1/tasks/${made.body.data.id}`, { status: 'DONE' });
        expect(done.status).toBe(200);
      }
    }
    const page = await ada.get(there);
    expect(page.text).toContain('Open matters: 1');
    expect(page.text).toContain('Open leads: 1');
    expect(page.text).toContain('2 open tasks and 1 event to come in these matters and leads.');
    const alone = await ada.send(`${there}/deactivate`, {});
    expect(alone.status).toBe(422);
    expect(alone.text).toContain(
      'Choose who takes over: their matters and leads would be left to nobody.',
    );
    for (const wrong of [id(attorney), (await ready()).id(owner)]) {
      expect([404, 422]).toContain(
        (await ada.send(`${there}/deactivate`, { heirId: wrong })).status,
      );
    }
    await sql`update lead set is_private = true where firm_id = ${firm.id} and id = ${leadId}`;
    const hidden = await max.send(`${there}/deactivate`, { heirId: id(administrator) });
    expect(hidden.status).toBe(422);
    expect(hidden.text).not.toContain(lead.body.data.publicId);
    const state = () => sql`select deactivated_at from member where id = ${id(attorney)}`;
    expect((await state())[0]?.deactivated_at).toBeNull();
    const ben = await memberBrowser(server, firm, attorney);
    expect((await ada.send(`${there}/deactivate`, { heirId: id(bookkeeper) })).status).toBe(303);
    expect((await state())[0]?.deactivated_at).not.toBeNull();
    expect(await ben.get('/')).toMatchObject({ status: 303 });
    const places = await sql`select member_id, role from matter_team where firm_id = ${firm.id}`;
    expect(places.map(({ member_id }) => member_id)).toEqual([id(bookkeeper), id(bookkeeper)]);
    expect(new Set(places.map(({ role }) => role)).size).toBe(2);
    const assigned = await sql`select member_id from lead_assignee where firm_id = ${firm.id}`;
    expect(assigned.map(({ member_id }) => member_id)).toEqual([id(bookkeeper)]);
    const entries = await sql`select distinct request_id from audit_entry
      where firm_id = ${firm.id} and member_id = ${id(owner)} and action = 'update'
        and (changes ? 'assignees' or changes ? 'team' or changes ? 'deactivatedAt')`;
    expect(entries.length).toBe(1);
    expect((await ada.send(`${there}/activate`, {})).status).toBe(303);
    expect((await ben.get('/')).status).toBe(303);
    await sql.end();
  });
});

describe('Roles', () => {
  const here = '/settings/roles';

  test('are made, named, given permissions and removed; never more than one holds', async () => {
    const { ada, max, roles, id } = await ready();
    const name = '<img src=x onerror=alert(1)>';
    expect((await ada.send(`${here}/new`, { name })).status).toBe(303);
    const page = await ada.get(here);
    expect(page.text).not.toContain('<img src=x');
    const renames = partsIn(page.text, `form[action^="${here}/"]`);
    const made = idIn(renames.find((one) => attributeIn(one, 'input', 'value') === name));
    const save = (browser: typeof ada, role: string, given: string[]) =>
      browser.send(here, [
        ['roles', role],
        ...given.map((one): [string, string] => [`may.${role}`, one]),
      ]);
    expect((await save(ada, made, ['matters:read', 'nonsense:write'])).status).toBe(303);
    expect((await ada.get(here)).text).toContain(`name="was.${made}" value="matters:read"`);
    expect((await save(max, made, ['leads:read'])).status).toBe(403);
    const own = roles.Administrator ?? '';
    expect((await save(max, own, ['members:write', 'audit:read'])).status).toBe(403);
    expect((await save(max, roles.Owner ?? '', ['leads:read'])).status).toBe(422);
    expect((await save(ada, roles.Owner ?? '', ['leads:read'])).status).toBe(422);
    expect((await ada.send(`${here}/${made}`, { name: 'Clerk' })).status).toBe(303);
    expect((await ada.send(`${here}/${made}`, { name: 'Attorney' })).status).toBe(422);
    expect((await ada.send(`${here}/${made}/remove`, {})).status).toBe(303);
    expect((await ada.get(here)).text).not.toContain('Clerk');
    const used = await ada.send(`${here}/${roles.Attorney}/remove`, {});
    expect(used.status).toBe(422);
    expect(used.text).toContain('Give them another role first');
    const other = await ready();
    for (const foreign of [other.roles.Attorney ?? '', 'x']) {
      expect((await ada.send(`${here}/${foreign}`, { name: 'Mine' })).status).toBe(404);
      expect((await save(ada, foreign, ['leads:read'])).status).toBe(404);
    }
    expect(id(owner)).not.toBe('');
  });
});

describe('Two people who change roles at once', () => {
  const here = '/settings/roles';

  test('the second is told who changed what, keeps what they ticked, and can keep both', async () => {
    const { ada, max, roles } = await ready();
    const attorneys = roles.Attorney ?? '';
    const clerks = roles.Matters ?? '';
    const began = 'contacts:read leads:read leads:write';
    const save = (browser: typeof ada, was: string, given: string[]) =>
      browser.send(here, [
        ['roles', attorneys],
        [`was.${attorneys}`, was],
        ...given.map((one): [string, string] => [`may.${attorneys}`, one]),
      ]);
    const held = async () =>
      attributeIn((await ada.get(here)).text, `[name="was.${attorneys}"]`, 'value');
    expect((await save(max, began, ['contacts:read', 'leads:read'])).status).toBe(303);
    const mine = ['contacts:read', 'leads:read', 'leads:write', 'reports:read'];
    const late = await save(ada, began, mine);
    expect(late.status).toBe(422);
    expect(late.text).toContain('Max Vane changed the role Attorney in the meantime.');
    expect(late.text).toContain('It may no longer: change leads, hire.');
    expect(late.text).toContain(`name="was.${attorneys}" value="contacts:read leads:read"`);
    expect(await held()).toBe('contacts:read leads:read');
    const changed = (permission: string) => {
      const box = `[name="may.${attorneys}"][value="${permission}"]`;
      const isMarked = partsIn(late.text, `td.was ${box}`).length === 1;
      return [isMarked, partsIn(late.text, `${box}[checked]`).length === 1];
    };
    expect(partsIn(late.text, `[name="may.${attorneys}"][value="leads:write"]`).length).toBe(1);
    expect([changed('reports:read'), changed('leads:write')]).toEqual([
      [true, true],
      [false, false],
    ]);
    const both = ['contacts:read', 'leads:read', 'reports:read'];
    expect((await save(ada, 'contacts:read leads:read', both)).status).toBe(303);
    expect(await held()).toBe('contacts:read leads:read reports:read');
    expect((await save(max, began, ['contacts:read', 'leads:read'])).status).toBe(422);
    const same = await save(ada, began, both);
    expect(same.status).toBe(303);
    const other = await ada.send(here, [
      ['roles', attorneys],
      [`was.${attorneys}`, began],
      ...began.split(' ').map((one): [string, string] => [`may.${attorneys}`, one]),
      ['roles', clerks],
      [`was.${clerks}`, 'matters:read matters:write practice-areas:read'],
      [`may.${clerks}`, 'matters:read'],
    ]);
    expect(other.status).toBe(303);
    expect(await held()).toBe('contacts:read leads:read reports:read');
  });
});

describe('Keys', () => {
  const here = '/settings/keys';
  const keyIn = (text: string) => textsIn(text, 'code').find((one) => one.startsWith('mh_')) ?? '';
  const rotates = '[aria-label="Rotate Website form"]';

  test('a key is shown once, works, is rotated and revoked', async () => {
    const { ada, firm } = await ready();
    const input: [string, string][] = [
      ['do', 'new-key'],
      ['id', Bun.randomUUIDv7()],
      ['name', 'Website form'],
      ['expires', '30'],
      ['scopes', 'leads:read'],
    ];
    const made = await ada.send(here, input);
    expect(made.status).toBe(200);
    const key = keyIn(made.text);
    const calls = caller(server.url, key);
    expect((await calls.get('/v1/leads')).status).toBe(200);
    expect((await calls.get('/v1/contacts')).status).toBe(403);
    const again = await ada.send(here, input);
    expect(again.status).toBe(422);
    expect(again.text).toContain('was created already');
    const listed = await ada.get(here);
    expect(listed.text).toContain('Website form');
    expect(listed.text).not.toContain(key);
    const rotation = attributeIn(listed.text, rotates, 'href');
    const rotated = await ada.send(rotation, { grace: '0' });
    const fresh = caller(server.url, keyIn(rotated.text));
    expect((await fresh.get('/v1/leads')).status).toBe(200);
    expect((await calls.get('/v1/leads')).status).toBe(401);
    expect((await ada.send(rotation, { grace: '0' })).status).toBe(422);
    const next = attributeIn((await ada.get(here)).text, rotates, 'href');
    expect((await ada.send(next.replace(/rotate$/, 'revoke'), {})).status).toBe(303);
    expect((await fresh.get('/v1/leads')).status).toBe(401);
    expect(firm.id).not.toBe('');
  });

  test('administrators see and revoke all keys, others only their own; nobody rotates another’s', async () => {
    const { ada, max, firm, roles } = await ready();
    const attorneys = roles.Attorney ?? '';
    const given = ['contacts:read', 'keys:write', 'leads:read'];
    await ada.send('/settings/roles', [
      ['roles', attorneys],
      ...given.map((one): [string, string] => [`may.${attorneys}`, one]),
    ]);
    const [ben, cy] = [
      await memberBrowser(server, firm, attorney),
      await memberBrowser(server, firm, bookkeeper),
    ];
    const made = await cy.send(here, [
      ['name', 'Of Cy'],
      ['expires', 'never'],
      ['scopes', 'leads:read'],
    ]);
    const key = keyIn(made.text);
    const calls = caller(server.url, key);
    const listed = (await max.get(here)).text;
    expect(listed).toContain('Of Cy');
    expect(listed).toContain(owner);
    expect(listed).not.toContain(key);
    const asks = partsIn(listed, 'dialog').find(({ text }) => text.includes('Revoke Of Cy?'));
    const id = idIn(asks && partsIn(asks, 'form[action$="/revoke"]')[0]);
    expect(listed).not.toContain(`${id}/rotate`);
    for (const other of [max, ada, ben]) {
      const sent = await other.send(`${here}/${id}/rotate`, { grace: '0' });
      expect(sent.status).toBe(403);
      expect(sent.text).not.toMatch(/mh_\w{36}/);
    }
    expect((await ben.get(here)).text).not.toContain('Of Cy');
    expect((await ben.get(`${here}/${id}/rotate`)).status).toBe(404);
    expect((await ben.send(`${here}/${id}/revoke`, {})).status).toBe(403);
    expect((await calls.get('/v1/leads')).status).toBe(200);
    expect((await max.send(`${here}/${id}/revoke`, {})).status).toBe(303);
    expect((await calls.get('/v1/leads')).status).toBe(401);
    expect((await max.send(`${here}/${firm.owner.keyId}/revoke`, {})).status).toBe(303);
    expect((await firm.owner.get('/v1/leads')).status).toBe(401);
  });

  test('a key without a name and scopes is refused for both at once', async () => {
    const { ada } = await ready();
    const refused = await ada.send('/settings/keys', { do: 'new-key', name: '', expires: '365' });
    expect(refused.status).toBe(422);
    const problems = textsIn(refused.text, '[role=alert] a');
    expect(problems).toEqual(['Enter a name.', 'Choose what the key may do.']);
  });

  test('a key has no more scopes than its maker, and no other firm changes it', async () => {
    const { ada, max, firm } = await ready();
    const input = (scopes: string[]): [string, string][] => [
      ['name', 'Mine'],
      ['expires', 'never'],
      ...scopes.map((one): [string, string] => ['scopes', one]),
    ];
    expect((await max.send(here, input(['matters:read']))).status).toBe(403);
    expect((await max.send(here, input([]))).status).toBe(422);
    expect((await max.send(here, input(['firm:write']))).status).toBe(422);
    expect(
      (
        await max.send(here, [
          ['name', ''],
          ['expires', '30'],
          ['scopes', 'leads:read'],
        ])
      ).status,
    ).toBe(422);
    expect(
      (
        await max.send(here, [
          ['name', 'A'],
          ['expires', '9999'],
          ['scopes', 'leads:read'],
        ])
      ).status,
    ).toBe(422);
    expect(keyIn((await max.send(here, input(['leads:read']))).text)).not.toBe('');
    expect((await ada.get(here)).text).toContain(administrator);
    const other = await ready();
    for (const foreign of [other.firm.owner.keyId, 'x']) {
      expect((await ada.send(`${here}/${foreign}/revoke`, {})).status).toBe(404);
      expect((await ada.send(`${here}/${foreign}/rotate`, { grace: '0' })).status).toBe(404);
    }
    expect((await firm.owner.get('/v1/leads')).status).toBe(200);
  });
});

test('The page of roles says which permissions show other people’s data', async () => {
  const firm = await makeFirm(server);
  const ada = await memberBrowser(server, firm, owner);
  const { text } = await ada.get('/settings/roles');
  for (const [permission, words] of [
    ['audit:read', 'Shows what was written in every record'],
    ['data:import', 'Shows the rows of everybody’s imports'],
  ] as const) {
    expect(text).toMatch(new RegExp(`<small class="scope">${permission}</small><small>${words}`));
  }
});
