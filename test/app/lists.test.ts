/** What the lists of leads and of matters have in common. */
import { describe, expect, test } from 'bun:test';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { attributesIn, linkIn, namesIn, partsIn, textIn, textsIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

/** A kind of record with a list, and how one is made. */
type Kind = {
  noun: 'lead' | 'matter';
  body(firm: Firm, name: string): object;
  /** A filter by days: its words, and its names in the address. */
  days: [words: string, from: string, to: string];
};

const kinds: Kind[] = [
  {
    noun: 'lead',
    body: (_, lastName) => ({ lastName }),
    days: ['Created', 'from', 'to'],
  },
  {
    noun: 'matter',
    body: ({ practiceAreas }, title) => ({
      title,
      practiceAreaId: practiceAreas.Family?.id,
      openDate: '2026-03-03',
    }),
    days: ['Opened', 'openedFrom', 'openedTo'],
  },
];

const testList = ({ noun, body, days }: Kind) => {
  const path = `/${noun}s`;
  const list = `${path}?view=list`;

  const newFirm = async () => {
    const firm = await makeFirm(server, {
      customFields: [{ on: noun, name: 'Channel', type: 'SELECT', options: ['Web', 'Friend'] }],
    });
    const make = async (name: string, more: object = {}) => {
      const made = await firm.owner.post(`/v1${path}`, { ...body(firm, name), ...more });
      expect(made.status).toBe(201);
      return made.body.data.id as string;
    };
    return { firm, make, ada: await visitorOf(server, firm, owner) };
  };

  const listOf = async (visitor: Visitor, query: string) =>
    namesIn((await visitor.get(`${list}&${query}`)).text);

  test('has fifty rows a page, its total, and the count on its tab', async () => {
    const { make, ada } = await newFirm();
    for (let made = 0; made < 51; made += 1) await make(`Record ${made}`);
    const first = (await ada.get(list)).text;
    expect(namesIn(first).length).toBe(50);
    expect(textIn(first, '.foot')).toContain('1–50 of 51');
    expect(textsIn(first, '.tabs a')).toContain('Active 51');
    expect(await listOf(ada, 'page=2')).toEqual(['Record 0']);
    expect(await listOf(ada, 'page=9')).toEqual([]);
  });

  test('is closed to who may not read, with its file and its changes', async () => {
    const { firm, make, ada } = await newFirm();
    const id = await make('Kept');
    const [ben, clerk] = [
      await visitorOf(server, firm, attorney),
      await visitorOf(server, firm, bookkeeper),
    ];
    expect((await clerk.get(list)).status).toBe(403);
    expect((await clerk.post(list, { do: 'all-status:ARCHIVE', id })).status).toBe(403);
    expect((await ben.post(`${path}/export?view=list`)).status).toBe(403);
    expect(partsIn((await ben.get(list)).text, `form[action^="${path}/export"]`)).toEqual([]);
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    expect((await ada.post(`${path}/export?view=list`, {}, elsewhere)).status).toBe(403);
    expect(await listOf(ada, '')).toEqual(['Kept']);
  });

  test('changes several at once, but at most 20,000, one at least, and none of another firm', async () => {
    const { make, ada } = await newFirm();
    const other = await newFirm();
    const [own, foreign] = [await make('Own'), await other.make('Foreign')];
    const archive = (id: string[]) => ada.post(list, { do: 'all-status:ARCHIVE', id });
    const many = await ada.post(list, { do: 'all-status:ARCHIVE', every: '20001' });
    expect(many.text).toContain(`At most 20,000 ${noun}s are changed at once.`);
    expect((await archive([])).status).toBe(422);
    expect(await listOf(ada, '')).toEqual(['Own']);
    const answer = await archive([own, foreign, 'nonsense']);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(`1 of 3 ${noun}s was changed.`);
    expect(await listOf(ada, 'status=ARCHIVE')).toEqual(['Own']);
    expect(await listOf(other.ada, '')).toEqual(['Foreign']);
  });

  test('a view is kept under a name, for oneself or the firm, and removed by its maker or an owner', async () => {
    const { firm, ada } = await newFirm();
    const [ben, other] = [await visitorOf(server, firm, attorney), await newFirm()];
    const keep = async (name: string, more = {}) => {
      const sent = { name, ...more };
      return (await ben.post(`${path}/views?view=list&q=po&page=3`, sent)).status;
    };
    expect(await keep('Good ones')).toBe(303);
    expect(await keep('Ours', { isShared: 'on' })).toBe(303);
    expect(await keep('Ours', { isShared: 'on' })).toBe(303);
    expect(await keep(' ')).toBe(422);
    expect(await keep('x'.repeat(65))).toBe(422);
    const removalsFor = async (visitor: Visitor) =>
      attributesIn((await visitor.get(list)).text, `form[action*="/views/"]`, 'action').flatMap(
        (action) => /^[^?]+\/remove/.exec(action) ?? [],
      );
    const [mine, theirs] = [await removalsFor(ben), await removalsFor(ada)];
    expect([mine.length, theirs.length]).toEqual([2, 1]);
    expect(linkIn((await ben.get(list)).text, 'Good ones')).toBe(`${list}&q=po`);
    expect(linkIn((await ada.get(list)).text, 'Good ones')).toBe('');
    const otherList = noun === 'lead' ? '/matters?view=list' : '/leads?view=list';
    expect((await ada.get(otherList)).text).not.toContain('Ours');
    const [shared = ''] = theirs;
    const own = mine.find((one) => one !== shared) ?? '';
    expect((await ada.post(own)).status).toBe(404);
    for (const one of mine) expect((await other.ada.post(one)).status).toBe(404);
    expect((await ada.post(shared)).status).toBe(303);
    expect((await ben.post(own)).status).toBe(303);
    expect(await removalsFor(ben)).toEqual([]);
  });

  test('a period is one chip, with its days as the member has them written, and nothing in it is said', async () => {
    const { ada } = await newFirm();
    const [words, from, to] = days;
    const chipsOf = (text: string) => textsIn(text, '.toolbar .filter');
    const chips = async (query: string) => chipsOf((await ada.get(`${list}&${query}`)).text);
    const period = `${from}=2019-10-01&${to}=2019-11-24`;
    const { text } = await ada.get(`${list}&q=po&${period}`);
    expect(chipsOf(text)).toEqual([`${words}: 1 Oct – 24 Nov 2019`]);
    expect(attributesIn(text, '.toolbar .filter a', 'href')).toEqual([`${list}&q=po`]);
    expect(textIn(text, '.empty')).toContain(`No ${noun}s match these filters.`);
    expect(await chips(`${from}=2019-10-01`)).toEqual([`${words}: from 1 Oct 2019`]);
    expect(await chips(`${to}=2019-11-24`)).toEqual([`${words}: until 24 Nov 2019`]);
    expect(await chips(`${from}=2018-10-01&${to}=2019-11-24`)).toEqual([
      `${words}: 1 Oct 2018 – 24 Nov 2019`,
    ]);
    expect(await chips(`${from}=2019-02-31`)).toEqual([]);
    await ada.post('/settings/me/formats', { clock: '12', dayOrder: 'MDY' });
    expect(await chips(period)).toEqual([`${words}: Oct 1 – Nov 24, 2019`]);
  });

  test('a view that filters by a removed custom field says so, and shows the list without it', async () => {
    const { firm, make, ada } = await newFirm();
    const { Channel = '' } = firm.customFields[noun];
    await make('Poole', { customFields: { Channel: 'Web' } });
    await make('Quill');
    const view = `${list}&q=po&field.${Channel}=Other`;
    const before = await ada.get(view);
    expect([namesIn(before.text), before.text.includes('was removed')]).toEqual([[], false]);
    const lost = { standing: '1', deleted: '0' };
    expect((await ada.post(`/settings/fields/${Channel}/remove`, lost)).status).toBe(303);
    const after = await ada.get(view);
    expect(namesIn(after.text)).toEqual(['Poole']);
    expect(after.text).toContain('A custom field was removed');
    const without = linkIn(after.text, 'Remove the filter');
    expect(without).toBe(`${list}&q=po`);
    expect((await ada.get(without)).text).not.toContain('was removed');
  });
};

for (const kind of kinds) describe(`The list of ${kind.noun}s`, () => testList(kind));
