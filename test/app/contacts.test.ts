/** The list of contacts and a contact's page. */
import { describe, expect, test } from 'bun:test';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const ready = async (parts = {}) => {
  const firm = await makeFirm(server, parts);
  const person = async (lastName: string) =>
    (await firm.owner.post('/v1/contacts', { lastName })).body.data.id as string;
  return { firm, person, ada: await visitorOf(server, firm, owner) };
};

const namesIn = (text: string) =>
  [...text.matchAll(/<a class="name" href="\/contacts\/[^"]+"[^>]*>([^<]+)<\/a>/g)].map(
    ([, name]) => name,
  );

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
    // Who does not read matters learns nothing of them from an order.
    const cy = await visitorOf(server, firm, bookkeeper);
    expect(await sorted(cy, '-matters')).toEqual(['Quill', 'Moss', 'Rook']);
  });
});

describe('A contact’s custom fields', () => {
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
    expect(text).toMatch(
      /<select[^>]*name="customFields.Tags"[^>]*multiple|multiple[^>]*name="customFields.Tags"/,
    );
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
