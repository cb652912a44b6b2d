/** What the timeline of a lead and of a matter says of each thing that somebody does, and no more than they did. */
import { expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

type Fields = Record<string, string | string[]>;

/** Two members, and what the timeline at an address gains by a form that one of them sends. */
const ready = async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const ben = await visitorOf(server, firm, attorney);
  /** The lines without their time, the newest first. */
  const linesAt = async (path: string) =>
    textsIn((await ada.get(path)).text, '.timeline li').map((line) => line.split(' · ')[0]);
  const told = async (path: string, form: string, fields: Fields, by = ada) => {
    const before = (await linesAt(path)).length;
    const { status, text } = await by.post(`${path}${form}`, fields);
    expect(status, textsIn(text, '[role=alert]').join()).toBe(303);
    const lines = await linesAt(path);
    return lines.slice(0, lines.length - before);
  };
  return { firm, ada, ben, told };
};

test('of a lead it says who assigned, hid, moved and decided it, and why', async () => {
  const { firm, ben, told } = await ready();
  const { id } = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
  const [adaId, benId] = [firm.members[owner] ?? '', firm.members[attorney] ?? ''];
  const reasons = await sql<{ id: string; name: string }[]>`
    select id::text as id, name from not_hired_reason where firm_id = ${firm.id} order by name limit 2`;
  const [first, second] = reasons;
  const path = `/leads/${id}`;
  const rows: [form: string, fields: Fields, line: string][] = [
    ['/assignees', { assigneeIds: adaId }, 'assigned Ada Harrow'],
    ['/assignees', { assigneeIds: [adaId, benId] }, 'assigned Ben Lane'],
    ['/assignees', { assigneeIds: benId }, 'unassigned Ada Harrow'],
    ['/assignees', { assigneeIds: adaId }, 'assigned Ada Harrow, and unassigned Ben Lane'],
    ['', { isPrivate: 'yes' }, 'made the lead private'],
    ['', { isPrivate: 'no' }, 'made the lead public'],
    [
      '',
      { leadStageColumnId: firm.leadStages.Contacted ?? '' },
      'moved the lead from New to Contacted',
    ],
    ['/status', { status: 'DRAFT' }, 'moved the lead to the drafts'],
    ['/status', { status: 'ACTIVE' }, 'reopened the lead'],
    ['/not-hired', { reasonId: first?.id ?? '' }, `marked the lead not hired: ${first?.name}`],
    ['/not-hired', { reasonId: second?.id ?? '' }, `changed the reason to ${second?.name}`],
    ['/status', { status: 'ARCHIVE' }, 'archived the lead'],
    ['/status', { status: 'ACTIVE' }, 'reopened the lead'],
  ];
  for (const [form, fields, line] of rows) {
    expect(await told(path, form, fields)).toEqual([`Ada Harrow ${line}`]);
  }
  // Who does it is who is told of, and what changes nothing is not told.
  expect(await told(path, '/status', { status: 'ARCHIVE' }, ben)).toEqual([
    'Ben Lane archived the lead',
  ]);
  expect(await told(path, '/status', { status: 'ARCHIVE' })).toEqual([]);
});

test('of what was done to several and taken back it says so, on one line', async () => {
  const { firm, ada } = await ready();
  const { id: practiceAreaId, stages = {} } = firm.practiceAreas.Family ?? {};
  const sent = { title: 'Dove v. Swan', practiceAreaId, openDate: '2024-03-03' };
  const ids = {
    leads: (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id as string,
    matters: (await firm.owner.post('/v1/matters', sent)).body.data.id as string,
  };
  const assign = { do: 'all-assign:add', assigneeIds: firm.members[attorney] ?? '' };
  const all: [kind: keyof typeof ids, fields: Fields, line: string][] = [
    ['leads', assign, 'assigned Ben Lane'],
    ['leads', { do: 'all-status:ARCHIVE' }, 'archived the lead'],
    [
      'leads',
      { do: `all-move:${firm.leadStages.Contacted}` },
      'moved the lead from New to Contacted',
    ],
    ['matters', assign, 'added Ben Lane to the team'],
    ['matters', { do: 'all-status:ARCHIVE' }, 'archived the matter'],
    ['matters', { do: `all-move:${stages.Filed}` }, 'moved the matter from Intake to Filed'],
  ];
  for (const [kind, fields, line] of all) {
    const asScript = { 'x-sent-by': 'page' };
    const done = await ada.post(`/${kind}?view=list`, { ...fields, id: ids[kind] }, asScript);
    expect((await ada.post(JSON.parse(done.text).said.undo.action)).status).toBe(303);
    const [newest] = textsIn((await ada.get(`/${kind}/${ids[kind]}`)).text, '.timeline li');
    expect(newest?.split(' · ')[0]).toBe(`Ada Harrow ${line}, and undid it`);
  }
});

test('of a new lead with its first note it says below the note that it was created', async () => {
  const { ada } = await ready();
  const made = await ada.post('/leads/new', {
    firstName: 'Rosa',
    lastName: 'Quill',
    note: 'She fell on the stairs.',
  });
  expect(made.status, textsIn(made.text, '[role=alert]').join()).toBe(303);
  const path = new URL(made.location ?? '', server.url).pathname;
  const lines = textsIn((await ada.get(path)).text, '.timeline li');
  expect(lines).toEqual([
    expect.stringContaining('She fell on the stairs.'),
    expect.stringContaining('Ada Harrow created the lead'),
  ]);
});

test('of a matter it says from which day to which a limitation date moved, why, and who came and went', async () => {
  const { firm, told } = await ready();
  const contact = async (lastName: string) =>
    (await firm.owner.post('/v1/contacts', { lastName })).body.data.id as string;
  const [dove, swan] = [await contact('Dove'), await contact('Swan')];
  const sent = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2024-03-03' };
  const { id } = (await firm.owner.post('/v1/matters', { ...sent, title: 'Dove v. Swan' })).body
    .data;
  const filed = firm.practiceAreas.Family?.stages.Filed ?? '';
  const rows: [form: string, fields: Fields, line: string][] = [
    ['/limitation', { solDate: '2092-03-05' }, 'set the limitation date to 5 Mar 2092'],
    [
      '/limitation',
      { solDate: '2092-03-06', reason: 'Leap year' },
      'moved the limitation date from 5 Mar 2092 to 6 Mar 2092: Leap year',
    ],
    ['/limitation/met', { metOn: '2024-03-04' }, 'marked the limitation date as met on 4 Mar 2024'],
    ['/limitation/not-met', {}, 'marked the limitation date as not met'],
    [
      '/limitation',
      { solDate: '', reason: 'None applies' },
      'cleared the limitation date, 6 Mar 2092: None applies',
    ],
    ['', { practiceAreaStageColumnId: filed }, 'moved the matter from Intake to Filed'],
    ['/clients', { clientContactIds: [dove, swan] }, 'added the clients Dove and Swan'],
    ['/clients', { clientContactIds: dove }, 'removed the client Swan'],
    ['/status', { status: 'ARCHIVE' }, 'archived the matter'],
    ['/status', { status: 'ACTIVE' }, 'reactivated the matter'],
    ['/status', { status: 'DRAFT' }, 'moved the matter to the drafts'],
    ['/status', { status: 'ACTIVE' }, 'made the matter active'],
  ];
  for (const [form, fields, line] of rows) {
    expect(await told(`/matters/${id}`, form, fields)).toEqual([`Ada Harrow ${line}`]);
  }
});
