/** Two contacts that are one person, merged and taken apart again on their pages. */
import { describe, expect, test } from 'bun:test';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const ready = async () => {
  const firm = await makeFirm(server, {
    customFields: [
      { on: 'contact', name: 'Language', type: 'TEXT' },
      { on: 'matter', name: 'Opponent', type: 'CONTACT' },
    ],
  });
  const api = firm.owner;
  const ada = await visitorOf(server, firm, owner);
  const person = async (body: object) =>
    (await api.post('/v1/contacts', body)).body.data.id as string;
  const matterOf = async (ids: string[], more: object = {}) =>
    (
      await api.post('/v1/matters', {
        practiceAreaId: firm.practiceAreas.Family?.id,
        openDate: '2026-01-01',
        title: 'Quill v. Rook',
        clientContactIds: ids,
        ...more,
      })
    ).body.data.id as string;
  const leadOf = async (body: object) => {
    const made = (await api.post('/v1/leads', body)).body.data;
    return { id: made.id as string, contactId: made.contact.id as string };
  };
  const read = async (path: string) => (await api.get(`/v1/${path}`)).body.data;
  const found = async (words: string) =>
    (await read(`search?q=${encodeURIComponent(words)}`))
      .map(({ id }: { id: string }) => id)
      .sort();
  const mergeIdOf = async (id: string) =>
    /\/contacts\/merges\/([\w-]{36})\/undo/.exec((await ada.get(`/contacts/${id}`)).text)?.[1] ??
    '';
  return { firm, api, ada, person, matterOf, leadOf, read, found, mergeIdOf };
};

