import { expect, test } from 'bun:test';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { namesIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

/** A firm with matters that are called by one letter, and its lists as the letters of their titles. */
const ready = async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const person = async (lastName: string) =>
    (await firm.owner.post('/v1/contacts', { lastName })).body.data.id as string;
  const make = async (title: string, more: object = {}) => {
    const sent = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03', title };
    const made = await firm.owner.post('/v1/matters', { ...sent, ...more });
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  const listed = async (query: string) => {
    const { text } = await ada.get(`/matters?view=list&status=ALL&${query}`);
    return namesIn(text).join('');
  };
  return { firm, ada, person, make, listed };
};

test('by clients, matters follow each change of their clients and of these names', async () => {
  const { firm, ada, person, make, listed } = await ready();
  const [bell, cole, dunn] = [await person('Bell'), await person('Cole'), await person('Dunn')];
  const a = await make('A', { clientContactIds: [dunn, bell] });
  await make('B', { clientContactIds: [cole] });
  await make('C', { clientContactIds: [bell] });
  await make('D');
  expect([await listed('sort=clients'), await listed('sort=-clients')]).toEqual(['CBAD', 'ABCD']);
  const rename = (id: string, lastName: string) =>
    firm.owner.patch(`/v1/contacts/${id}`, { lastName });
  await rename(bell, 'Eden');
  expect(await listed('sort=clients')).toBe('BACD');
  await rename(cole, 'Dunn-Ash');
  expect(await listed('sort=clients')).toBe('ABCD');
  // Both are found by the same words.
  await rename(cole, 'DUNN ASH');
  await rename(dunn, 'Dunn-Ash');
  expect(await listed('sort=clients')).toBe('BACD');
  expect(await listed('q=ash&sort=-clients')).toBe('AB');
  const clients = { primary: bell, billRecipient: bell };
  const both = { ...clients, clientContactIds: [dunn, bell] };
  expect((await ada.post(`/matters/${a}/clients`, both)).status).toBe(303);
  expect(await listed('sort=clients')).toBe('BCAD');
  expect((await ada.post(`/matters/${a}/clients`, {})).status).toBe(303);
  expect(await listed('sort=clients')).toBe('BCDA');
  expect((await firm.owner.delete(`/v1/contacts/${cole}`)).status).toBe(200);
  expect(await listed('sort=clients')).toBe('BCDA');
});

test('by clients, matters follow a merge of two contacts, and its undoing', async () => {
  const { ada, person, make, listed } = await ready();
  const [ash, moss, young] = [await person('Ash'), await person('Moss'), await person('Young')];
  await make('A', { clientContactIds: [young] });
  await make('B', { clientContactIds: [moss] });
  expect(await listed('sort=clients')).toBe('BA');
  expect((await ada.post(`/contacts/${ash}/merge`, { with: young })).status).toBe(303);
  expect(await listed('sort=clients')).toBe('AB');
  const { text } = await ada.get(`/contacts/${ash}`);
  const [undo = ''] = /\/contacts\/merges\/[\w-]{36}\/undo/.exec(text) ?? [];
  expect((await ada.post(undo)).status).toBe(303);
  expect(await listed('sort=clients')).toBe('BA');
});

test('by responsible, matters follow their teams, and what their members are called', async () => {
  const { firm, ada, make, listed } = await ready();
  const [adaId = '', benId = ''] = [firm.members[owner], firm.members[attorney]];
  const a = await make('A', {
    team: [{ memberId: benId, role: 'RESPONSIBLE_STAFF' }, { memberId: benId }],
  });
  await make('B', { team: [{ memberId: adaId }, { memberId: benId }] });
  await make('C');
  const both = async (sort: string) => [
    await listed(`sort=${sort}`),
    await listed(`sort=-${sort}`),
  ];
  expect(await both('responsible')).toEqual(['BAC', 'ABC']);
  expect((await ada.post(`/settings/members/${adaId}`, { name: 'Zoe Harrow' })).status).toBe(303);
  expect(await both('responsible')).toEqual(['ABC', 'BAC']);
  const team = {
    'team[0].memberId': adaId,
    'team[0].role': 'RESPONSIBLE_ATTORNEY',
    'team[0].allocation': '0',
  };
  expect((await ada.post(`/matters/${a}/team`, team)).status).toBe(303);
  expect(await listed('sort=responsible')).toBe('BAC');
  expect(await listed(`responsible=${benId}`)).toBe('B');
  expect(await listed(`member=${benId}`)).toBe('B');
  expect((await ada.post(`/matters/${a}/team`, {})).status).toBe(303);
  expect(await listed('sort=responsible')).toBe('BCA');
  expect([await listed('responsible=none'), await listed('member=none')]).toEqual(['CA', 'CA']);
});

test('who leaves stays where they were, or their successor takes the place', async () => {
  const { firm, ada, make, listed } = await ready();
  const [adaId = '', benId = ''] = [firm.members[owner], firm.members[attorney]];
  const a = await make('A', { team: [{ memberId: benId }] });
  await firm.owner.patch(`/v1/matters/${a}`, { status: 'ARCHIVE' });
  await make('B', { team: [{ memberId: benId }] });
  await make('C', { team: [{ memberId: benId }, { memberId: adaId }] });
  const left = await ada.post(`/settings/members/${benId}/deactivate`, { heirId: adaId });
  expect(left.status).toBe(303);
  expect(await listed('sort=responsible')).toBe('CBA');
  expect(await listed('sort=-responsible')).toBe('ACB');
  expect(await listed(`responsible=${benId}`)).toBe('A');
});

test('a deleted matter is in no list, and a restored one is where it was', async () => {
  const { firm, ada, person, make, listed } = await ready();
  const b = await make('B', { clientContactIds: [await person('Bell')], solDate: '2027-02-02' });
  await make('A', { clientContactIds: [await person('Ash')], solDate: '2027-01-01' });
  await make('C');
  const all = async () =>
    await Promise.all(
      ['title', '-title', 'clients', '-limitation', 'area'].map((sort) => listed(`sort=${sort}`)),
    );
  const before = ['ABC', 'CBA', 'ABC', 'BAC', 'CAB'];
  expect(await all()).toEqual(before);
  expect((await firm.owner.delete(`/v1/matters/${b}`)).status).toBe(200);
  expect(await all()).toEqual(before.map((titles) => titles.replace('B', '')));
  expect(await listed('q=bell')).toBe('');
  expect((await ada.post(`/matters/${b}/restore`)).status).toBe(303);
  expect(await all()).toEqual(before);
  expect(await listed('q=bell')).toBe('B');
});

test('titles that begin with the same hundred letters stand newest first', async () => {
  const { make, listed } = await ready();
  const long = 'x'.repeat(100);
  await make(`${long}2`);
  await make(`${long}1`);
  await make('Y');
  expect([await listed('sort=title'), await listed('sort=-title')]).toEqual([
    `${long}1${long}2Y`,
    `Y${long}1${long}2`,
  ]);
});

test('words are found by their beginnings, all of them, numbers too', async () => {
  const { person, make, listed } = await ready();
  await make('A', { clientContactIds: [await person('Abernathy')] });
  await make('B lease 4711');
  const asked = {
    'q=abern': 'A',
    'q=ABERNATHY': 'A',
    'q=nathy': '',
    'q=a': 'A',
    'q=aber+lease': '',
    'q=le+471': 'B lease 4711',
    'q=711': '',
    'q=4711': 'B lease 4711',
    'q=47': 'B lease 4711',
  };
  for (const [query, titles] of Object.entries(asked)) {
    expect([query, await listed(query)]).toEqual([query, titles]);
  }
});
