/** The dates that a firm's rules give a matter: shown with their arithmetic, made, and taken back. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, textsIn } from '../support/html.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const usual = { rolling: 'none', practiceAreaId: '', direction: 'after', makes: 'task' };
const three = { ...usual, name: 'Three years', amount: '3', unit: 'years', trigger: 'opened' };
const issue = {
  ...usual,
  name: 'Issue the claim',
  amount: '8',
  unit: 'workingDays',
  direction: 'before',
  trigger: 'limitation',
  makes: 'event',
};

const ready = async () => {
  const firm = await makeFirm(server);
  const ada = await memberBrowser(server, firm, owner);
  const rule = async (fields: typeof three) =>
    (await ada.send('/settings/date-rules', fields)).location?.split('/').at(-1) ?? '';
  const ids = {
    three: await rule({ ...three, rolling: 'next' }),
    issue: await rule(issue),
  };
  return { firm, ada, rule, ids };
};

type Ready = Awaited<ReturnType<typeof ready>>;

const matterOf = async ({ firm }: Ready, more: object = { solDate: '2092-12-16' }) => {
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const body = { practiceAreaId, openDate: '2088-02-29', title: 'A matter', ...more };
  return (await firm.owner.post('/v1/matters', body)).body.data.id as string;
};

const shown = async ({ ada }: Ready, matter: string) => {
  const { text } = await ada.get(`/matters/${matter}/rules`);
  return {
    values: attributesIn(text, 'main input[name=rule]', 'value'),
    ticked: attributesIn(text, 'main input[name=rule][checked]', 'value'),
    hints: textsIn(text, 'main .check .hint'),
    others: textsIn(text, 'main ul.plain li'),
    text,
  };
};

/** What the form sends: one field for each date. */
const ticking = (values: readonly string[], assigneeId = ''): [string, string][] => [
  ...values.map((value): [string, string] => ['rule', value]),
  ['assigneeId', assigneeId],
];

const naming = (ids: readonly string[]) => ids.map((id): [string, string] => ['id', id]);

const madeIn = async ({ firm }: Ready, matter: string) => ({
  tasks: await sql`select title, due_on::text as day, assignee_id::text as "assigneeId"
    from task where firm_id = ${firm.id} and matter_id = ${matter} and cancelled_at is null`,
  events: await sql`select title, first_day::text as day, last_day::text as "lastDay"
    from calendar_event where firm_id = ${firm.id} and matter_id = ${matter} and cancelled_at is null`,
});