describe('Two contacts that are one person', () => {
  test('are compared and merged: leads, clients, fields and search follow; and back, exactly', async () => {
    const { ada, person, matterOf, leadOf, read, found, mergeIdOf } = await ready();
    const kept = await person({
      firstName: 'Zoe',
      lastName: 'Quill',
      emails: ['zoe@quill.example'],
    });
    const lead = await leadOf({
      firstName: 'Zoë',
      lastName: 'Zander',
      email: 'other@quill.example',
    });
    const merged = lead.contactId;
    const friend = await person({ lastName: 'Moss' });
    const both = await matterOf([friend, merged, kept], { customFields: { Opponent: merged } });
    const only = await matterOf([merged]);
    const before = await Promise.all(
      [
        `contacts/${kept}`,
        `contacts/${merged}`,
        `leads/${lead.id}`,
        `matters/${both}`,
        `matters/${only}`,
      ].map(read),
    );
    const words = ['zoe', 'zander', 'other@quill.example', 'zoe@quill.example'];
    const foundBefore = await Promise.all(words.map(found));

    const page = await ada.get(`/contacts/${kept}/merge?with=${merged}`);
    expect(page.text).toContain('1 lead and 2 matters of Zoë Zander will belong to Zoe Quill');
    const done = await ada.post(`/contacts/${kept}/merge`, {
      with: merged,
      'field.firstName': 'merged',
      'field.lastName': 'kept',
    });
    expect(done).toMatchObject({ status: 303, location: `/contacts/${kept}` });
    expect(await read(`contacts/${kept}`)).toMatchObject({
      name: 'Zoë Quill',
      emails: [
        { address: 'zoe@quill.example', isPrimary: true },
        { address: 'other@quill.example', isPrimary: false },
      ],
    });
    expect((await ada.get(`/contacts/${merged}`)).location).toBe(`/contacts/${kept}`);
    expect((await read(`leads/${lead.id}`)).contact).toEqual({ id: kept, name: 'Zoë Quill' });
    expect(await read(`matters/${both}`)).toMatchObject({
      clients: [
        { contactId: friend, isPrimary: true, isBillRecipient: true },
        { contactId: kept, isPrimary: false },
      ],
      customFields: { Opponent: kept },
    });
    expect((await read(`matters/${only}`)).clients).toMatchObject([
      { contactId: kept, isPrimary: true, isBillRecipient: true },
    ]);
    expect(await found('other@quill.example')).toEqual([kept, lead.id, both, only].sort());
    expect(await found('zander')).toEqual([]);

    const undone = await ada.post(`/contacts/merges/${await mergeIdOf(kept)}/undo`);
    expect(undone).toMatchObject({ status: 303, location: `/contacts/${kept}` });
    const after = await Promise.all(
      [
        `contacts/${kept}`,
        `contacts/${merged}`,
        `leads/${lead.id}`,
        `matters/${both}`,
        `matters/${only}`,
      ].map(read),
    );
    const plain = (all: object[]) => all.map((one) => ({ ...one, updatedAt: '' }));
    expect(plain(after)).toEqual(plain(before));
    expect(await Promise.all(words.map(found))).toEqual(foundBefore);
    expect(await mergeIdOf(kept)).toBe('');
  });

  test('have a number or an address that is written in two ways once, as the page says before; and back, exactly', async () => {
    const { ada, person, read, mergeIdOf } = await ready();
    const [kept = '', merged = ''] = await Promise.all(
      [
        {
          lastName: 'Quill',
          emails: ['Zoe@bücher.example'],
          phones: ['020 7946 0142', '(212) 555-0143', 'Ask at the lodge', '555 0150'],
        },
        {
          lastName: 'Quill',
          emails: ['zoe@BÜCHER.example', 'zoe@xn--bcher-kva.example', 'zoe@quill.example'],
          phones: [
            ...['020/79460142', '+1 212 555 0143', '2125550143', '555-0150'],
            // Another number, another extension, and what is no number.
            ...['020 7946 0143', '+44 212 555 0143', '212-555-0143 ext. 12', 'Ask her sister'],
          ],
        },
      ].map(person),
    );
    const both = () => Promise.all([kept, merged].map((id) => read(`contacts/${id}`)));
    const before = await both();
    const emails = ['Zoe@bücher.example', 'zoe@quill.example'];
    const phones = [
      ...['020 7946 0142', '(212) 555-0143', 'Ask at the lodge', '555 0150'],
      ...['020 7946 0143', '+44 212 555 0143', '212-555-0143 ext. 12', 'Ask her sister'],
    ];
    const page = (await ada.get(`/contacts/${kept}/merge?with=${merged}`)).text;
    expect(textIn(page, 'form.form')).toContain(`Emails: ${emails.join(', ')}`);
    expect(textIn(page, 'form.form')).toContain(`Phone numbers: ${phones.join(', ')}`);
    expect((await ada.post(`/contacts/${kept}/merge`, { with: merged })).status).toBe(303);
    const held = await read(`contacts/${kept}`);
    expect(held.emails.map(({ address }: { address: string }) => address)).toEqual(emails);
    expect(held.phones.map(({ number }: { number: string }) => number)).toEqual(phones);
    expect((await ada.post(`/contacts/merges/${await mergeIdOf(kept)}/undo`)).status).toBe(303);
    const plain = (all: object[]) => all.map((one) => ({ ...one, updatedAt: '' }));
    expect(plain(await both())).toEqual(plain(before));
  });

  test('are not taken apart where that would not be exact, and it is said why', async () => {
    const { api, ada, person, matterOf, mergeIdOf, firm } = await ready();
    const [kept, merged, third] = [
      await person({ lastName: 'Quill' }),
      await person({ lastName: 'Quill' }),
      await person({ lastName: 'Moss' }),
    ];
    const matter = await matterOf([merged]);
    expect((await ada.post(`/contacts/${kept}/merge`, { with: merged })).status).toBe(303);
    const id = await mergeIdOf(kept);
    await api.patch(`/v1/contacts/${kept}`, { nickname: 'Q' });
    const refused = await ada.post(`/contacts/merges/${id}/undo`);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('The contact has changed since then');
    await api.patch(`/v1/contacts/${kept}`, { nickname: null });
    expect((await ada.post(`/contacts/${kept}/merge`, { with: third })).status).toBe(303);
    expect((await ada.post(`/contacts/merges/${id}/undo`)).text).toContain('Undo that first');
    expect((await ada.post(`/contacts/merges/${await mergeIdOf(kept)}/undo`)).status).toBe(303);
    await api.delete(`/v1/matters/${matter}`);
    expect((await ada.post(`/contacts/merges/${id}/undo`)).status).toBe(422);
    expect((await api.get(`/v1/contacts/${merged}`)).status).toBe(404);
    const other = await visitorOf(server, await makeFirm(server), owner);
    for (const path of [`/contacts/merges/${id}/undo`, `/contacts/${kept}/merge`]) {
      expect((await other.post(path, { with: merged })).status).toBe(404);
    }
    expect(firm.id).not.toBe('');
  });

  test('are not merged by who does not see all that would move, nor with themselves', async () => {
    const { ada, firm, person, leadOf, matterOf, api } = await ready();
    const ben = await visitorOf(server, firm, attorney);
    const hidden = await leadOf({ lastName: 'Quill', email: 'q@quill.example', isPrivate: true });
    // A client of a matter is seen by all, its private lead is not.
    await matterOf([hidden.contactId]);
    const kept = await person({ lastName: 'Quill', emails: ['q@quill.example'] });
    expect((await ben.get(`/contacts/${kept}/merge?with=${hidden.contactId}`)).text).not.toContain(
      '1 lead',
    );
    const refused = await ben.post(`/contacts/${kept}/merge`, { with: hidden.contactId });
    expect(refused.text).toContain('You may not see everything');
    expect((await api.get(`/v1/contacts/${hidden.contactId}`)).status).toBe(200);
    const secret = await leadOf({ lastName: 'Hidden', isPrivate: true });
    expect((await ben.post(`/contacts/${kept}/merge`, { with: secret.contactId })).status).toBe(
      404,
    );
    expect((await ada.post(`/contacts/${kept}/merge`, { with: kept })).status).not.toBe(303);
    expect((await ada.post(`/contacts/${kept}/merge`, { with: hidden.contactId })).status).toBe(
      303,
    );
  });

  test('stay as visible as they were: what is merged into is not hidden with a lead', async () => {
    const { ada, firm, person, leadOf, api, mergeIdOf } = await ready();
    const ben = await visitorOf(server, firm, attorney);
    const sees = async (id: string) => (await ben.get(`/contacts/${id}`)).status;
    const lead = await leadOf({ lastName: 'Quill' });
    const kept = await person({ lastName: 'Quill' });
    await ada.post(`/contacts/${kept}/merge`, { with: lead.contactId });
    await api.patch(`/v1/leads/${lead.id}`, { isPrivate: true });
    expect(await sees(kept)).toBe(200);
    expect((await ada.post(`/contacts/merges/${await mergeIdOf(kept)}/undo`)).status).toBe(303);
    expect([await sees(kept), await sees(lead.contactId)]).toEqual([200, 404]);
    const total = (await firm.callerOf(attorney).then((caller) => caller.get('/v1/contacts'))).body;
    expect(total.pagination.total).toBe(total.data.length);
    const [one, two] = [
      await leadOf({ lastName: 'Rook', isPrivate: true }),
      await leadOf({ lastName: 'Rook', isPrivate: true }),
    ];
    await ada.post(`/contacts/${one.contactId}/merge`, { with: two.contactId });
    expect(await sees(one.contactId)).toBe(404);
    await api.patch(`/v1/leads/${two.id}`, { isPrivate: false });
    expect(await sees(one.contactId)).toBe(200);
    await api.patch(`/v1/leads/${one.id}`, { isPrivate: false });
    await api.patch(`/v1/leads/${two.id}`, { isPrivate: true });
    expect(await sees(one.contactId)).toBe(200);
    await api.patch(`/v1/leads/${one.id}`, { isPrivate: true });
    expect(await sees(one.contactId)).toBe(404);
  });
});

