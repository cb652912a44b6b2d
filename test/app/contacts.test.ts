/** The list of contacts and a contact's page. */

import { describe, expect, test } from 'bun:test';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributeIn, namesIn, partsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const ready = async (parts = {}) => {
  const firm = await makeFirm(server, parts);
  const person = async (lastName: string) =>
    (await firm.owner.post('/v1/contacts', { lastName })).body.data.id as string;
  return { firm, person, ada: await visitorOf(server, firm, owner) };
};

describe('The list of contacts', () => {
  test('is sorted by how many matters and leads each has, of those that the visitor sees', async () => {
    const { firm, person, ada } = await ready();
    const [one, two] = [await person('Rook'), await person('Moss')];
    for (const clientContactIds of [[one, two], [two]]) {
      const made = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' };
      await firm.owner.post('/v1/matters', { ...made, clientContactIds });
    }
    await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    await firm.owner.post('/v1/leads', { lastName: 'Ash', isPrivate: true });
    const sorted = async (visitor: typeof ada, sort: string) =>
      namesIn((await visitor.get(`/contacts?sort=${sort}`)).text);
    expect((await sorted(ada, '-matters')).slice(0, 2)).toEqual(['Moss', 'Rook']);
    expect((await sorted(ada, 'matters')).slice(-2)).toEqual(['Rook', 'Moss']);
    expect(await sorted(ada, '-leads')).toEqual(['Ash', 'Quill', 'Moss', 'Rook']);
    const ben = await visitorOf(server, firm, attorney);
    expect(await sorted(ben, '-leads')).toEqual(['Quill', 'Moss', 'Rook']);
    // On a phone there is no label beside it.
    expect((await ada.get('/contacts')).text).toContain('>No email<');
    // Who does not read matters learns nothing of them from an order.
    const cy = await visitorOf(server, firm, bookkeeper);
    expect(await sorted(cy, '-matters')).toEqual(['Quill', 'Moss', 'Rook']);
  });
});

describe('A contact’s page', () => {
  test('begins a matter with the contact as its client', async () => {
    const { firm, person, ada } = await ready();
    const id = await person('Rook');
    const link = `/matters/new?client=${id}`;
    expect((await ada.get(`/contacts/${id}`)).text).toContain(`href="${link}"`);
    const sent = attributeIn((await ada.get(link)).text, '[name=clientContactIds]', 'value');
    const practiceAreaId = firm.practiceAreas.Family?.id ?? '';
    await ada.post('/matters/new', { practiceAreaId, clientContactIds: sent });
    expect((await firm.owner.get('/v1/matters')).body.data).toMatchObject([{ title: 'Rook' }]);
    const cy = await visitorOf(server, firm, bookkeeper);
    expect((await cy.get(`/contacts/${id}`)).text).not.toContain('New matter');
  });

  test('is linked by name from leads and matters whose custom fields name it, for those who see it', async () => {
    const { firm, person, ada } = await ready({
      roles: [
        { name: 'Attorney', permissions: ['contacts:read', 'leads:read', 'matters:read'] },
        { name: 'Reader', permissions: ['leads:read', 'matters:read'] },
      ],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Ben Lane', role: 'Attorney' },
        { email: bookkeeper, name: 'Cy Moss', role: 'Reader' },
      ],
      customFields: [
        { on: 'lead', name: 'Referred by', type: 'CONTACT' },
        { on: 'lead', name: 'Goes with', type: 'MATTER' },
        { on: 'matter', name: 'Opponent', type: 'CONTACT' },
      ],
    });
    const open = await person('Moss');
    const hidden = (await firm.owner.post('/v1/leads', { lastName: 'Ash', isPrivate: true })).body
      .data.contact.id;
    const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' };
    const matter = async (contact: string) =>
      (await firm.owner.post('/v1/matters', { ...area, customFields: { Opponent: contact } })).body
        .data as { id: string; publicId: string };
    const [one, two] = [await matter(open), await matter(hidden)];
    const customFields = { 'Referred by': open, 'Goes with': one.id };
    const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill', customFields })).body
      .data;
    // So much happens to the records that their beginning is no longer in the timeline.
    for (let at = 0; at < 60; at += 1) {
      const changed = at % 2 === 0 ? 'HIGH' : 'LOW';
      await firm.owner.patch(`/v1/leads/${lead.id}`, { value: changed });
      await firm.owner.patch(`/v1/matters/${one.id}`, { title: changed });
    }
    const link = `<a href="/contacts/${open}">Moss</a>`;
    const [ben, cy] = [
      await visitorOf(server, firm, attorney),
      await visitorOf(server, firm, bookkeeper),
    ];
    const said = async (visitor: typeof ada, path: string) => (await visitor.get(path)).text;
    for (const visitor of [ada, ben]) {
      const text = await said(visitor, `/leads/${lead.id}`);
      expect(text).toContain(link);
      expect(text).toContain(`<a href="/matters/${one.id}">${one.publicId}</a>`);
      expect(await said(visitor, `/matters/${one.id}`)).toContain(link);
    }
    expect(await said(ada, `/matters/${two.id}`)).toContain(
      `<a href="/contacts/${hidden}">Ash</a>`,
    );
    const unseen = await said(ben, `/matters/${two.id}`);
    expect(unseen).toContain('Not visible to you');
    expect(unseen).not.toContain('Ash');
    expect(await said(cy, `/leads/${lead.id}`)).not.toContain(`href="/contacts/${open}"`);
  });
});

