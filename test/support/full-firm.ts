/** A firm that has something of everything: the demonstration's, and what else a page can be about. */
import { permissions, scopes } from '../../src/contents.ts';
import { people } from '../../src/demonstration/cast.ts';
import { makeDemonstrationFirm } from '../../src/demonstration/demonstration.ts';
import { exampleLists } from '../../src/task-lists/examples.ts';
import { connect, onDatabase } from './database.ts';
import { type Caller, caller } from './firm.ts';
import { bringIn, checkRows, uploadCsv } from './imports.ts';
import { runJson } from './terminal.ts';
import { type Visitor, visitorOf } from './visitor.ts';

export const fullOwner = people.ada.email;
/** Holds every permission, and is no owner. */
export const administrator = 'max@harrow.example';
/** Holds every permission but those that a test takes away. */
export const limited = 'lim@harrow.example';

/** What a page may ask for. */
export const everyPermission = permissions;

/** Text that is only in a private lead. */
export const secret = 'Zxhidden';

/** Makes it. `hidden` are the ids of a private lead of the owner's and of all that hangs on it. */
export const makeFullFirm = async (server: { url: string; databaseUrl: string }) => {
  const id = Bun.randomUUIDv7();
  const sql = connect(server.databaseUrl);
  // A name is one firm's: each test's demonstration gets another one before the next is made.
  await sql.begin(async (turn) => {
    await turn`select pg_advisory_xact_lock(hashtext('a demonstration is made'))`;
    await onDatabase(server.databaseUrl, (database) =>
      makeDemonstrationFirm(database, id, new Date()),
    );
    await turn`update firm set name = ${`Harrow ${id}`} where id = ${id}`;
  });
  const roleId = Bun.randomUUIDv7();
  for (const [email, name] of [
    [administrator, 'Max Ward'],
    [limited, 'Lim Moor'],
  ] as const) {
    const role = email === limited ? Bun.randomUUIDv7() : roleId;
    await sql`insert into role (firm_id, id, name, permissions, holds_all)
      values (${id}, ${role}, ${`${name}’s role`}, ${everyPermission}, false)`;
    await sql`insert into member (firm_id, id, email, name, role_id, muted_kinds, created_at, updated_at)
      values (${id}, ${Bun.randomUUIDv7()}, ${email}, ${name}, ${role}, '{}', moment(), moment())`;
  }
  const rows = await sql<{ id: string; email: string }[]>`
    select id, email from member where firm_id = ${id}`;
  const members = Object.fromEntries(rows.map((row) => [row.email, row.id]));
  const firm = { id, members };
  const words = ['key', 'create', '--member', fullOwner, '--scope', ...scopes, '--firm', id];
  const made = await runJson<{ id: string; key: string }>(server.databaseUrl, words);
  const api = caller(server.url, made.key, made.id);
  const ada = await visitorOf(server, firm, fullOwner);
  const max = await visitorOf(server, firm, administrator);
  const lead = async (body: object) => (await api.post('/v1/leads', body)).body.data.id as string;

  const gone = await lead({ lastName: 'Gone' });
  await ada.post(`/leads/${gone}/delete`);
  const hired = await lead({ firstName: 'Hired', lastName: 'Today' });
  const { practiceAreaId, openDate } = {
    practiceAreaId: (await api.get('/v1/practice-areas')).body.data[0].id as string,
    openDate: new Date().toISOString().slice(0, 10),
  };
  await ada.post(`/leads/${hired}/hire`, { do: 'hire', practiceAreaId, openDate });
  const noted = await lead({ firstName: 'Noted', lastName: 'Today' });
  await ada.post(`/leads/${noted}/notes`, { text: 'Called back.' });
  await ada.post('/leads/views?view=list', { name: 'Everything', firm: 'on' });
  const hidden = await lead({ lastName: secret, email: `${secret}@example.org`, isPrivate: true });
  await ada.post(`/leads/${hidden}/notes`, { text: `${secret} called.` });
  await api.post('/v1/tasks', { leadId: hidden, title: `${secret} to call`, dueDate: openDate });
  await api.post('/v1/calendar-events', {
    leadId: hidden,
    title: `${secret} to meet`,
    startDate: openDate,
  });
  const { contact } = (await api.get(`/v1/leads/${hidden}`)).body.data;
  await ada.post(`/contacts/${contact.id}/notes`, { text: `${secret} writes.` });
  const csv = 'Last name\nBrought\n""\n';
  const waits = await uploadCsv(ada, 'contact', 'Last name\nWaits\n');
  const checked = await uploadCsv(ada, 'contact', csv);
  await checkRows(ada, checked);
  const brought = await uploadCsv(
    ada,
    'lead',
    csv.replace('""', ',x@example.org').replace('name', 'name,Email'),
  );
  await checkRows(ada, brought);
  await bringIn(ada, brought);
  const parts = await sql<{ id: string }[]>`
    select contact_id as id from lead where firm_id = ${id} and id = ${hidden}
    union all select id from note where firm_id = ${id} and record_id in (${hidden}, ${contact.id})
    union all select id from task where firm_id = ${id} and lead_id = ${hidden}`;
  const states = [waits, checked, ...(await makeStates(sql, firm, api, ada, max))];
  await sql.end();
  return {
    ...firm,
    api,
    leads: { gone, hired, noted, hidden },
    states,
    hidden: [hidden, ...parts.map((part) => part.id)],
  };
};

