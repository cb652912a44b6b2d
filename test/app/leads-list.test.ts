import { expect, test } from 'bun:test';
import { readSettings } from '../../src/config.ts';
import { notHiredReasonList } from '../../src/leads/reasons.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { administrator } from '../../src/record/actor.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { namesIn } from '../support/html.ts';
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
    'Name,No.,Area,Stage,Value,Next step,Source,Assigned,Waiting,Created',
  );
  expect(rows.length).toBe(1);
  expect(rows[0]).toStartWith("'=1+1,L-0001,,New,High,,,,");
  const log = await firm.command<{ changes: object }[]>(['audit', 'list']);
  const after = { what: 'leads', address: '/leads?view=list&value=HIGH', rows: 1 };
  expect(log.at(-1)?.changes).toEqual({ exported: { before: null, after } });
});

test('several leads are moved, assigned, archived and decided at once', async () => {
  const { firm, make, ada } = await newFirm();
  const ids = [await make('One'), await make('Two'), await make('Three')];
  const all = (act: string, id: string[] = ids, assigneeIds: string[] = []) =>
    ada.post('/leads?view=list', { do: act, id, assigneeIds });
  const { Contacted } = firm.leadStages;
  expect((await all(`all-move:${Contacted}`)).location).toBe('/leads?view=list');
  expect(await listOf(ada, `stage=${Contacted}`)).toEqual(['Three', 'Two', 'One']);
  expect((await all('all-assign:add', ids, [firm.members[attorney] ?? ''])).status).toBe(303);
  expect(await listOf(ada, `assignee=${firm.members[attorney]}`)).toEqual(['Three', 'Two', 'One']);
  expect((await all('all-status:ARCHIVE', ids.slice(0, 1))).status).toBe(303);
  expect(await listOf(ada, 'status=ARCHIVE')).toEqual(['One']);
  const reason = await reasonOf(firm);
  expect((await ada.get('/leads?view=list')).text).toContain(`value="all-not-hired:${reason}"`);
  expect((await all(`all-not-hired:${reason}`, ids.slice(1, 2))).status).toBe(303);
  expect(await listOf(ada, `status=NOT_HIRED&reason=${reason}`)).toEqual(['Two']);
});
