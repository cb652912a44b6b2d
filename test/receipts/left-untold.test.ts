/** Nobody is left untold when who must know, the day or the firm changes on the way: in teams, absences, time zones and after Undo. */
import { expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { guardedDatabase, openMatter } from '../limitation/guarded.ts';
import {
  attorney,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { startMailServer, untilMailing } from '../support/mail.ts';
import { untilItDoes as until } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const home = 'https://practice.harrow.example';
const { databaseUrl, sql, put, settled, momentOf, clock, unheldOf, mornings, newest, untilSent } =
  await guardedDatabase();
await clock.standAt(Date.UTC(2022, 0, 3, 12));
const mails = await startMailServer({ user: { name: 'office', password: 'p' } });
const server = await startTestServer({
  databaseUrl,
  environment: { PUBLIC_URL: home, ...mails.environment },
});
const staff = 'pat@harrow.example';
const at = (day: string, hour = '07:00') => momentOf(day, hour, 'UTC');
const post = async (firm: Firm, email: string, to: string, fields: object, status = 303) => {
  const visitor = await visitorOf(server, firm, email);
  const answer = await visitor.post(to, fields as Record<string, string | string[]>, {
    origin: home,
    referer: `${home}${to}`,
  });
  expect([to, answer.status]).toEqual([to, status]);
  return answer;
};
const newFirm = async () => {
  const members = [...usualBlueprint.members, { email: staff, name: 'Pat Reed', role: 'Attorney' }];
  const firm = await makeFirm(server, { members });
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  return firm;
};
const matterOf = (firm: Firm, solDate?: string) =>
  openMatter(firm, solDate, {
    team: [
      { memberId: firm.members[attorney] },
      { memberId: firm.members[staff], role: 'RESPONSIBLE_STAFF' },
    ],
  });
const eventOn = (day: string, begins = '09:30', ends = '10:30', colleagues = [attorney]) => ({
  title: 'Hearing',
  day,
  begins,
  ends,
  colleagues,
});
const receiptsFor = async (firm: Firm) => [
  ...(await sql`select member.email, receipt.asked_as, receipt.day::text as day, receipt.step, asked_at, told_at, acknowledged_at, withdrawn_because from receipt join member on member.firm_id = receipt.firm_id and member.id = receipt.member_id where receipt.firm_id = ${firm.id} order by asked_at, email`),
];

/** Title and text of the notices of some kinds that a member got, the oldest first. */
const ofKind = async (firm: Firm, email: string, kind: string) =>
  (
    await sql`select title || ' | ' || text as said from notification where firm_id = ${firm.id}
      and member_id = ${firm.members[email] ?? ''} and starts_with(kind, ${kind}) order by id`
  ).map(({ said }) => String(said));
const away = (firm: Firm, awayFrom: string, awayUntil: string) =>
  post(firm, owner, `/settings/members/${firm.members[attorney]}/absence`, {
    awayFrom,
    awayUntil,
    deputyId: firm.members[staff] ?? '',
  });

test('who takes over a matter is told of its limitation date on the day itself', async () => {
  await put(await at('2022-03-07', '09:00'));
  const firm = await newFirm();
  await openMatter(firm, '2022-03-08');
  await settled();
  await put(await at('2022-03-08', '08:00'));
  await firm.command(['member', 'deactivate', attorney, '--to', staff]);
  await put(await at('2022-03-08', '23:00'));
  expect(await ofKind(firm, staff, 'limitation')).not.toEqual([]);
});

test('a deputy from today on is told of a date of today', async () => {
  await put(await at('2022-03-14', '09:00'));
  const firm = await newFirm();
  await openMatter(firm, '2022-03-15');
  await settled();
  await put(await at('2022-03-15', '07:30'));
  await away(firm, '2022-03-15', '2022-03-31');
  await put(await at('2022-03-15', '23:00'));
  expect(await ofKind(firm, staff, 'limitation')).not.toEqual([]);
});

test('a near date that is corrected on the same day is told to the team, before it is past', async () => {
  await put(await at('2022-04-04', '09:00'));
  const firm = await newFirm();
  const { id } = await matterOf(firm, '2022-04-07');
  await settled();
  await put(await at('2022-04-04', '11:00'));
  await post(firm, owner, `/matters/${id}/limitation`, {
    solDate: '2022-04-05',
    reason: 'A typing mistake',
  });
  await settled();
  await mornings(firm, ['2022-04-05', '2022-04-06', '2022-04-07']);
  const [line] = (await receiptsFor(firm)).filter(
    (one) => one.email === staff && one.withdrawn_because === null,
  );
  expect(line?.told_at === null || line?.told_at >= line?.asked_at).toBe(true);
  expect((await ofKind(firm, staff, 'limitation.unheld')).join()).toContain('Tue 5 Apr 2022');
});

test('a zone further west: what falls due on the same date again is told', async () => {
  const [nz, la] = ['Pacific/Auckland', 'America/Los_Angeles'];
  await put(await momentOf('2022-05-02', '10:00', nz));
  const firm = await newFirm();
  await sql`update firm set time_zone = ${nz} where id = ${firm.id}`;
  await matterOf(firm, '2022-07-20');
  await settled();
  await clock.step(61);
  await settled();
  await put(await momentOf('2022-05-03', '10:00', nz));
  const second = await matterOf(firm, '2022-07-21');
  await settled();
  const look = async (day: string, zone: string) => {
    await put(await momentOf(day, '07:00', zone));
    await sql`update job set run_at = moment() where kind = 'limitation_day' and ref = ${firm.id}`;
    await settled();
  };
  await look('2022-05-04', nz);
  await put(await momentOf('2022-05-04', '08:00', nz));
  await firm.command(['firm', 'zone', la]);
  await clock.step(61);
  await settled();
  for (const day of ['2022-05-04', '2022-05-05', '2022-05-06', '2022-05-09']) await look(day, la);
  expect((await unheldOf(firm, staff)).map(({ text }) => text).join()).toContain(second.publicId);
});

test('who stands in now is told of an event that moves, as of a task that moves', async () => {
  await put(await at('2022-06-06', '09:00'));
  const firm = await newFirm();
  const { publicId } = await openMatter(firm, undefined);
  await post(firm, owner, '/calendar/new', { ...eventOn('2022-07-12'), matter: publicId });
  const page = `/calendar/${await newest(firm, 'calendar_event')}`;
  await put(await at('2022-06-13', '09:00'));
  await away(firm, '2022-06-13', '2022-06-30');
  await post(firm, owner, page, eventOn('2022-06-15'));
  expect(await ofKind(firm, staff, 'event.invited')).toHaveLength(1);
});

test('who stands in is told of an event that moves by mail, too', async () => {
  await put(await at('2022-07-04', '09:00'));
  const firm = await newFirm();
  await untilMailing(sql, clock, firm.id);
  await away(firm, '2022-07-04', '2022-07-15');
  const { publicId } = await openMatter(firm, undefined);
  await post(firm, owner, '/calendar/new', { ...eventOn('2022-07-20'), matter: publicId });
  const page = `/calendar/${await newest(firm, 'calendar_event')}`;
  await untilSent(firm);
  await post(firm, owner, page, eventOn('2022-07-06'));
  await untilSent(firm);
  // Pat has the same address in every firm.
  const sent = await sql`select mail.message_id as id from mail
    join notification on notification.firm_id = mail.firm_id and notification.id = mail.notification_id
    where mail.firm_id = ${firm.id} and mail.member_id = ${firm.members[staff] ?? ''}
      and mail.state = 'accepted' and notification.kind = 'event.invited'`;
  const came = mails.mails.flatMap(({ to, headers }) =>
    to[0] === staff && sent.some(({ id }) => id === headers.get('message-id')) ? [to] : [],
  );
  expect([sent.length, came.length]).toEqual([2, 2]);
});

test('a guest who had no notice of an event gets one when it moves', async () => {
  await put(await at('2022-08-01', '09:00'));
  const firm = await newFirm();
  await firm.command(['notify', 'set', '--member', attorney, 'event.invited', 'off']);
  const { publicId } = await openMatter(firm, undefined);
  await post(firm, owner, '/calendar/new', { ...eventOn('2022-09-12'), matter: publicId });
  const page = `/calendar/${await newest(firm, 'calendar_event')}`;
  await firm.command(['notify', 'set', '--member', attorney, 'event.invited', 'inbox']);
  await post(firm, owner, page, eventOn('2022-08-04'));
  expect(await ofKind(firm, attorney, 'event.invited')).toHaveLength(1);
});

test('a date is nobody’s once who has it has left the matter', async () => {
  await put(await at('2022-09-05', '09:00'));
  const firm = await newFirm();
  const { id } = await openMatter(firm, '2022-11-20');
  await settled();
  await post(firm, attorney, `/matters/${id}/limitation/acknowledged`, { day: '2022-11-20' });
  await post(firm, owner, `/matters/${id}/team`, {
    'team[0].memberId': firm.members[staff] ?? '',
    'team[0].role': 'RESPONSIBLE_ATTORNEY',
    'team[0].allocation': '',
  });
  await settled();
  await mornings(firm, [
    '2022-09-06',
    '2022-09-07',
    '2022-09-08',
    '2022-09-09',
    '2022-09-12',
    '2022-09-13',
  ]);
  expect(await unheldOf(firm, owner)).not.toEqual([]);
});

test('who was told this morning is not told again when the team changes on the same day', async () => {
  await put(await at('2022-09-19', '09:00'));
  const firm = await newFirm();
  const matters = [await matterOf(firm, '2022-11-20'), await matterOf(firm, '2022-11-21')];
  await settled();
  await mornings(firm, ['2022-09-20', '2022-09-21', '2022-09-22', '2022-09-23']);
  const told = async () => ({
    owner: (await ofKind(firm, owner, 'limitation')).length,
    staff: (await ofKind(firm, staff, 'limitation')).length,
  });
  const before = await told();
  expect(before.owner + before.staff).toBeGreaterThan(0);
  await put(await at('2022-09-23', '11:00'));
  await post(firm, owner, `/matters/${matters[0]?.id}/team`, {
    'team[0].memberId': firm.members[attorney] ?? '',
    'team[0].role': 'RESPONSIBLE_ATTORNEY',
    'team[0].allocation': '',
    'team[1].memberId': firm.members[staff] ?? '',
    'team[1].role': 'ORIGINATING_ATTORNEY',
    'team[1].allocation': '',
  });
  await settled();
  expect(await told()).toEqual(before);
});

test('a task is nobody’s once who has it may not see it', async () => {
  await put(await at('2022-10-03', '09:00'));
  const firm = await newFirm();
  await post(firm, owner, '/settings/reminders/work', { workEscalates: 'on' });
  const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id as string;
  const made = await firm.owner.post('/v1/tasks', {
    leadId: lead,
    title: 'Call back',
    dueDate: '2022-11-20',
    assigneeId: firm.members[attorney],
  });
  await post(firm, attorney, `/tasks/${made.body.data.id}/acknowledged`, { day: '2022-11-20' });
  await firm.owner.patch(`/v1/leads/${lead}`, { isPrivate: true });
  await post(firm, owner, `/leads/${lead}/assignees`, { assigneeIds: [firm.members[owner] ?? ''] });
  const seen = await (await visitorOf(server, firm, attorney)).get(`/tasks/${made.body.data.id}`);
  expect(seen.status).toBe(404);
  await mornings(firm, ['2022-10-04', '2022-10-05', '2022-10-06', '2022-10-07', '2022-10-10']);
  expect(await unheldOf(firm, owner)).not.toEqual([]);
});

test('an event whose day is another one in the firm’s new zone is still told of', async () => {
  await put(await at('2022-11-07', '09:00'));
  const firm = await newFirm();
  await post(firm, owner, '/settings/reminders/work', { workEscalates: 'on' });
  const { publicId } = await openMatter(firm, undefined);
  await post(firm, owner, '/calendar/new', {
    ...eventOn('2022-12-12', '23:15', '23:45'),
    matter: publicId,
  });
  await firm.command(['firm', 'zone', 'Europe/Berlin']);
  await mornings(firm, ['2022-11-08', '2022-11-09', '2022-11-10', '2022-11-11', '2022-11-14']);
  expect(await unheldOf(firm, owner)).not.toEqual([]);
});

test('the owners’ mail counts nobody who has left', async () => {
  const eve = 'eve7@lane.example';
  await put(await at('2022-12-05', '09:00'));
  const members = [
    ...usualBlueprint.members,
    { email: staff, name: 'Pat Reed', role: 'Attorney' },
    { email: eve, name: 'Eve', role: 'Owner' },
  ];
  const firm = await makeFirm(server, { members });
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  await untilMailing(sql, clock, firm.id);
  const { id } = await openMatter(firm, '2022-12-16', {
    team: [{ memberId: firm.members[staff] }, { memberId: firm.members[attorney] }],
  });
  await settled();
  await post(firm, staff, `/matters/${id}/limitation/acknowledged`, { day: '2022-12-16' });
  await firm.command(['member', 'deactivate', staff, '--leave']);
  await mornings(firm, ['2022-12-06']);
  await untilSent(firm);
  const said =
    mails.mails.filter(({ to, text }) => to[0] === eve && text.includes('overdue')).at(-1)?.text ??
    '';
  expect((await unheldOf(firm, eve)).length).toBe(1);
  expect(said).toContain('1 date in the next fortnight; not acknowledged.');
});

test('a deputy who was told at once is no turn: after two working days the next people are told', async () => {
  await put(await at('2023-01-02', '09:00'));
  const firm = await newFirm();
  await away(firm, '2023-01-02', '2023-01-31');
  await openMatter(firm, '2023-03-20');
  await settled();
  await mornings(firm, ['2023-01-03', '2023-01-04']);
  expect(await unheldOf(firm, owner)).toHaveLength(1);
});

const dueDone = async (moment: number) => {
  await clock.standAt(moment);
  wakeRunners();
  await until(
    async () =>
      (await sql`select from job where kind = 'lead_tell_due' and run_at <= moment()`).length === 0,
  );
};
const newLead = async (firm: Firm, ...nextTouch: string[]) => {
  const id = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id as string;
  await post(firm, owner, `/leads/${id}/assignees`, {
    assigneeIds: [firm.members[attorney] ?? ''],
  });
  await post(firm, owner, `/leads/${id}`, { nextTouch });
  return id;
};
const stepOf = async (id: string) =>
  (await sql`select next_touch from lead where id = ${id}`)[0]?.next_touch;
const hiring = (firm: Firm) => ({
  do: 'hire',
  practiceAreaId: firm.practiceAreas.Family?.id ?? '',
  openDate: '2023-02-06',
});

test('Undo of a bulk and of a hire gives a due next step back', async () => {
  await put(await at('2023-02-06', '09:00'));
  const firm = await newFirm();
  const [bulk, hired] = [
    await newLead(firm, '2023-02-07', ''),
    await newLead(firm, '2023-02-07', ''),
  ];
  await dueDone(await at('2023-02-07', '08:00'));
  await post(firm, owner, '/leads?view=list', { do: 'all-status:ARCHIVE', id: [bulk] });
  const [change] = await sql`select id from bulk_change where firm_id = ${firm.id}`;
  await post(firm, owner, `/bulk/${change?.id}/undo`, {});
  await post(firm, owner, `/leads/${hired}/hire`, hiring(firm));
  await post(firm, owner, `/leads/${hired}/undo-hire`, {});
  expect([await stepOf(bulk), await stepOf(hired)]).toEqual(['2023-02-07', '2023-02-07']);
});

test('who takes back their own move or assignment has the due next step back; nobody else has', async () => {
  await put(await at('2023-02-08', '09:00'));
  const firm = await newFirm();
  const { New = '', Contacted = '' } = firm.leadStages;
  const lead = () => newLead(firm, '2023-02-09', '');
  const [moved, assigned, byOther, onward] = [
    await lead(),
    await lead(),
    await lead(),
    await lead(),
  ];
  await post(firm, owner, `/leads/${onward}`, {
    practiceAreaId: firm.practiceAreas.Family?.id ?? '',
  });
  await dueDone(await at('2023-02-09', '08:00'));
  const move = (id: string, who: string, to: string) =>
    post(firm, who, `/leads/${id}`, { leadStageColumnId: to });
  const assign = (assigneeIds: string[]) =>
    post(firm, owner, `/leads/${assigned}/assignees`, { assigneeIds });
  for (const id of [moved, byOther, onward]) {
    await move(id, owner, Contacted);
    expect(await stepOf(id)).toBeNull();
  }
  await assign([]);
  expect(await stepOf(assigned)).toBeNull();
  await move(moved, owner, New);
  await assign([firm.members[attorney] ?? '']);
  expect([await stepOf(moved), await stepOf(assigned)]).toEqual(['2023-02-09', '2023-02-09']);
  await move(byOther, attorney, New);
  // To clear what the move did not change takes nothing back.
  await post(firm, owner, `/leads/${onward}`, { practiceAreaId: '' });
  expect([await stepOf(byOther), await stepOf(onward)]).toEqual([null, null]);
});

test('a next step that fell due while its lead was hired or deleted is told once the lead is back', async () => {
  await put(await at('2023-02-13', '15:00'));
  const firm = await newFirm();
  const [hired, deleted] = [
    await newLead(firm, '2023-02-14', '09:00'),
    await newLead(firm, '2023-02-14', '09:00'),
  ];
  await post(firm, owner, `/leads/${hired}/hire`, hiring(firm));
  await firm.owner.delete(`/v1/leads/${deleted}`);
  await dueDone(await at('2023-02-14', '10:00'));
  await post(firm, owner, `/leads/${hired}/undo-hire`, {});
  await post(firm, owner, `/settings/deleted/leads/${deleted}/restore`, {});
  await dueDone(await at('2023-02-17', '10:00'));
  expect(await ofKind(firm, attorney, 'lead.due')).toHaveLength(2);
});

test('a morning’s mail says how many notices it leaves out', async () => {
  await put(await at('2023-03-06', '09:00'));
  const firm = await newFirm();
  await untilMailing(sql, clock, firm.id);
  const mine = 'dig@lane.example';
  await sql`update member set email = ${mine} where id = ${firm.members[attorney] ?? ''}`;
  await firm.command(['notify', 'set', '--member', mine, 'limitation.near', 'digest']);
  await clock.step(5);
  for (let nth = 0; nth < 110; nth += 1) await openMatter(firm, '2023-05-20');
  await settled();
  await mornings(firm, ['2023-03-07']);
  await untilSent(firm);
  await mornings(firm, ['2023-03-08']);
  await untilSent(firm);
  const came = mails.mails.filter(
    ({ to, headers }) => to[0] === mine && /morning/.test(String(headers.get('subject'))),
  );
  expect(came.map(({ headers }) => headers.get('subject'))).toEqual(['110 notices this morning']);
  expect(came[0]?.text).toContain('- 10 more in the inbox');
});

test('whom a morning has asked when it ended is told the next morning', async () => {
  await put(await at('2023-04-03', '09:00'));
  const firm = await newFirm();
  const { id } = await matterOf(firm, '2023-06-20');
  await settled();
  const columns = (
    await sql`select column_name from information_schema.columns where table_name = 'matter' and is_generated = 'NEVER'`
  )
    .map((r) => String(r.column_name))
    .filter((c) => !['id', 'ordinal', 'number'].includes(c));
  const list = columns.map((c) => `"${c}"`).join(',');
  await sql.unsafe(
    `insert into matter (id, ordinal, number, ${list}) select gen_random_uuid(), 1000 + n, 'X-' || n, ${list} from matter, generate_series(1, 2100) n where id = '${id}'`,
  );
  await sql`insert into matter_team select (jsonb_populate_record(t, jsonb_build_object('matter_id', m.id))).* from matter_team t, matter m where t.matter_id = ${id} and m.firm_id = ${firm.id} and m.id <> ${id}`;
  await sql`insert into receipt (firm_id, id, matter_id, member_id, day, step, asked_as, asked_at, told_at)
    select r.firm_id, gen_random_uuid(), m.id, r.member_id, r.day, r.step, r.asked_as, r.asked_at, r.told_at from receipt r, matter m
    where r.matter_id = ${id} and m.firm_id = ${firm.id} and m.id <> ${id}`;
  // The server is gone after the first transaction: nothing more of this firm until the next day.
  await sql.unsafe(`create table stop_at (firm uuid); insert into stop_at values ('${firm.id}');
    grant select on stop_at to public;
    create function stop() returns trigger language plpgsql as $$ begin
      if new.kind = 'limitation.unheld' and exists (select from stop_at where firm = new.firm_id) then raise exception 'gone'; end if; return new; end $$;
    create trigger stop before insert on notification for each row execute function stop();`);
  await put(await at('2023-04-05', '06:59'));
  await clock.standAt(await at('2023-04-05', '07:00'));
  await sql`update job set run_at = moment() where kind = 'limitation_day' and ref = ${firm.id}`;
  wakeRunners();
  await until(
    async () =>
      (
        await sql`select from job where kind = 'limitation_day' and ref = ${firm.id} and failures > 0`
      ).length > 0,
  );
  await sql`delete from stop_at`;
  await mornings(firm, ['2023-04-06', '2023-04-07']);
  expect(
    (
      await sql`select count(*)::int as n from receipt where firm_id = ${firm.id} and member_id = ${firm.members[staff] ?? ''} and told_at is null`
    )[0]?.n,
  ).toBe(0);
});