/** Makes records in states that the demonstration has none of, and gives the addresses that show them. */
const makeStates = async (
  sql: ReturnType<typeof connect>,
  { id, members }: { id: string; members: Record<string, string> },
  api: Caller,
  ada: Visitor,
  max: Visitor,
) => {
  const make = async (path: string, body: object) =>
    (await api.post(`/v1/${path}`, body)).body.data.id as string;
  const person = {
    firstName: 'Merged',
    lastName: 'Today',
    emails: [{ address: 'm@today.example' }],
  };
  const [kept, merged, alike, erased] = await Promise.all(
    [person, person, person, { lastName: 'Erased' }].map((body) => make('contacts', body)),
  );
  await ada.post(`/contacts/${kept}/merge`, { with: merged ?? '' });
  await api.delete(`/v1/contacts/${erased}`);
  const practiceAreaId = (await api.get('/v1/practice-areas')).body.data[0].id as string;
  const [matter, deleted] = await Promise.all(
    ['Noted', 'Deleted'].map((title) =>
      make('matters', { practiceAreaId, openDate: '2026-03-03', title }),
    ),
  );
  await ada.post(`/matters/${matter}/notes`, { text: 'Filed.' });
  // A colleague gives the owner a task with a day and invites her: she is asked whether she has them.
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const assigneeId = members[fullOwner] ?? '';
  await max.post(`/tasks/new?matter=${matter}`, { title: 'Answer', dueOn: day, assigneeId });
  for (const name of ['Hearing', 'Signing'])
    await ada.post('/settings/event-kinds/kinds', { name });
  const [kind] = await sql`select id from event_kind where firm_id = ${id} and name = 'Hearing'`;
  const hours = { day, begins: '10:00', ends: '11:00', colleagues: [fullOwner] };
  const hearing = { title: 'Hearing', kindId: kind?.id, ...hours };
  await max.post(`/calendar/new?matter=${matter}`, hearing);
  const often = { title: 'Report', ...hours, repeats: 'month' };
  await max.post(`/calendar/new?matter=${matter}`, often);
  const [repeated] = await sql`select id from calendar_event
    where firm_id = ${id} and series_id is not null order by series_day limit 1`;
  await ada.post(`/contacts/${kept}/notes`, { text: 'Prefers email.' });
  await ada.post(`/matters/${deleted}/delete`);
  await ada.post('/matters/views?view=list', { name: 'All of them' });
  await ada.post('/contacts/views', { name: 'Everybody' });
  await ada.post('/settings/me/feed');
  for (const name of ['Court', 'Judge'])
    await ada.post('/settings/fields', { appliesTo: 'MATTER', name, type: 'TEXT' });
  const answer = { amount: '10', unit: 'workingDays', direction: 'after', trigger: 'opened' };
  const rule = await ada.post('/settings/date-rules', {
    name: 'Answer is due',
    ...answer,
    rolling: 'next',
    makes: 'task',
  });
  // What the rule made is asked about, since the matter's opening day moves.
  const made = { rule: `${rule.location?.split('/').at(-1)}:2026-03-17`, assigneeId: '' };
  await ada.post(`/matters/${matter}/rules`, made);
  await api.patch(`/v1/matters/${matter}`, { openDate: '2026-03-04' });
  // A second rule wants a second person, who has not confirmed yet.
  const wanting = await ada.post('/settings/date-rules', {
    name: 'Check the file',
    ...answer,
    amount: '1',
    unit: 'weeks',
    rolling: 'none',
    makes: 'task',
    needsConfirmation: 'on',
  });
  const counted = { rule: `${wanting.location?.split('/').at(-1)}:2026-03-11`, assigneeId: '' };
  await max.post(`/matters/${matter}/rules`, counted);
  const { location: list } = await ada.post('/settings/task-lists', { name: 'New case' });
  for (const line of ['Letter', 'Report']) {
    const after = { trigger: 'applied', amount: '2', unit: 'weeks', direction: 'after' };
    await ada.post(`${list}/lines`, { title: line, ...after, assignee: 'RESPONSIBLE_STAFF' });
  }
  const [told, paused] = await Promise.all(
    ['told', 'paused'].map((name) =>
      make('webhook-endpoints', {
        url: `https://${name}.harrow.example/in`,
        // Nothing happens that it hears of: its page stays as it is.
        types: ['matter_type.deleted'],
      }),
    ),
  );
  await ada.post(`/settings/webhooks/${paused}/pause`);
  const left = Bun.randomUUIDv7();
  await sql`insert into member
      (firm_id, id, email, name, role_id, muted_kinds, created_at, updated_at, deactivated_at)
    select firm_id, ${left}, 'left@harrow.example', 'Lee Left', role_id, '{}', moment(), moment(), moment()
    from member where firm_id = ${id} and id = ${members[limited] ?? ''}`;
  const [notice] = await sql`select id from notification
    where firm_id = ${id} and member_id = ${members[fullOwner] ?? ''} limit 1`;
  await ada.post(`/inbox/${notice?.id}/read`);
  return [
    `/contacts/${kept}`,
    `/contacts/${erased}/deleted`,
    `/contacts/${kept}/merge?with=${alike}`,
    `/matters/${matter}`,
    `/matters/${deleted}/deleted`,
    `/settings/members/${left}`,
    `/settings/webhooks/${told}`,
    `/settings/webhooks/${paused}`,
    rule.location ?? '',
    list ?? '',
    `/tasks/from-list?matter=${matter}`,
    `/calendar/${repeated?.id}`,
    '/settings/deleted?kind=matters',
    '/settings/deleted?kind=contacts',
  ];
};

