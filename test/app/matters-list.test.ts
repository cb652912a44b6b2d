import { expect, test } from 'bun:test';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { namesIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const newFirm = async () => {
  const firm = await makeFirm(server, {
    customFields: [{ on: 'matter', name: 'Court', type: 'SELECT', options: ['High', 'County'] }],
  });
  const family = firm.practiceAreas.Family;
  const make = async (title: string, more: object = {}) => {
    const sent = { practiceAreaId: family?.id, openDate: '2026-03-03', title, ...more };
    const made = await firm.owner.post('/v1/matters', sent);
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  return { firm, family, make, ada: await visitorOf(server, firm, owner) };
};

const listOf = async (visitor: Visitor, query = '') => {
  const { status, text } = await visitor.get(`/matters?view=list&${query}`);
  expect([query, status]).toEqual([query, 200]);
  return namesIn(text);
};

test('a list is sorted by each column, up and down', async () => {
  const { firm, family, make, ada } = await newFirm();
  const contact = async (lastName: string) =>
    (await firm.owner.post('/v1/contacts', { lastName })).body.data.id;
  const [zoe, adam] = [await contact('Zoe'), await contact('Adam')];
  await make('Beta', {
    clientContactIds: [zoe, adam],
    team: [{ memberId: firm.members[owner] }],
    solDate: '2027-01-01',
    openDate: '2026-01-01',
    closeDate: '2026-09-01',
  });
  const alpha = await make('alpha', {
    clientContactIds: [adam],
    practiceAreaStageColumnId: family?.stages.Filed,
    team: [{ memberId: firm.members[attorney] }],
    solDate: '2026-12-01',
    openDate: '2026-02-01',
  });
  await make('Gamma', { practiceAreaId: firm.practiceAreas.Estates?.id, status: 'DRAFT' });
  const type = { matterTypeId: family?.matterTypes.Divorce ?? '' };
  expect((await ada.post(`/matters/${alpha}`, type)).status).toBe(303);
  const expected = {
    number: ['Beta', 'alpha', 'Gamma'],
    title: ['alpha', 'Beta', 'Gamma'],
    clients: ['alpha', 'Beta', 'Gamma'],
    area: ['Gamma', 'alpha', 'Beta'],
    stage: ['alpha', 'Gamma', 'Beta'],
    type: ['alpha', 'Gamma', 'Beta'],
    responsible: ['Beta', 'alpha', 'Gamma'],
    limitation: ['alpha', 'Beta', 'Gamma'],
    opened: ['Beta', 'alpha', 'Gamma'],
    closed: ['Beta', 'Gamma', 'alpha'],
    status: ['alpha', 'Beta', 'Gamma'],
  };
  for (const [sort, titles] of Object.entries(expected)) {
    expect([sort, await listOf(ada, `status=ALL&sort=${sort}`)]).toEqual([sort, titles]);
  }
  expect(await listOf(ada, 'status=ALL&sort=-title')).toEqual(['Gamma', 'Beta', 'alpha']);
  expect(await listOf(ada, 'status=ALL&sort=-limitation')).toEqual(['Beta', 'alpha', 'Gamma']);
  expect(await listOf(ada, 'status=ALL&sort=nonsense')).toEqual(['Gamma', 'alpha', 'Beta']);
});

test('a list is filtered by each of its filters', async () => {
  const { firm, family, make, ada } = await newFirm();
  const { Court } = firm.customFields.matter;
  const estates = firm.practiceAreas.Estates?.id;
  const client = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
  await make('Plain');
  await make('Will', { practiceAreaId: estates, clientContactIds: [client] });
  const dated = await make('Dated', {
    openDate: '2026-05-05',
    closeDate: '2026-06-06',
    solDate: '2027-07-07',
    practiceAreaStageColumnId: family?.stages.Filed,
    team: [
      { memberId: firm.members[owner] },
      { memberId: firm.members[attorney], role: 'RESPONSIBLE_STAFF' },
    ],
    customFields: { Court: 'High' },
  });
  const type = { matterTypeId: family?.matterTypes.Divorce ?? '' };
  expect((await ada.post(`/matters/${dated}`, type)).status).toBe(303);
  await ada.post(`/matters/${dated}`, { formerNumber: 'XK 4711' });
  await make('Draft', { status: 'DRAFT' });
  const all = ['Dated', 'Will', 'Plain'];
  const expected: Record<string, string[]> = {
    '': all,
    'status=DRAFT': ['Draft'],
    'status=ARCHIVE': [],
    'status=ALL': ['Draft', ...all],
    [`area=${estates}`]: ['Will'],
    [`stage=${family?.stages.Filed}`]: ['Dated'],
    [`type=${family?.matterTypes.Divorce}`]: ['Dated'],
    'type=none': ['Will', 'Plain'],
    'responsible=me': ['Dated'],
    'responsible=none': ['Will', 'Plain'],
    [`responsible=${firm.members[attorney]}`]: [],
    [`member=${firm.members[attorney]}`]: ['Dated'],
    'limitation=open': ['Dated'],
    'limitation=none': ['Will', 'Plain'],
    'limitation=missing': [],
    'limitation=met': [],
    'limitationFrom=2027-07-07&limitationTo=2027-07-07': ['Dated'],
    'limitationTo=2027-07-06': [],
    'openedFrom=2026-05-05': ['Dated'],
    'openedTo=2026-05-04': ['Will', 'Plain'],
    'closedFrom=2026-06-06&closedTo=2026-06-06': ['Dated'],
    'q=quil': ['Will'],
    'q=4711': ['Dated'],
    [`q=M-${new Date().getUTCFullYear()}-0001`]: ['Plain'],
    [`field.${Court}=High`]: ['Dated'],
    [`field.${Court}=County`]: [],
    "area='&stage=x&openedFrom=2026-99-99&limitation=%00&field.x=1": all,
  };
  for (const [query, titles] of Object.entries(expected)) {
    expect([query, await listOf(ada, query)]).toEqual([query, titles]);
  }
});

test('the filtered list is a file; formulas in it are text; the log says who took it', async () => {
  const { firm, make, ada } = await newFirm();
  await make('=1+1', { solDate: '2027-01-01', team: [{ memberId: firm.members[attorney] }] });
  await make('Left out');
  const file = await ada.post('/matters/export?view=list&limitation=open');
  expect(file.status).toBe(200);
  const [head, row, ...further] = file.text.trim().split(/\r?\n/);
  expect(head?.replace('\uFEFF', '')).toBe(
    'No.,Title,Clients,Area,Stage,Responsible,Limitation,Opened,Status',
  );
  expect(row).toMatch(/^M-\d{4}-0001,'=1\+1,,Family,Intake,Ben Lane,2027-01-01,2026-03-03,Active$/);
  expect(further).toEqual([]);
  const chosen = await ada.post('/matters/export?columns=former&columns=opened');
  expect(chosen.text).toStartWith('Title,Opened,Former no.');
  const log = await firm.command<{ changes: object }[]>(['audit', 'list']);
  expect(JSON.stringify(log)).toContain('"what":"matters"');
});

test('several are changed at once; who is refused is named with the reason, the others are done', async () => {
  const { firm, family, make, ada } = await newFirm();
  const [one, two] = [await make('One'), await make('Two')];
  const will = await make('Will', { practiceAreaId: firm.practiceAreas.Estates?.id });
  const stored = async (id: string) => (await firm.owner.get(`/v1/matters/${id}`)).body.data;
  const answer = await ada.post('/matters?view=list', {
    do: `all-move:${family?.stages.Filed}`,
    id: [one, two, will],
  });
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('2 of 3 matters were changed. Not changed: M-');
  expect([(await stored(one)).stage.name, (await stored(will)).stage.name]).toEqual([
    'Filed',
    'Intake',
  ]);
  const nobody = await ada.post('/matters?view=list', { do: 'all-assign:add', id: [one] });
  expect([nobody.status, nobody.text.includes('Tick at least one name.')]).toEqual([422, true]);
  const assigneeIds = [firm.members[attorney] ?? ''];
  const add = { do: 'all-assign:add', assigneeIds, id: [one, two] };
  for (let sent = 0; sent < 2; sent += 1) {
    expect((await ada.post('/matters?view=list', add)).status).toBe(303);
  }
  expect((await stored(two)).team).toMatchObject([{ name: 'Ben Lane' }]);
  await ada.post('/matters', { do: 'all-status:ARCHIVE', id: [one, two] });
  expect(await listOf(ada, 'status=ARCHIVE')).toEqual(['Two', 'One']);
});