describe('A new lead of the same person', () => {
  test('is made with its merge, or not at all', async () => {
    const { api, ada, person, read } = await ready();
    const counts = async () => [(await read('leads')).length, (await read('contacts')).length];
    const create = (same: string) =>
      ada.post('/leads/new', { firstName: 'Zoe', lastName: 'Quill', phone: '+1 555 0199', same });
    const phones = Array.from({ length: 20 }, (_, at) => `+1 555 01${String(at).padStart(2, '0')}`);
    const full = await person({ firstName: 'Zoe', lastName: 'Quill', phones });
    const gone = await person({ firstName: 'Zoe', lastName: 'Quill' });
    expect((await api.delete(`/v1/contacts/${gone}`)).status).toBe(200);
    const before = await counts();
    for (const [same, words] of [
      [full, 'Together the contacts have more than 20 addresses or numbers. Delete some first.'],
      [gone, 'The contact that you chose is no longer there.'],
    ] as const) {
      const { status, text } = await create(same);
      expect(status).toBeWithin(400, 500);
      expect(text).toContain(words);
      expect(await counts()).toEqual(before);
    }
    const known = await person({ firstName: 'Zoe', lastName: 'Quill' });
    expect((await create(known)).status).toBe(303);
    const [leads, contacts] = [before[0] ?? 0, before[1] ?? 0];
    expect(await counts()).toEqual([leads + 1, contacts + 1]);
  });

  test('leaves the known contact its number and its address as they are written there', async () => {
    const { ada, person, read, mergeIdOf } = await ready();
    const ways = { emails: ['Zoe@quill.example'], phones: ['(212) 555-0143'] };
    const known = await person({ firstName: 'Zoe', lastName: 'Quill', ...ways });
    const before = await read(`contacts/${known}`);
    const typed = { email: 'zoe@Quill.example', phone: '+1 212 555 0143' };
    const made = await ada.post('/leads/new', {
      ...{ firstName: 'Zoe', lastName: 'Quill', same: known },
      ...typed,
    });
    expect(made.status).toBe(303);
    const held = await read(`contacts/${known}`);
    expect([held.emails, held.phones]).toEqual([before.emails, before.phones]);
    expect((await ada.post(`/contacts/merges/${await mergeIdOf(known)}/undo`)).status).toBe(303);
    const [lead] = await read('leads');
    expect(await read(`contacts/${lead.contact.id}`)).toMatchObject({
      emails: [{ address: typed.email }],
      phones: [{ number: typed.phone }],
    });
  });
});