describe('Dates by rule', () => {
  test('are shown with their arithmetic, and made as by hand', async () => {
    const at = await ready();
    const { ada, firm, ids } = at;
    const matter = await matterOf(at);
    const { values, ticked, hints } = await shown(at, matter);
    expect(values).toEqual([`${ids.issue}:2092-12-04`, `${ids.three}:2091-02-28`]);
    expect(ticked).toEqual(values);
    expect(hints).toEqual([
      '8 working days before Tue 16 Dec 2092 = Thu 4 Dec 2092. An event of the whole day.',
      '3 years from Sun 29 Feb 2088 = Wed 28 Feb 2091. A task.',
    ]);
    const assigneeId = firm.members[attorney] ?? '';
    const sent = await ada.send(`/matters/${matter}/rules`, ticking(values, assigneeId));
    expect([sent.status, sent.location]).toEqual([303, `/matters/${matter}`]);
    expect(await madeIn(at, matter)).toEqual({
      tasks: [{ title: three.name, day: '2091-02-28', assigneeId }],
      events: [{ title: issue.name, day: '2092-12-04', lastDay: '2092-12-04' }],
    } as never);
    const [asked] = await sql`select count(*)::int as count from receipt
      where firm_id = ${firm.id} and member_id = ${assigneeId} and task_id is not null`;
    expect(asked).toEqual({ count: 1 });
    const page = (await ada.get(`/matters/${matter}`)).text;
    expect(textsIn(page, '#tasks a.name')).toEqual([three.name]);
    expect(textsIn(page, '#events a.name')).toEqual([issue.name]);
    expect(
      await sql`select rule_id::text as "ruleId", counted_from::text as "from" from ruled_date
        where firm_id = ${firm.id} order by counted_from`,
    ).toEqual([
      { ruleId: ids.three, from: '2088-02-29' },
      { ruleId: ids.issue, from: '2092-12-16' },
    ] as never);
    const again = await shown(at, matter);
    expect(again.values).toEqual([]);
    expect(again.others).toEqual([
      'Issue the claim: added already.',
      'Three years: added already.',
    ]);
  });

  test('invite the responsible attorneys of the matter to an event, who then answer for it', async () => {
    const at = await ready();
    const { ada, firm, ids } = at;
    const [ben, cy] = [firm.members[attorney] ?? '', firm.members[bookkeeper] ?? ''];
    const team = [{ memberId: ben }, { memberId: cy, role: 'RESPONSIBLE_STAFF' }];
    const matter = await matterOf(at, { solDate: '2092-12-16', team });
    const { text } = await shown(at, matter);
    expect(text).toContain('An event invites the responsible attorneys of the matter.');
    await ada.send(`/matters/${matter}/rules`, ticking([`${ids.issue}:2092-12-04`]));
    const told = await sql`select member_id, kind from notification
      where firm_id = ${firm.id} and kind like 'event.%'`;
    expect([...told]).toEqual([{ member_id: ben, kind: 'event.invited' }]);
    const asked = await sql`select member_id, asked_as, day::text as day from receipt
      where firm_id = ${firm.id} and event_id is not null`;
    expect([...asked]).toEqual([{ member_id: ben, asked_as: 'guest', day: '2092-12-04' }]);
  });

  test('can be left out one by one, and past ones are not ticked', async () => {
    const at = await ready();
    const matter = await matterOf(at, { openDate: '1990-02-28', solDate: '2092-12-16' });
    const { values, ticked, hints } = await shown(at, matter);
    expect(values).toEqual([`${at.ids.issue}:2092-12-04`, `${at.ids.three}:1993-03-01`]);
    expect(ticked).toEqual([`${at.ids.issue}:2092-12-04`]);
    expect(hints[1]).toBe(
      '3 years from Wed 28 Feb 1990 = Sun 28 Feb 1993 → Mon 1 Mar 1993. Sunday is not a working day. A task. This day is past.',
    );
    await at.ada.send(`/matters/${matter}/rules`, ticking(ticked));
    const { tasks, events } = await madeIn(at, matter);
    expect([tasks.length, events.length]).toEqual([0, 1]);
    expect((await shown(at, matter)).values).toEqual([`${at.ids.three}:1993-03-01`]);
  });

  test('are taken back together, and can be added again', async () => {
    const at = await ready();
    const matter = await matterOf(at);
    const path = `/matters/${matter}/rules`;
    const { values } = await shown(at, matter);
    await at.ada.send(path, ticking(values));
    const ids = (
      await sql<{ id: string }[]>`select id::text as id from ruled_date
        where firm_id = ${at.firm.id}`
    ).map(({ id }) => id);
    const other = await matterOf(at);
    expect((await at.ada.send(`/matters/${other}/rules/undo`, naming(ids))).status).toBe(404);
    expect((await at.ada.send(`${path}/undo`, naming(ids))).status).toBe(303);
    const { tasks, events } = await madeIn(at, matter);
    expect([tasks.length, events.length]).toEqual([0, 0]);
    expect((await at.ada.send(`${path}/undo`, naming(ids))).status).toBe(303);
    expect((await shown(at, matter)).values).toEqual(values);
    expect((await at.ada.send(`${path}/undo`, naming(['no id']))).status).toBe(404);
  });

  test('say what a matter lacks, and leave out rules of other areas', async () => {
    const at = await ready();
    const area = at.firm.practiceAreas.Estates?.id ?? '';
    await at.rule({ ...three, name: 'For estates', practiceAreaId: area });
    await at.rule({ ...three, name: 'Too far', amount: '100' });
    const family = await matterOf(at, { openDate: '9950-01-01' });
    const { values, others } = await shown(at, family);
    expect(values).toEqual([`${at.ids.three}:9953-01-01`]);
    expect(others).toEqual([
      'Issue the claim: the matter has no limitation date.',
      'Too far: the day is beyond the years 1 to 9999.',
    ]);
  });

  test('are refused if they are not what was shown, and nothing is made then', async () => {
    const at = await ready();
    const matter = await matterOf(at);
    const path = `/matters/${matter}/rules`;
    const { values } = await shown(at, matter);
    const sent = async (rule: string[]) => (await at.ada.send(path, ticking(rule))).status;
    expect(await sent([])).toBe(422);
    expect(await sent(['', 'x', crypto.randomUUID()])).toBe(422);
    expect(await sent([values[0] ?? '', `${at.ids.three}:2091-03-01`])).toBe(422);
    expect(await sent([values[0] ?? '', values[0] ?? ''])).toBe(422);
    await at.ada.send(`/settings/date-rules/${at.ids.issue}/delete`, {});
    expect(await sent(values)).toBe(422);
    const unknown = ticking(values.slice(1), crypto.randomUUID());
    expect((await at.ada.send(path, unknown)).status).toBe(422);
    const { tasks, events } = await madeIn(at, matter);
    expect([tasks.length, events.length]).toEqual([0, 0]);
    await at.firm.owner.patch(`/v1/matters/${matter}`, { status: 'ARCHIVE' });
    expect(await sent(values.slice(1))).toBe(422);
    expect((await shown(at, matter)).text).toContain('The matter is archived.');
  });

  test('are made once by two people at once', async () => {
    const at = await ready();
    const matter = await matterOf(at);
    const ben = await memberBrowser(server, at.firm, attorney);
    const { values } = await shown(at, matter);
    const answers = await Promise.all(
      [at.ada, ben].map((one) => one.send(`/matters/${matter}/rules`, ticking(values))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    const { tasks, events } = await madeIn(at, matter);
    expect([tasks.length, events.length]).toEqual([1, 1]);
  });

  test('are for who may change matters, and for no other firm', async () => {
    const [at, other] = [await ready(), await ready()];
    const matter = await matterOf(at);
    const path = `/matters/${matter}/rules`;
    const { values } = await shown(at, matter);
    expect((await other.ada.get(path)).status).toBe(404);
    expect((await other.ada.send(path, ticking(values))).status).toBe(404);
    expect((await other.ada.send(`${path}/undo`, {})).status).toBe(404);
    const own = await matterOf(other);
    expect((await other.ada.send(`/matters/${own}/rules`, ticking(values))).status).toBe(422);
    await sql`update role set permissions = '{matters:read}' where firm_id = ${at.firm.id}
      and not holds_all`;
    const ben = await memberBrowser(server, at.firm, attorney);
    expect((await ben.get(path)).status).toBe(403);
    expect((await ben.send(path, ticking(values))).status).toBe(403);
    expect((await ben.send(`${path}/undo`, {})).status).toBe(403);
  });
});
