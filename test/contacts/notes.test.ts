/** Notes about contacts, which the application alone has: who reads them, and what a merge does with them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
let firm: Firm;
/** The owner, who sees all. */
let ada: Visitor;
/** Not assigned to private leads. */
let ben: Visitor;

beforeAll(async () => {
  firm = await makeFirm(server);
  [ada, ben] = (await Promise.all(
    [owner, attorney].map((email) => visitorOf(server, firm, email)),
  )) as [Visitor, Visitor];
});

const person = async (body: object) =>
  (await firm.owner.post('/v1/contacts', body)).body.data.id as string;

const note = async (id: string, text: string, by: Visitor = ada) => {
  expect((await by.post(`/contacts/${id}/notes`, { text })).status).toBe(303);
};

const found = async (q: string, by: Visitor) => {
  const island = { 'x-sent-by': 'island', accept: 'application/json' };
  const { text } = await by.get(`/search?q=${encodeURIComponent(q)}`, island);
  return (JSON.parse(text).found as { path: string; sub: string }[]).map(({ path, sub }) => ({
    path,
    sub,
  }));
};

describe('A note about a contact', () => {
  test('stands on its page however many there are, the newest first', async () => {
    const id = await person({ firstName: 'Bertha', lastName: 'Many' });
    const said = Array.from({ length: 33 }, (_, nth) => `Call ${nth + 1} of many`);
    const shown = async () => {
      const { text } = await ada.get(`/contacts/${id}`);
      // Each stands there as text, and in the form that changes it.
      return [
        ...new Set([...text.matchAll(/>\s*(Call \d+ of many)\s*</g)].map(([, words]) => words)),
      ];
    };
    for (const [nth, text] of said.entries()) {
      await note(id, text);
      if ([30, 31].includes(nth + 1))
        expect(await shown()).toEqual(said.slice(0, nth + 1).reverse());
    }
    expect(await shown()).toEqual(said.reverse());
  });

  test('is found by its words, for those who see the contact', async () => {
    const id = await person({ firstName: 'Otto', lastName: 'Brandt' });
    await note(id, 'Speaks only Frisian on the telephone.', ben);
    for (const by of [ada, ben]) {
      expect(await found('frisian teleph', by)).toEqual([
        {
          path: `/contacts/${id}`,
          sub: 'Contact · Note: Speaks only Frisian on the telephone.',
        },
      ]);
    }
    await firm.owner.delete(`/v1/contacts/${id}`);
    expect(await found('frisian', ada)).toEqual([]);
  });

  test('is changed by its author and deleted by them or an owner, as every note', async () => {
    const id = await person({ lastName: 'Quist' });
    await note(id, 'Calls at noon.');
    const noteId = /\/notes\/([0-9a-f-]{36})/.exec((await ada.get(`/contacts/${id}`)).text)?.[1];
    const path = `/contacts/${id}/notes/${noteId}`;
    expect((await ben.post(path, { text: 'Never calls.' })).status).toBe(403);
    expect((await ben.post(`${path}/delete`, {})).status).toBe(403);
    expect((await ada.post(path, { text: ' ' })).status).toBe(422);
    expect((await ada.post(path, { text: 'Calls at one.' })).status).toBe(303);
    expect((await ben.get(`/contacts/${id}`)).text).toContain('Calls at one.');
    expect((await ada.post(`${path}/delete`, {})).status).toBe(303);
    expect((await ben.get(`/contacts/${id}`)).text).not.toContain('Calls at one.');
    expect(await found('calls one', ben)).toEqual([]);
  });

  test('is no record of the API: not read, not listed, not told of', async () => {
    const id = await person({ lastName: 'Untold' });
    let { cursor } = (await firm.owner.get('/v1/events')).body;
    await note(id, 'For our eyes.');
    const noteId = /\/notes\/([0-9a-f-]{36})/.exec((await ada.get(`/contacts/${id}`)).text)?.[1];
    expect((await firm.owner.get(`/v1/notes/${noteId}`)).status).toBe(404);
    expect((await firm.owner.patch(`/v1/notes/${noteId}`, { text: 'Ours' })).status).toBe(404);
    expect((await firm.owner.delete(`/v1/notes/${noteId}`)).status).toBe(404);
    expect((await firm.owner.get(`/v1/notes?leadId=${id}`)).status).toBe(404);
    // Something that is told of comes after it: the log is read past the note.
    await firm.owner.patch(`/v1/contacts/${id}`, { nickname: 'Un' });
    const types: string[] = [];
    while (!types.includes('contact.updated')) {
      const { body } = await firm.owner.get(`/v1/events?after=${cursor}&wait=5`);
      types.push(...body.data.map(({ type }: { type: string }) => type));
      cursor = body.cursor;
    }
    expect(types).not.toContain('note.created');
  });

  test('about the contact of a private lead is there for nobody else', async () => {
    const made = await firm.owner.post('/v1/leads', { lastName: 'Hidden', isPrivate: true });
    const { id } = made.body.data.contact;
    const lead = made.body.data.id;
    await ada.post(`/leads/${lead}/assignees`, { assigneeIds: firm.members[owner] ?? '' });
    await note(id, 'Came by the backdoor.');
    expect(await found('backdoor', ada)).toHaveLength(1);
    expect(await found('backdoor', ben)).toEqual([]);
    expect((await ben.get(`/contacts/${id}`)).status).toBe(404);
    expect((await ben.post(`/contacts/${id}/notes`, { text: 'Me too' })).status).toBe(404);
  });

  test('goes with its contact into another, and comes back when the merge is undone', async () => {
    const kept = await person({ lastName: 'Kept' });
    const merged = await person({ lastName: 'Merged' });
    await note(kept, 'Owns a bakery.');
    await note(merged, 'Owns a lighthouse.');
    const leadsTo = async (words: string) => (await found(words, ben)).map(({ path }) => path);
    // Twice: a merge, its undoing, and both once more.
    for (const round of [1, 2]) {
      expect((await ada.post(`/contacts/${kept}/merge`, { with: merged })).status).toBe(303);
      const page = (await ben.get(`/contacts/${kept}`)).text;
      expect(page, `${round}`).toContain('Owns a bakery.');
      expect(page).toContain('Owns a lighthouse.');
      expect(await leadsTo('lighthouse')).toEqual([`/contacts/${kept}`]);
      const ofMerge = /\/contacts\/merges\/([\w-]{36})\/undo/;
      const mergeId = ofMerge.exec((await ada.get(`/contacts/${kept}`)).text)?.[1];
      expect((await ada.post(`/contacts/merges/${mergeId}/undo`, {})).status).toBe(303);
      expect((await ben.get(`/contacts/${kept}`)).text).not.toContain('Owns a lighthouse.');
      const own = (await ben.get(`/contacts/${merged}`)).text;
      expect(own).toContain('Owns a lighthouse.');
      expect(own).not.toContain(', changed');
      expect(await leadsTo('lighthouse')).toEqual([`/contacts/${merged}`]);
      expect(await leadsTo('bakery')).toEqual([`/contacts/${kept}`]);
    }
  });
});