/** A firm as `makeFullFirm` gives it. */
export type FullFirm = Awaited<ReturnType<typeof makeFullFirm>>;

/**
 * Where a walk through everything begins: every page without a parameter, and records in each
 * state.
 */
export const startsOf = ({ leads, members, states }: FullFirm, paths: readonly string[]) => [
  ...paths.filter((path) => !path.includes(':')),
  ...Object.values(leads).map((id) => `/leads/${id}`),
  `/leads/${leads.gone}/deleted`,
  // One's own page says less than that of a colleague, and that of a colleague who has keys says more.
  ...Object.values(members).map((id) => `/settings/members/${id}`),
  ...states,
];

const exampleTasks = exampleLists.flatMap(({ lines }) => lines.map(({ title }) => title));

/** The names, titles, numbers and notes of a firm's records. */
export const wordsOf = async (databaseUrl: string, firmId: string) => {
  const sql = connect(databaseUrl);
  const rows = await sql<{ word: string }[]>`
    select distinct word from (
      select name as word from contact where firm_id = ${firmId}
      union all select number from lead where firm_id = ${firmId}
      union all select number from matter where firm_id = ${firmId}
      union all select title from matter where firm_id = ${firmId}
      union all select title from task where firm_id = ${firmId} and title not in
        -- A rule's name is a setting of the firm, and an example of a task list is one of Matterhorn's.
        (select name from date_rule where firm_id = ${firmId} union all select unnest(${exampleTasks}::text[]))
      union all select title from calendar_event where firm_id = ${firmId}
      union all select text from note where firm_id = ${firmId}
    ) told where word ~ '^[[:alnum:] .-]{5,}$' and word ~ '[ -]'`;
  await sql.end();
  return rows.map(({ word }) => word);
};

/** Leaves the limited member these permissions. */
export const mayOnly = async (
  databaseUrl: string,
  firmId: string,
  permissions: readonly string[],
) => {
  const sql = connect(databaseUrl);
  await sql`update role set permissions = ${permissions} where firm_id = ${firmId}
    and id = (select role_id from member where firm_id = ${firmId} and email = ${limited})`;
  await sql.end();
};
