/** The firm's own settings, as its forms send them. */

import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, textIn } from '../support/html.ts';

const server = await startTestServer();
const hostile = `<img src=x onerror=alert(1)> "quoted" ‮ 𝒟 ${crypto.randomUUID()}`;

const ready = async (parts = {}) => {
  const firm = await makeFirm(server, parts);
  return { firm, ada: await memberBrowser(server, firm, owner) };
};

/** The ids of a list's rows, in their order, by their forms that rename. */
const rowsOf = (text: string, path: string) => [
  ...new Set(
    attributesIn(text, `form[action^="${path}/"]`, 'action').flatMap(
      (action) => /^\/([\w-]{36})$/.exec(action.slice(path.length))?.[1] ?? [],
    ),
  ),
];

describe('The settings of the firm', () => {
  test('name and time zone are changed, shown inert, and refused where they cannot be', async () => {
    const { ada } = await ready();
    const here = '/settings/firm';
    const saved = await ada.send(here, { name: hostile, timeZone: 'America/Los_Angeles' });
    expect(saved).toMatchObject({
      status: 303,
      location: `${here}?saved=${encodeURIComponent(here)}`,
    });
    const said = textIn((await ada.get(saved.location ?? '')).text, '.banner.ok');
    expect(said).toBe('The firm’s name and time zone are changed.');
    const shown = await ada.get(here);
    expect(shown.text).not.toContain('<img src=x');
    expect(shown.text).toContain('<option value="America/Los_Angeles" selected');
    const refused = await ada.send(here, { name: '', timeZone: 'Mars/Olympus' });
    expect(refused.status).toBe(422);
    expect((await ada.get(here)).text).toContain('&lt;img src=x');
    const zone = await ada.send(here, { name: hostile, timeZone: 'Mars/Olympus' });
    expect(zone.text).toContain('Time zone must be the name of a time zone');
    const other = await ready();
    expect((await other.ada.get(here)).text).not.toContain('onerror');
    const taken = await other.ada.send(here, { name: hostile, timeZone: 'UTC' });
    expect(taken.status).toBe(422);
  });

  test('the source of leads is a text or a choice of theirs', async () => {
    const fields = [
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend'] },
      { on: 'lead', name: 'Age', type: 'NUMBER' },
    ];
    const { firm, ada } = await ready({ customFields: fields });
    const other = await ready({ customFields: fields });
    const to = '/settings/firm/source';
    const id = firm.customFields.lead.Source ?? '';
    expect((await ada.send(to, { sourceFieldId: id })).status).toBe(303);
    expect((await ada.get('/settings/firm')).text).toContain(`<option value="${id}" selected`);
    for (const wrong of [firm.customFields.lead.Age, other.firm.customFields.lead.Source, 'x']) {
      expect((await ada.send(to, { sourceFieldId: wrong ?? '' })).status).toBe(422);
    }
    expect((await ada.get('/settings/firm')).text).toContain(`<option value="${id}" selected`);
    expect((await ada.send(to, { sourceFieldId: '' })).status).toBe(303);
  });

  test('a format of numbers is previewed before it is saved, and refused where it is none', async () => {
    const { ada } = await ready();
    const here = '/settings/numbering';
    const preview = async (query = '') =>
      textIn((await ada.get(here + query)).text, '#lead [role=status]');
    expect(await preview()).toBe('The next three: L-0001, L-0002, L-0003');
    expect(await preview(`?kind=lead&format=${encodeURIComponent('{YY}/{##}')}`)).toMatch(
      /: \d\d\/01, \d\d\/02, \d\d\/03$/,
    );
    expect(await preview()).toBe('The next three: L-0001, L-0002, L-0003');
    expect((await ada.send(`${here}/lead`, { format: 'Case {###}' })).status).toBe(303);
    expect(await preview()).toBe('The next three: Case 001, Case 002, Case 003');
    const refused = await ada.send(`${here}/lead`, { format: '{YYYY}' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Number of leads must hold one counter');
    expect((await ada.get(here)).text).toContain('Case 001');
  });

  test('stages and reasons are added, renamed, moved and removed', async () => {
    const { ada, firm } = await ready();
    const here = '/settings/lead-stages';
    for (const list of ['stages', 'reasons']) {
      const path = `${here}/${list}`;
      for (const name of ['One', 'Two']) await ada.send(path, { name });
      const start = rowsOf((await ada.get(here)).text, path);
      expect((await ada.send(path, { name: hostile })).status).toBe(303);
      const text = (await ada.get(here)).text;
      expect(text).not.toContain('<img src=x');
      const [first, ...rest] = rowsOf(text, path);
      expect(rest.length).toBe(start.length);
      const last = rest.at(-1);
      expect((await ada.send(path, { name: hostile })).status).toBe(422);
      expect((await ada.send(`${path}/${last}`, { name: 'Last' })).status).toBe(303);
      await ada.send(`${path}/${first}/move`, { by: 'down' });
      expect(rowsOf((await ada.get(here)).text, path)[1]).toBe(first);
      await ada.send(`${path}/${first}/move`, { by: 'up' });
      await ada.send(`${path}/${first}/move`, { by: 'up' });
      expect(rowsOf((await ada.get(here)).text, path)[0]).toBe(first);
      await ada.send(`${path}/${last}/remove`, {});
      expect(rowsOf((await ada.get(here)).text, path)).toEqual(start);
      for (const id of [crypto.randomUUID(), 'x']) {
        expect((await ada.send(`${path}/${id}/remove`, {})).status).toBe(404);
      }
    }
    const stage = firm.leadStages.New ?? '';
    await firm.owner.post('/v1/leads', { leadStageColumnId: stage, lastName: 'Roe' });
    const kept = await ada.send(`${here}/stages/${stage}/remove`, {});
    expect(kept.status).toBe(422);
    expect(kept.text).toContain('still holds leads. Move them to another stage first');
    const other = await ready();
    expect((await other.ada.send(`${here}/stages/${stage}`, { name: 'Mine' })).status).toBe(404);
    expect((await ada.get(here)).text).not.toContain('Mine');
  });

  test('a deleted lead is listed with who deleted it, and comes back', async () => {
    const { ada, firm } = await ready();
    const lead = await firm.owner.post('/v1/leads', {
      leadStageColumnId: firm.leadStages.New,
      lastName: 'Gone',
    });
    expect(lead.status).toBe(201);
    const { id } = lead.body.data;
    await firm.owner.delete(`/v1/leads/${id}`);
    const here = '/settings/deleted';
    const listed = await ada.get(here);
    expect(listed.text).toContain('Gone');
    expect(listed.text).toContain('Ada Harrow');
    const other = await ready();
    expect((await other.ada.get(here)).text).not.toContain('Gone');
    expect((await other.ada.send(`${here}/leads/${id}/restore`, {})).status).toBe(404);
    expect((await ada.send(`${here}/leads/${id}/restore`, {})).status).toBe(303);
    expect((await firm.owner.get(`/v1/leads/${id}`)).status).toBe(200);
    expect((await ada.get(here)).text).toContain('There are no deleted leads.');
  });

  test('deleted records are shown kind by kind, of those that a role reads', async () => {
    const firm = await makeFirm(server, {
      roles: [
        { name: 'Paralegal', permissions: ['contacts:read', 'matters:read', 'matters:write'] },
        { name: 'Keys', permissions: ['keys:write'] },
      ],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Ben Lane', role: 'Paralegal' },
        { email: bookkeeper, name: 'Cy Moss', role: 'Keys' },
      ],
    });
    const gone = async (kind: string, body: object) => {
      const { id } = (await firm.owner.post(`/v1/${kind}`, body)).body.data;
      expect((await firm.owner.delete(`/v1/${kind}/${id}`)).status).toBe(200);
    };
    const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' };
    await gone('matters', { ...area, title: 'Old matter' });
    await gone('leads', { lastName: 'Oldlead' });
    await gone('contacts', { lastName: 'Oldcontact' });
    const ben = await memberBrowser(server, firm, attorney);
    const here = '/settings/deleted';
    const first = (await ben.get(here)).text;
    expect(first).toContain('Old matter');
    expect(first).toContain('Restore');
    expect(first).toContain(`href="${here}?kind=contacts"`);
    expect(first).not.toContain(`href="${here}?kind=leads"`);
    const contacts = (await ben.get(`${here}?kind=contacts`)).text;
    expect(contacts).toContain('Oldcontact');
    expect(contacts).not.toContain('/restore"');
    expect((await ben.get(`${here}?kind=leads`)).text).not.toContain('Oldlead');
    expect((await ben.get('/settings/me')).text).toContain(`href="${here}"`);
    const cy = await memberBrowser(server, firm, bookkeeper);
    expect((await cy.get(here)).status).toBe(403);
    expect((await cy.get('/settings/me')).text).not.toContain(`href="${here}"`);
  });

  test('who may not change the firm is refused, by page and by form, and so is another site', async () => {
    const { firm, ada } = await ready();
    const ben = await memberBrowser(server, firm, attorney);
    for (const page of [
      'firm',
      'numbering',
      'holidays',
      'reminders',
      'lead-stages',
      'members',
      'roles',
      'keys',
    ]) {
      expect((await ben.get(`/settings/${page}`)).status).toBe(403);
    }
    const forms = [
      'firm',
      'firm/source',
      'numbering/lead',
      'lead-stages/stages',
      'members',
      'roles',
    ];
    for (const path of [...forms, 'roles/new', 'keys', `members/${firm.members[attorney]}`]) {
      expect((await ben.send(`/settings/${path}`, { name: 'Mine' })).status).toBe(403);
      const elsewhere = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
      expect((await ada.send(`/settings/${path}`, { name: 'Mine' }, elsewhere)).status).toBe(403);
      const ended = { cookie: '' };
      const sent = await ada.send(`/settings/${path}`, { name: 'Mine' }, ended);
      expect(sent).toMatchObject({ status: 303, location: '/sign-in?to=%2F' });
    }
    expect((await ada.get('/settings/firm')).text).not.toContain('Mine');
  });
});