describe('A contact’s custom fields', () => {
  test('are filled in with a new contact, and in the dialog on its lead’s page', async () => {
    const { firm, ada } = await ready({
      customFields: [
        { on: 'contact', name: 'Language', type: 'SELECT', options: ['Welsh', 'English'] },
        { on: 'contact', name: 'Tags', type: 'MULTI_SELECT', options: ['A', 'B'] },
        { on: 'contact', name: 'Since', type: 'DATE' },
        { on: 'lead', name: 'Budget', type: 'NUMBER' },
      ],
    });
    const form = (await ada.get('/contacts/new')).text;
    for (const name of ['Language', 'Tags', 'Since']) {
      expect(form).toContain(`name="customFields.${name}"`);
    }
    expect(form).not.toContain('Budget');
    const sent = { type: 'PERSON', lastName: 'Rook', 'customFields.Since': 'soon' };
    const refused = await ada.post('/contacts/new', sent);
    expect(refused.status).toBe(422);
    expect(partsIn(refused.text, 'details.more-fields[open]')).toHaveLength(1);
    const made = await ada.post('/contacts/new', {
      ...sent,
      'customFields.Since': '',
      'customFields.Language': 'Welsh',
      'several.customFields.Tags': 'on',
      'customFields.Tags': ['A', 'B'],
    });
    const heldBy = async (id: string | undefined) =>
      (await firm.owner.get(`/v1/contacts/${id}`)).body.data.customFields;
    const id = made.location?.split('/').at(-1);
    expect(await heldBy(id)).toEqual({ Language: 'Welsh', Tags: ['A', 'B'], Since: null });

    const lead = (await firm.owner.post('/v1/leads', { lastName: 'Moss' })).body.data;
    const page = (await ada.get(`/leads/${lead.id}`)).text;
    expect(page).toMatch(/id="edit-contact".*name="was\.customFields\.Language"/s);
    const change = (fields: Record<string, string>) =>
      ada.post(`/leads/${lead.id}/contact`, { do: 'edit-contact', ...fields });
    const began = {
      'was.customFields.Language': '',
      'was.lastName': 'Moss',
      'several.customFields.Tags': 'on',
      'was.customFields.Tags': '',
    };
    expect(
      (await change({ ...began, lastName: 'Moss', 'customFields.Language': 'English' })).status,
    ).toBe(303);
    // Somebody who began at the same time and changed the name alone undoes nothing.
    expect(
      (await change({ ...began, lastName: 'Mosse', 'customFields.Language': '' })).status,
    ).toBe(303);
    expect(await heldBy(lead.contact.id)).toEqual({ Language: 'English', Tags: null, Since: null });
    const late = await change({ ...began, lastName: 'Moss', 'customFields.Language': 'Welsh' });
    expect(late.status).toBe(422);
    expect(late.text).toContain('changed this to <b>English</b>');
    // What they did not touch shows what it is now.
    for (const name of ['lastName', 'was.lastName']) {
      const field = `dialog#edit-contact input[name="${name}"]`;
      expect(attributeIn(late.text, field, 'value')).toBe('Mosse');
    }
    expect((await firm.owner.get(`/v1/contacts/${lead.contact.id}`)).body.data.name).toBe('Mosse');
  });

  test('are edited on its page: several choices, another contact, none', async () => {
    const { firm, person, ada } = await ready({
      customFields: [
        { on: 'contact', name: 'Tags', type: 'MULTI_SELECT', options: ['A', 'B', 'C'] },
        { on: 'contact', name: 'Guardian', type: 'CONTACT' },
        { on: 'contact', name: 'Since', type: 'DATE' },
      ],
    });
    const [id, guardian] = [await person('Rook'), await person('Moss')];
    const held = async () => (await firm.owner.get(`/v1/contacts/${id}`)).body.data.customFields;
    const change = (fields: Record<string, string | string[]>) =>
      ada.post(`/contacts/${id}`, fields);
    const several = { 'several.customFields.Tags': 'on' };
    expect((await change({ ...several, 'customFields.Tags': ['A', 'C'] })).status).toBe(303);
    const address = `https://office.example/contacts/${guardian}`;
    expect((await change({ 'customFields.Guardian': address })).status).toBe(303);
    expect(await held()).toEqual({ Tags: ['A', 'C'], Guardian: guardian, Since: null });
    const { text } = await ada.get(`/contacts/${id}`);
    expect(text).toContain('A, C');
    expect(text).toContain(`<a href="/contacts/${guardian}">Moss</a>`);
    expect(partsIn(text, 'select[name="customFields.Tags"][multiple]')).toHaveLength(1);
    // Somebody else chose in the meantime.
    const late = { ...several, 'customFields.Tags': ['B'], 'was.customFields.Tags': '' };
    expect((await change(late)).status).toBe(422);
    expect((await change({ 'customFields.Since': 'soon' })).status).toBe(422);
    expect((await change({ 'customFields.Guardian': crypto.randomUUID() })).status).toBe(422);
    expect((await change(several)).status).toBe(303);
    expect(await held()).toEqual({ Tags: null, Guardian: guardian, Since: null });
  });
});

test('A lead takes an existing contact: the two are merged, and it is said who will see it', async () => {
  const { firm, ada, person } = await ready();
  const known = (
    await firm.owner.post('/v1/contacts', { lastName: 'Quill', emails: ['q@q.example'] })
  ).body.data.id;
  const lead = (
    await firm.owner.post('/v1/leads', { lastName: 'Quill', email: 'q@q.example', isPrivate: true })
  ).body.data;
  const link = `/contacts/${known}/merge?with=${lead.contact.id}`;
  expect((await ada.get(`/leads/${lead.id}`)).text).toContain(`href="${link}"`);
  const page = await ada.get(link);
  expect(page.text).toContain('Everyone who reads contacts will see this person');
  expect((await ada.post(`/contacts/${known}/merge`, { with: lead.contact.id })).status).toBe(303);
  expect((await firm.owner.get(`/v1/leads/${lead.id}`)).body.data.contact.id).toBe(known);
  expect((await firm.owner.get(`/v1/contacts/${lead.contact.id}`)).status).toBe(404);
  const plain = await ada.get(`/contacts/${known}/merge?with=${await person('Quill')}`);
  expect(plain.text).not.toContain('Everyone who reads contacts');
});
