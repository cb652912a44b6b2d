import { expect, test } from 'bun:test';
import { readSettings } from '../../src/config.ts';
import { notHiredReasonList } from '../../src/leads/reasons.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { administrator } from '../../src/record/actor.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const newFirm = async () => {
  const firm = await makeFirm(server, {
    customFields: [
      { on: 'lead', name: 'Channel', type: 'SELECT', options: ['Web', 'Friend'] },
      { on: 'lead', name: 'Hearing', type: 'DATE' },
      { on: 'lead', name: 'Signing', type: 'DATE' },
    ],
  });
  const make = async (lastName: string, more: object = {}) => {
    const made = await firm.owner.post('/v1/leads', { lastName, ...more });
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  return { firm, make, ada: await visitorOf(server, firm, owner) };
};

/** A reason for not being hired on the firm's list. */
const reasonOf = async (firm: { id: string }) => {
  const settings = readSettings({ DATABASE_URL: server.databaseUrl });
  const database = openDatabase(settings.database ?? '', 2);
  const id = await notHiredReasonList.add(administrator(database, firm.id), 'Moved abroad');
  await database.close();
  return id;
};

const namesIn = (page: string) =>
  [...page.matchAll(/class="name" href="\/leads\/[^"]+" title="[^"]*"[^>]*>([^<]+)</g)].map(
    ([, name]) => name,
  );

const listOf = async (visitor: Visitor, query = '') => {
  const { status, text } = await visitor.get(`/leads?view=list&${query}`);
  expect(status).toBe(200);
  return namesIn(text);
};

test('a list is sorted by each column, up and down', async () => {
  const { firm, make, ada } = await newFirm();
  const [family, estates] = [firm.practiceAreas.Family?.id, firm.practiceAreas.Estates?.id];
  await make('Beta', { value: 'HIGH', practiceAreaId: family });
  const alpha = await make('Alpha', { value: 'LOW', leadStageColumnId: firm.leadStages.Contacted });
  await make('Gamma', { practiceAreaId: estates });
  await ada.post('/leads', { do: `assign:${alpha}`, assigneeIds: firm.members[attorney] ?? '' });
  const expected = {
    name: ['Alpha', 'Beta', 'Gamma'],
    number: ['Beta', 'Alpha', 'Gamma'],
    created: ['Beta', 'Alpha', 'Gamma'],
    value: ['Alpha', 'Beta', 'Gamma'],
    area: ['Gamma', 'Beta', 'Alpha'],
    stage: ['Gamma', 'Beta', 'Alpha'],
    assigned: ['Alpha', 'Gamma', 'Beta'],
    waiting: ['Gamma', 'Alpha', 'Beta'],
    source: ['Gamma', 'Alpha', 'Beta'],
  };
  for (const [sort, names] of Object.entries(expected)) {
    expect(await listOf(ada, `sort=${sort}`), sort).toEqual(names);
  }
  expect(await listOf(ada, 'sort=-name')).toEqual(['Gamma', 'Beta', 'Alpha']);
  expect(await listOf(ada, 'sort=-value')).toEqual(['Beta', 'Alpha', 'Gamma']);
  expect(await listOf(ada, 'sort=nonsense')).toEqual(['Gamma', 'Alpha', 'Beta']);
});

test('a list is filtered by each of its filters', async () => {
  const { firm, make, ada } = await newFirm();
  const family = firm.practiceAreas.Family?.id;
  const { Channel, Hearing, Signing } = firm.customFields.lead;
  const { New, Contacted } = firm.leadStages;
  await make('Plain');
  await make('Divorce', { practiceAreaId: family, value: 'HIGH' });
  const web = await make('Web', {
    customFields: { Channel: 'Web', Hearing: '2026-05-05', Signing: '2026-06-06' },
  });
  await firm.owner.patch(`/v1/leads/${web}`, { leadStageColumnId: Contacted });
  await ada.post('/leads', { do: `assign:${web}`, assigneeIds: firm.members[owner] ?? '' });
  const today = new Date().toISOString().slice(0, 10);
  const expected: Record<string, string[]> = {
    '': ['Web', 'Divorce', 'Plain'],
    [`area=${family}`]: ['Divorce'],
    'area=none': ['Web', 'Plain'],
    'value=HIGH': ['Divorce'],
    'value=none': ['Web', 'Plain'],
    [`stage=${Contacted}`]: ['Web'],
    [`reached=${Contacted}`]: ['Web'],
    [`reached=${New}`]: ['Web', 'Divorce', 'Plain'],
    'assignee=me': ['Web'],
    'assignee=none': ['Divorce', 'Plain'],
    [`assignee=${firm.members[attorney]}`]: [],
    [`field.${Channel}=Web`]: ['Web'],
    [`field.${Channel}=Friend`]: [],
    [`field.${Hearing}.from=2026-05-05&field.${Hearing}.to=2026-05-05`]: ['Web'],
    [`field.${Hearing}.from=2026-05-06`]: [],
    [`field.${Hearing}.to=2026-05-05&field.${Signing}.from=2026-06-06&field.${Channel}=Web`]: [
      'Web',
    ],
    [`field.${Hearing}.to=2026-05-05&field.${Signing}.from=2026-06-07`]: [],
    [`field.${Hearing}.to=2026-05-05&field.${Channel}=Friend`]: [],
    [`from=${today}`]: ['Web', 'Divorce', 'Plain'],
    'to=2020-01-01': [],
    'waiting=1': [],
    'q=divo': ['Divorce'],
    'q=L-0001': ['Plain'],
    'status=DRAFT': [],
    'status=ALL': ['Web', 'Divorce', 'Plain'],
    'reason=none': ['Web', 'Divorce', 'Plain'],
    "area='&stage=x&from=2026-99-99&waiting=-1&field.x=1": ['Web', 'Divorce', 'Plain'],
  };
  for (const [query, names] of Object.entries(expected)) {
    expect(await listOf(ada, query), query).toEqual(names);
  }
});

test('a list has fifty rows a page, and its total', async () => {
  const { make, ada } = await newFirm();
  for (let made = 0; made < 51; made += 1) await make(`Lead ${made}`);
  const first = (await ada.get('/leads?view=list')).text;
  expect(namesIn(first).length).toBe(50);
  expect(first).toContain('1–50 of 51');
  expect(await listOf(ada, 'page=2')).toEqual(['Lead 0']);
  expect(await listOf(ada, 'page=9')).toEqual([]);
});

test('what a member may not see is in no list, count or file', async () => {
  const { firm, make, ada } = await newFirm();
  await make('Public');
  await make('Hidden', { isPrivate: true });
  const ben = await visitorOf(server, firm, attorney);
  expect(await listOf(ada)).toEqual(['Hidden', 'Public']);
  const { text } = await ben.get('/leads?view=list');
  expect(namesIn(text)).toEqual(['Public']);
  expect(text).not.toContain('Hidden');
  expect(text).toContain('1–1 of 1');
  expect(await listOf(ben, 'q=hidden&status=ALL')).toEqual([]);
  const clerk = await visitorOf(server, firm, bookkeeper);
  expect((await clerk.get('/leads?view=list')).status).toBe(403);
});

test('the list as filtered is a file for those who may export; formulas in it are text; the log says so', async () => {
  const { firm, make, ada } = await newFirm();
  await make('=1+1', { value: 'HIGH' });
  await make('Left out');
  const file = await ada.post('/leads/export?view=list&value=HIGH');
  expect(file.status).toBe(200);
  const [head, ...rows] = file.text.trim().split(/\r?\n/);
  expect(head?.replace('\uFEFF', '')).toBe(
    'Name,No.,Area,Stage,Value,Source,Assigned,Waiting,Created',
  );
  expect(rows.length).toBe(1);
  expect(rows[0]).toStartWith("'=1+1,L-0001,,New,High,,,");
  const log = await firm.command<{ changes: object }[]>(['audit', 'list']);
  const after = { what: 'leads', address: '/leads?view=list&value=HIGH', rows: 1 };
  expect(log.at(-1)?.changes).toEqual({ exported: { before: null, after } });
  const ben = await visitorOf(server, firm, attorney);
  expect((await ben.post('/leads/export?view=list')).status).toBe(403);
  expect((await ben.get('/leads?view=list')).text).not.toContain('/leads/export');
  const elsewhere = { 'sec-fetch-site': 'cross-site' };
  expect((await ada.post('/leads/export?view=list', {}, elsewhere)).status).toBe(403);
});

test('several leads are changed at once; what was refused is counted, with why', async () => {
  const { firm, make, ada } = await newFirm();
  const ids = [await make('One'), await make('Two'), await make('Three')];
  const all = (act: string, id: string[] = ids) => ada.post('/leads?view=list', { do: act, id });
  const { Contacted } = firm.leadStages;
  expect((await all(`all-move:${Contacted}`)).location).toBe('/leads?view=list');
  expect(await listOf(ada, `stage=${Contacted}`)).toEqual(['Three', 'Two', 'One']);
  expect((await all(`all-assign:${firm.members[attorney]}`)).status).toBe(303);
  expect(await listOf(ada, `assignee=${firm.members[attorney]}`)).toEqual(['Three', 'Two', 'One']);
  expect((await all('all-status:ARCHIVE', ids.slice(0, 1))).status).toBe(303);
  expect(await listOf(ada, 'status=ARCHIVE')).toEqual(['One']);
  const reason = await reasonOf(firm);
  expect((await ada.get('/leads?view=list')).text).toContain(`value="all-not-hired:${reason}"`);
  expect((await all(`all-not-hired:${reason}`, ids.slice(1, 2))).status).toBe(303);
  expect(await listOf(ada, `status=NOT_HIRED&reason=${reason}`)).toEqual(['Two']);

  const other = await newFirm();
  const foreign = await other.make('Foreign');
  const answer = await all(`all-move:${firm.leadStages.New}`, [ids[2] ?? '', foreign, 'nonsense']);
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('1 of 3 leads were changed.');
  expect(await listOf(ada, `stage=${firm.leadStages.New}`)).toEqual(['Three']);
  expect(await listOf(other.ada, `stage=${other.firm.leadStages.New}`)).toEqual(['Foreign']);
  const many = Array.from({ length: 201 }, () => Bun.randomUUIDv7());
  expect((await all('all-status:ARCHIVE', many)).text).toContain('At most 200 leads');
  expect((await all('all-status:ARCHIVE', [])).status).toBe(422);
  const clerk = await visitorOf(server, firm, bookkeeper);
  const refused = await clerk.post('/leads?view=list', { do: 'all-status:ARCHIVE', id: ids });
  expect(refused.status).toBe(403);
});

test('a view is kept under a name, for oneself or the firm, and removed by its maker or an owner', async () => {
  const { firm, ada } = await newFirm();
  const ben = await visitorOf(server, firm, attorney);
  const keep = (visitor: Visitor, name: string, more = {}) =>
    visitor.post('/leads/views?view=list&value=HIGH&page=3', { name, ...more });
  expect((await keep(ben, 'Good ones')).status).toBe(303);
  expect((await keep(ben, 'Ours', { isShared: 'on' })).status).toBe(303);
  expect((await keep(ben, 'Ours', { isShared: 'on' })).status).toBe(303);
  expect((await keep(ben, ' ')).status).toBe(422);
  expect((await keep(ben, 'x'.repeat(65))).status).toBe(422);
  const removalsIn = (text: string) =>
    [...text.matchAll(/action="(\/leads\/views\/[^"?]+\/remove)/g)].map(([, path = '']) => path);
  const mine = (await ben.get('/leads?view=list')).text;
  expect(mine).toContain('href="/leads?view=list&amp;value=HIGH"');
  expect(removalsIn(mine).length).toBe(2);
  const theirs = (await ada.get('/leads?view=list')).text;
  expect(theirs).toContain('Ours');
  expect(theirs).not.toContain('Good ones');
  const own = removalsIn(mine).filter((path) => !removalsIn(theirs).includes(path));
  expect((await ada.post(own[0] ?? '')).status).toBe(404);
  const other = await newFirm();
  for (const path of removalsIn(mine)) expect((await other.ada.post(path)).status).toBe(404);
  expect((await ada.post(removalsIn(theirs)[0] ?? '')).status).toBe(303);
  expect((await ben.post(own[0] ?? '')).status).toBe(303);
  expect(removalsIn((await ben.get('/leads?view=list')).text)).toEqual([]);
});

test('a view that filters by a removed custom field says so, and shows the list without it', async () => {
  const { firm, make, ada } = await newFirm();
  const { Channel = '' } = firm.customFields.lead;
  await make('Poole', { customFields: { Channel: 'Web' } });
  await make('Quill');
  const view = `/leads?view=list&q=po&field.${Channel}=Other`;
  const before = await ada.get(view);
  expect([namesIn(before.text), before.text.includes('was removed')]).toEqual([[], false]);
  const lost = { standing: '1', deleted: '0' };
  expect((await ada.post(`/settings/fields/${Channel}/remove`, lost)).status).toBe(303);
  const after = await ada.get(view);
  expect(namesIn(after.text)).toEqual(['Poole']);
  expect(after.text).toContain('A custom field was removed');
  const [, without = ''] = /href="([^"]+)">Remove the filter</.exec(after.text) ?? [];
  expect(without).toBe('/leads?view=list&amp;q=po');
  expect((await ada.get(without.replaceAll('&amp;', '&'))).text).not.toContain('was removed');
});
