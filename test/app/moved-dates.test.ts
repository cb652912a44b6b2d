/** Dates by rule whose trigger moved: asked about once, moved or left, and taken back. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, partsIn, textIn, textsIn } from '../support/html.ts';
import { addRuledDates, makeRules } from '../support/ruled-dates.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const usual = { rolling: 'none', practiceAreaId: '', direction: 'before', trigger: 'limitation' };
const issue = { ...usual, name: 'Issue', amount: '8', unit: 'workingDays', makes: 'event' };
const draft = { ...usual, name: 'Draft', amount: '1', unit: 'months', rolling: 'last' };
const review = { ...usual, name: 'Review', amount: '2', unit: 'weeks', makes: 'task' };
const close = { ...usual, name: 'Close', trigger: 'opened', direction: 'after', amount: '3' };

/** A firm with four rules, and a matter whose dates they made. */
const ready = async () => {
  const firm = await makeFirm(server);
  const ada = await memberBrowser(server, firm, owner);
  const ids = await makeRules(ada, [
    issue,
    { ...draft, makes: 'task' },
    review,
    { ...close, unit: 'years', makes: 'task' },
  ]);
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const body = { practiceAreaId, title: 'A matter', openDate: '2088-02-29', solDate: '2092-12-16' };
  const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
  const path = `/matters/${matter}`;
  await addRuledDates(ada, matter, firm.members[attorney]);
  const set = (solDate: string) =>
    ada.send(`${path}/limitation`, { solDate, reason: 'Served late' });
  return { firm, ada, ids, matter, path, set };
};

type Ready = Awaited<ReturnType<typeof ready>>;

const daysIn = async ({ firm, matter }: Ready) => {
  const rows = await sql<{ title: string; day: string | null }[]>`
    select title, due_on::text as day from task
    where firm_id = ${firm.id} and matter_id = ${matter} and cancelled_at is null
    union all select title, first_day::text from calendar_event
    where firm_id = ${firm.id} and matter_id = ${matter} and cancelled_at is null order by title`;
  return Object.fromEntries(rows.map(({ title, day }) => [title, day]));
};

/** The questions on the matter's page. */
const asked = async ({ ada, path }: Ready) => {
  const { text } = await ada.get(path);
  return {
    titles: textsIn(text, '.moved h2'),
    lines: textsIn(text, '.moved li'),
    buttons: textsIn(text, '.moved button'),
    fields: (answer: string, at = 0): [string, string][] => {
      const form = partsIn(text, '.moved form')[at];
      const hidden = form?.querySelectorAll('input') ?? [];
      const sent = hidden.map((one): [string, string] => [
        one.getAttribute('name') ?? '',
        one.getAttribute('value') ?? '',
      ]);
      return [...sent, ['answer', answer]];
    },
  };
};

const before = {
  Close: '2091-02-28',
  Draft: '2092-11-14',
  Issue: '2092-12-04',
  Review: '2092-12-02',
};
const after = { ...before, Draft: '2092-12-30', Issue: '2093-01-20', Review: '2093-01-16' };

const idOf = async ({ firm, matter }: Ready, title: string) => {
  const [row] = await sql<{ id: string }[]>`select id::text as id from task
    where firm_id = ${firm.id} and matter_id = ${matter} and title = ${title}
    union all select id::text from calendar_event
    where firm_id = ${firm.id} and matter_id = ${matter} and title = ${title}`;
  return row?.id ?? '';
};

/** The form that takes back what was said last. */
const undoOf = async ({ firm, matter }: Ready, sent: [string, string][]) => {
  const ids = sent.filter(([name]) => name === 'date').map(([, value]) => value.slice(0, 36));
  const rows = await sql<{ was: string }[]>`select concat_ws(':', id, rule_id,
      coalesce(task_id::text, ''), coalesce(event_id::text, ''), counted_from, day) as was
    from ruled_date where firm_id = ${firm.id} and matter_id = ${matter} and id = any(${ids}::uuid[])`;
  return rows.map(({ was }): [string, string] => ['was', was]);
};