describe('A contact’s timeline', () => {
  test('does not tell what a merge with a hidden contact wrote, once it is undone', async () => {
    const open = await person({ lastName: 'Open', emails: ['open@known.example'] });
    const made = await firm.owner.post('/v1/leads', {
      lastName: 'Zxsecret',
      email: 'zxsecret@known.example',
      isPrivate: true,
    });
    const hidden = made.body.data.contact.id;
    expect((await ada.post(`/contacts/${open}/merge`, { with: hidden })).status).toBe(303);
    const ofMerge = /\/contacts\/merges\/([\w-]{36})\/undo/;
    const mergeId = ofMerge.exec((await ada.get(`/contacts/${open}`)).text)?.[1];
    expect((await ada.post(`/contacts/merges/${mergeId}/undo`, {})).status).toBe(303);
    expect((await ada.get(`/contacts/${open}`)).text).toContain('zxsecret@known.example');
    const { status, text } = await ben.get(`/contacts/${open}`);
    expect(status).toBe(200);
    expect(text).not.toMatch(/zxsecret/i);
    expect(text).toContain('created the contact');
  });

  test('tells of the leads and matters that its reader may see', async () => {
    const id = await person({ firstName: 'Wilma', lastName: 'Quill' });
    const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
    const { body } = await firm.owner.post('/v1/matters', {
      ...area,
      title: 'Quill v. Rook',
      clientContactIds: [id],
    });
    const matter = body.data;
    const { text } = await ben.get(`/contacts/${id}`);
    expect(text).toContain(
      `<a class="nowrap" href="/matters/${matter.id}">matter ${matter.publicId}`,
    );
    // Who sees no matters is told of none.
    const cy = await visitorOf(server, firm, 'cy@harrow.example');
    const seen = await cy.get(`/contacts/${id}`);
    expect(seen.status).toBe(200);
    expect(seen.text).not.toContain(matter.publicId);
  });
});