describe('Dates whose trigger moved', () => {
  test('are asked about once, and moved with their arithmetic', async () => {
    const at = await ready();
    expect(await daysIn(at)).toEqual(before);
    expect((await asked(at)).titles).toEqual([]);
    await at.set('2093-01-30');
    expect(await daysIn(at)).toEqual(before);
    const question = await asked(at);
    expect(question.titles).toEqual([
      'The limitation date moved from Tue 16 Dec 2092 to Fri 30 Jan 2093',
    ]);
    expect(question.lines).toEqual([
      'Draft: Fri 14 Nov 2092 → Tue 30 Dec 2092. 1 month before Fri 30 Jan 2093 = Tue 30 Dec 2092.',
      'Review: Tue 2 Dec 2092 → Fri 16 Jan 2093. 2 weeks before Fri 30 Jan 2093 = Fri 16 Jan 2093.',
      'Issue: Thu 4 Dec 2092 → Tue 20 Jan 2093. 8 working days before Fri 30 Jan 2093 = Tue 20 Jan 2093.',
    ]);
    expect(question.buttons).toEqual(['Move them', 'Leave them']);
    const fields = question.fields('move');
    const former = await undoOf(at, fields);
    const sent = await at.ada.send(`${at.path}/rules/moved`, fields);
    expect([sent.status, sent.location]).toEqual([303, at.path]);
    expect(await daysIn(at)).toEqual(after);
    expect((await asked(at)).titles).toEqual([]);
    const [told] = await sql`select count(*)::int as count from notification
      where firm_id = ${at.firm.id} and title = 'Your task has another day'`;
    expect(told).toEqual({ count: 2 });
    const page = await at.ada.get(`${at.path}/rules`);
    expect(attributesIn(page.text, 'main input[name=rule]', 'value')).toEqual([]);
    const undo = `${at.path}/rules/moved/undo`;
    expect((await at.ada.send(undo, former)).status).toBe(303);
    expect(await daysIn(at)).toEqual(before);
    expect((await asked(at)).titles.length).toBe(1);
    expect((await at.ada.send(undo, former)).status).toBe(303);
    expect(await daysIn(at)).toEqual(before);
  });

  test('stay if a person changed them, and are not asked about if done or cancelled', async () => {
    const at = await ready();
    const [draftId, issueId, closeId] = [
      await idOf(at, 'Draft'),
      await idOf(at, 'Issue'),
      await idOf(at, 'Close'),
    ];
    const assigneeId = at.firm.members[attorney] ?? '';
    await at.ada.send(`/tasks/${draftId}`, { title: 'Draft', dueOn: '2092-11-20', assigneeId });
    await at.ada.send(`/calendar/${issueId}/cancel`, {});
    await at.ada.send(`/tasks/${closeId}/move`, { to: 'done' });
    await at.firm.owner.patch(`/v1/matters/${at.matter}`, {
      openDate: '2088-03-01',
      solDate: '2093-01-30',
    });
    const question = await asked(at);
    expect(question.titles).toEqual([
      'The limitation date moved from Tue 16 Dec 2092 to Fri 30 Jan 2093',
    ]);
    expect(question.lines).toEqual([
      'Review: Tue 2 Dec 2092 → Fri 16 Jan 2093. 2 weeks before Fri 30 Jan 2093 = Fri 16 Jan 2093.',
      'Draft: changed since, now Thu 20 Nov 2092.',
    ]);
    expect(question.buttons).toEqual(['Move it', 'Leave them']);
    const fields = question.fields('move');
    const former = await undoOf(at, fields);
    await at.ada.send(`${at.path}/rules/moved`, fields);
    expect(await daysIn(at)).toEqual({
      Close: before.Close,
      Draft: '2092-11-20',
      Review: after.Review,
    });
    expect((await asked(at)).titles).toEqual([]);
    await at.ada.send(`${at.path}/rules/moved/undo`, former);
    expect(await daysIn(at)).toMatchObject({ Draft: '2092-11-20', Review: before.Review });
    expect((await asked(at)).lines).toEqual(question.lines);
    const [closed] = await sql`select due_on::text as day, done_at is not null as done from task
      where firm_id = ${at.firm.id} and id = ${closeId}`;
    expect(closed).toEqual({ day: before.Close, done: true });
  });

  test('can be left, and then follow their rules no longer', async () => {
    const at = await ready();
    await at.set('2093-01-30');
    const fields = (await asked(at)).fields('leave');
    const former = await undoOf(at, fields);
    await at.ada.send(`${at.path}/rules/moved`, fields);
    expect(await daysIn(at)).toEqual(before);
    expect((await asked(at)).titles).toEqual([]);
    const added = former.map(([, was]): [string, string] => ['id', was.slice(0, 36)]);
    const late = await at.ada.send(`${at.path}/rules/undo`, added);
    expect(late.status).toBe(422);
    expect(textIn(late.text, '[role=alert]')).toContain('Cancel those dates one by one.');
    expect(await daysIn(at)).toEqual(before);
    await at.set('2093-02-27');
    expect((await asked(at)).titles).toEqual([]);
    const page = await at.ada.get(`${at.path}/rules`);
    expect(attributesIn(page.text, 'main input[name=rule]', 'value').length).toBe(3);
    const undo = `${at.path}/rules/moved/undo`;
    expect((await at.ada.send(undo, former)).status).toBe(303);
    expect((await asked(at)).titles).toEqual([
      'The limitation date moved from Tue 16 Dec 2092 to Fri 27 Feb 2093',
    ]);
    expect((await at.ada.send(undo, former)).status).toBe(303);
    expect((await asked(at)).lines.length).toBe(3);
  });

  test('are asked about when the trigger is emptied, and no more when it is back', async () => {
    const at = await ready();
    await at.firm.owner.patch(`/v1/matters/${at.matter}`, { solDate: null });
    const question = await asked(at);
    expect(question.titles).toEqual(['The limitation date, Tue 16 Dec 2092, was removed']);
    expect(question.lines).toEqual([
      'Draft: Fri 14 Nov 2092.',
      'Review: Tue 2 Dec 2092.',
      'Issue: Thu 4 Dec 2092.',
    ]);
    expect(question.buttons).toEqual(['Leave them']);
    expect((await at.ada.send(`${at.path}/rules/moved`, question.fields('move'))).status).toBe(303);
    expect(await daysIn(at)).toEqual(before);
    const other = await ready();
    await other.firm.owner.patch(`/v1/matters/${other.matter}`, { solDate: null });
    await other.firm.owner.patch(`/v1/matters/${other.matter}`, { solDate: '2092-12-16' });
    expect((await asked(other)).titles).toEqual([]);
  });

  test('are asked about each trigger, and a deleted rule moves nothing', async () => {
    const at = await ready();
    await at.ada.send(`/settings/date-rules/${at.ids.Review}/delete`, {});
    await at.firm.owner.patch(`/v1/matters/${at.matter}`, {
      openDate: '9990-01-01',
      solDate: '2093-01-30',
    });
    const question = await asked(at);
    expect(question.titles).toEqual([
      'The opening day moved from Sun 29 Feb 2088 to Mon 1 Jan 9990',
      'The limitation date moved from Tue 16 Dec 2092 to Fri 30 Jan 2093',
    ]);
    expect(question.lines[0]).toBe(
      'Close: Wed 28 Feb 2091 → Fri 1 Jan 9993. 3 years from Mon 1 Jan 9990 = Fri 1 Jan 9993.',
    );
    expect(question.lines.at(-1)).toBe('Review: Tue 2 Dec 2092, its rule was deleted.');
    const page = await at.ada.get(`${at.path}/rules`);
    expect(textsIn(page.text, 'main ul.plain li')[0]).toBe(
      'Close: added already. Say on the matter’s page whether the date moves.',
    );
    await at.ada.send(`${at.path}/rules/moved`, question.fields('move', 0));
    expect(await daysIn(at)).toEqual({ ...before, Close: '9993-01-01' });
    expect((await asked(at)).titles.length).toBe(1);
  });

  test('are not asked about if they are past, and stay if an event has hours now', async () => {
    const at = await ready();
    const [event, task] = [await idOf(at, 'Issue'), await idOf(at, 'Review')];
    const { matter, firm } = at;
    await at.ada.send(`/calendar/${event}`, {
      title: 'Issue',
      day: '2092-12-04',
      begins: '10:00',
      ends: '11:00',
      guests: '',
    });
    await at.ada.send(`/tasks/${task}`, { title: 'Review', dueOn: '', assigneeId: '' });
    await at.set('2093-01-30');
    expect((await asked(at)).lines.slice(1)).toEqual([
      'Review: changed since.',
      'Issue: changed since.',
    ]);
    await sql`update calendar_event set starts_at = '2001-01-01T10:00:00Z', ends_at = null
      where firm_id = ${firm.id} and matter_id = ${matter}`;
    await sql`update task set due_on = '2001-01-01' where firm_id = ${firm.id} and id = ${task}`;
    expect((await asked(at)).lines.slice(1)).toEqual([
      'Review: changed since, now Mon 1 Jan 2001.',
    ]);
  });

  test('are answered once, and only as they were shown', async () => {
    const at = await ready();
    const ben = await memberBrowser(server, at.firm, attorney);
    await at.set('2093-01-30');
    const stale = (await asked(at)).fields('move');
    await at.set('2093-02-27');
    const path = `${at.path}/rules/moved`;
    const refused = await at.ada.send(path, stale);
    expect(refused.status).toBe(422);
    expect(textIn(refused.text, '.banner.danger')).toContain('Look at them again.');
    expect(await daysIn(at)).toEqual(before);
    const [mine, theirs] = [(await asked(at)).fields('move'), (await asked(at)).fields('leave')];
    const answers = await Promise.all([at.ada.send(path, mine), ben.send(path, theirs)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect((await asked(at)).titles).toEqual([]);
    for (const wrong of [[], [['trigger', 'x']], [['trigger', 'limitation']]] as [
      string,
      string,
    ][][])
      expect((await at.ada.send(path, wrong)).status).toBe(422);
  });

  test('are for who may change matters, and for no other firm', async () => {
    const [at, other] = [await ready(), await ready()];
    await at.set('2093-01-30');
    const fields = (await asked(at)).fields('move');
    const former = await undoOf(at, fields);
    const path = `${at.path}/rules/moved`;
    expect((await other.ada.send(path, fields)).status).toBe(404);
    expect((await other.ada.send(`${path}/undo`, former)).status).toBe(404);
    expect((await other.ada.send(`${other.path}/rules/moved`, fields)).status).toBe(422);
    const foreign = await other.ada.send(`${other.path}/rules/moved/undo`, former);
    expect(foreign.status).toBe(404);
    for (const wrong of ['', ':::::', former[0]?.[1].replace(/.$/, 'x') ?? ''])
      expect((await at.ada.send(`${path}/undo`, [['was', wrong]])).status).toBe(404);
    await sql`update role set permissions = '{matters:read}' where firm_id = ${at.firm.id}
      and not holds_all`;
    const ben = await memberBrowser(server, at.firm, attorney);
    expect(textsIn((await ben.get(at.path)).text, '.moved h2')).toEqual([]);
    expect((await ben.send(path, fields)).status).toBe(403);
    expect((await ben.send(`${path}/undo`, former)).status).toBe(403);
    expect(await daysIn(at)).toEqual(before);
  });
});
