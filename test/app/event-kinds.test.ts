/** The firm's kinds of events, and date rules that count from the event of a kind. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, textIn, textsIn } from '../support/html.ts';
import { addRuledDates, askedMoves, makeRules, offeredDates } from '../support/ruled-dates.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const settings = '/settings/event-kinds';
const rulesPath = '/settings/date-rules';

const bundle = {
  name: 'File the bundle',
  amount: '7',
  unit: 'days',
  direction: 'before',
  rolling: 'last',
  practiceAreaId: '',
  makes: 'task',
};

/** A firm with the kinds Hearing and Service, a rule that counts from hearings, and a matter. */
const ready = async (timeZone = 'UTC') => {
  const firm = await makeFirm(server);
  await sql`update firm set time_zone = ${timeZone} where id = ${firm.id}`;
  const ada = await memberBrowser(server, firm, owner);
  for (const name of ['Hearing', 'Service']) await ada.send(`${settings}/kinds`, { name });
  const rows = await sql<{ id: string; name: string }[]>`
    select id::text as id, name from event_kind where firm_id = ${firm.id}`;
  const kinds = Object.fromEntries(rows.map(({ id, name }) => [name, id]));
  const { [bundle.name]: rule = '' } = await makeRules(ada, [
    { ...bundle, trigger: `event:${kinds.Hearing}` },
  ]);
  const body = {
    practiceAreaId: firm.practiceAreas.Family?.id,
    title: 'Moss v Lane',
    openDate: '2088-02-29',
  };
  const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
  const idOf = async (title: string) => {
    const [row] = await sql<{ id: string }[]>`select id::text as id from calendar_event
      where firm_id = ${firm.id} and title = ${title} order by id limit 1`;
    return row?.id ?? '';
  };
  const hearing = { title: 'Before the master', kindId: kinds.Hearing ?? '', begins: '10:00' };
  const add = async (more: Record<string, string>) => {
    const sent = await ada.send(`/calendar/new?matter=${matter}`, { ...hearing, ...more });
    expect(sent.status).toBe(303);
    return idOf(more.title ?? hearing.title);
  };
  const change = (id: string, more: Record<string, string>) =>
    ada.send(`/calendar/${id}`, { ...hearing, ...more });
  return { firm, ada, kinds, rule, matter, path: `/matters/${matter}`, add, change };
};

type Ready = Awaited<ReturnType<typeof ready>>;

const offered = ({ ada, path }: Ready) => offeredDates(ada, path);
const asked = ({ ada, path }: Ready) => askedMoves(ada, path);

const dueIn = async ({ firm, matter }: Ready) => {
  const rows = await sql<{ day: string }[]>`select due_on::text as day from task
    where firm_id = ${firm.id} and matter_id = ${matter} and cancelled_at is null order by 1`;
  return rows.map(({ day }) => day);
};

describe('Kinds of events', () => {
  test('stand in a day’s box of the calendar, beside the matter', async () => {
    const { ada, kinds, add } = await ready();
    await add({ day: '2092-03-03' });
    await add({ day: '2092-03-04', title: 'Lunch', kindId: '' });
    const { text } = await ada.get('/calendar?whose=all&day=2092-03-01');
    expect(textsIn(text, '.entry .of')).toEqual(['Moss v Lane · Hearing', 'Moss v Lane']);
    expect(attributesIn(text, '.entry', 'title')).toEqual([
      expect.stringContaining('Before the master, Hearing, M-'),
      expect.stringContaining('Lunch, M-'),
    ] as never);
    expect(kinds.Hearing).toBeString();
  });

  test('are listed in the firm’s order, renamed, and kept by events when they are removed', async () => {
    const at = await ready();
    const { ada, kinds } = at;
    const names = async () => textsIn((await ada.get(settings)).text, '#kinds .rows .value');
    expect(await names()).toEqual(['Rename Hearing', 'Rename Service']);
    await ada.send(`${settings}/kinds/${kinds.Service}/move`, { by: 'up' });
    await ada.send(`${settings}/kinds/${kinds.Service}`, { name: 'Service of papers' });
    expect(await names()).toEqual(['Rename Service of papers', 'Rename Hearing']);
    const taken = await ada.send(`${settings}/kinds`, { name: 'Hearing' });
    expect(taken.status).toBe(422);
    const id = await at.add({ day: '2092-03-03', title: 'Papers', kindId: kinds.Service ?? '' });
    await ada.send(`${settings}/kinds/${kinds.Service}/remove`, {});
    const page = (await ada.get(`/calendar/${id}`)).text;
    expect(textsIn(page, '.head .tag')).toEqual(['Service of papers']);
    expect(textsIn(page, 'select[name=kindId] option')).toEqual([
      'No kind',
      'Hearing',
      'Service of papers',
    ]);
    const kept = await at.change(id, {
      day: '2092-03-04',
      title: 'Papers',
      kindId: kinds.Service ?? '',
    });
    expect(kept.status).toBe(303);
    expect((await ada.get(at.path)).text).toContain('Service of papers · ');
    const none = await at.change(id, { day: '2092-03-04', title: 'Papers', kindId: '' });
    expect(none.status).toBe(303);
    const again = await at.change(id, {
      day: '2092-03-04',
      title: 'Papers',
      kindId: kinds.Service ?? '',
    });
    expect(again.status).toBe(422);
  });

  test('tell no guest, and stay as they are when a program changes an event', async () => {
    const at = await ready();
    const { firm, kinds } = at;
    const id = await at.add({ day: '2092-03-03', title: 'A day in court', colleagues: attorney });
    const told = async () => {
      const [row] = await sql<{ count: number }[]>`select count(*)::int as count from notification
        where firm_id = ${firm.id}`;
      return row?.count;
    };
    const before = await told();
    const other = { day: '2092-03-03', title: 'A day in court', colleagues: attorney };
    await at.change(id, { ...other, kindId: kinds.Service ?? '' });
    expect(await told()).toBe(before);
    const stored = async () => {
      const [row] = await sql<{ kind: string | null }[]>`select kind_id::text as kind
        from calendar_event where firm_id = ${firm.id} and id = ${id}`;
      return row?.kind;
    };
    expect(await stored()).toBe(kinds.Service);
    // Title and kind together are one change.
    const renamed = { ...other, title: 'Days in court', kindId: kinds.Hearing ?? '' };
    await at.change(id, renamed);
    await at.change(id, { ...renamed, kindId: kinds.Service ?? '' });
    const entries = await sql<{ fields: string[] }[]>`
      select array(select jsonb_object_keys(changes) order by 1) as fields from audit_entry
      where firm_id = ${firm.id} and record_id = ${id} and action = 'update' order by id`;
    expect(entries.map(({ fields }) => fields.filter((name) => name !== 'updatedAt'))).toEqual([
      ['kindId'],
      ['kindId', 'title'],
      ['kindId'],
    ]);
    const patched = await firm.owner.patch(`/v1/calendar-events/${id}`, { title: 'In court' });
    expect([patched.status, Object.keys(patched.body.data).includes('kindId')]).toEqual([
      200,
      false,
    ]);
    expect(await stored()).toBe(kinds.Service);
  });

  test('are the same for all events of a series, and change with those that follow', async () => {
    const at = await ready();
    const { firm, kinds } = at;
    const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const id = await at.add({ day: tomorrow, title: 'Report', repeats: 'month' });
    const kindsOf = async () => {
      const rows = await sql<{ kind: string | null }[]>`select kind_id::text as kind
        from calendar_event where firm_id = ${firm.id} and title = 'Report' and cancelled_at is null`;
      return [rows.length > 1, [...new Set(rows.map(({ kind }) => kind))]];
    };
    expect(await kindsOf()).toEqual([true, [kinds.Hearing ?? '']]);
    const sent = await at.change(id, {
      day: tomorrow,
      title: 'Report',
      repeats: 'month',
      which: 'following',
      kindId: kinds.Service ?? '',
    });
    expect(sent.status).toBe(303);
    expect(await kindsOf()).toEqual([true, [kinds.Service ?? '']]);
  });

  test('are for those who may change the firm, and no other firm’s', async () => {
    const [at, other] = [await ready(), await ready()];
    const ben = await memberBrowser(server, at.firm, attorney);
    expect((await ben.get(settings)).status).toBe(403);
    expect((await ben.send(`${settings}/kinds`, { name: 'Mine' })).status).toBe(403);
    const kind = `${settings}/kinds/${at.kinds.Hearing}`;
    for (const form of [kind, `${kind}/move`, `${kind}/remove`])
      expect((await other.ada.send(form, { name: 'Theirs', by: 'up' })).status).toBe(404);
    for (const kindId of [other.kinds.Hearing ?? '', 'x']) {
      const event = { title: 'A', day: '2092-03-03', begins: '10:00', kindId };
      const sent = await at.ada.send(`/calendar/new?matter=${at.matter}`, event);
      expect([sent.status, textsIn(sent.text, '.refusal').join()]).toEqual([
        422,
        expect.stringContaining('no longer exists. Choose another.'),
      ]);
      const rule = { do: 'new-rule', ...bundle, name: 'Another', trigger: `event:${kindId}` };
      const refused = await at.ada.send(rulesPath, rule);
      expect([refused.status, textsIn(refused.text, '.refusal').join()]).toEqual([
        422,
        expect.stringContaining('no longer exists. Choose another.'),
      ]);
    }
  });
});

describe('Date rules that count from the event of a kind', () => {
  test('say that there is none, and count from its day in the firm’s time zone', async () => {
    const at = await ready('Pacific/Auckland');
    const page = (await at.ada.get(`${rulesPath}/${at.rule}`)).text;
    expect(textIn(page, '.head')).toContain('7 days before the event “Hearing”');
    expect(textsIn(page, 'select[name=trigger] option').slice(-2)).toEqual([
      'Event: Hearing',
      'Event: Service',
    ]);
    await at.add({ day: '2092-03-03', title: 'Papers', kindId: at.kinds.Service ?? '' });
    expect((await offered(at)).others).toEqual([
      'File the bundle: the matter has no event of the kind “Hearing”.',
    ]);
    // Half past eight in the morning there is the day before in UTC.
    await at.add({ day: '2092-03-11', begins: '08:30' });
    expect(await offered(at)).toEqual({
      values: [`${at.rule}:2092-03-04`],
      hints: ['7 days before Tue 11 Mar 2092 = Tue 4 Mar 2092. A task.'],
      others: [],
    });
    await addRuledDates(at.ada, at.matter);
    expect(await dueIn(at)).toEqual(['2092-03-04']);
    expect((await offered(at)).others).toEqual(['File the bundle: added already.']);
    const removed = await at.ada.send(`${settings}/kinds/${at.kinds.Hearing}/remove`, {});
    expect([removed.status, textIn(removed.text, '.banner.danger')]).toEqual([
      422,
      expect.stringContaining('The date rule "File the bundle" counts from events of this kind.'),
    ]);
  });

  test('take the next of several that is not over, and say which; then the last', async () => {
    const at = await ready();
    const first = await at.add({ day: '2001-03-05', title: 'First' });
    await at.add({ day: '2002-03-05', title: 'Second' });
    expect((await offered(at)).hints).toEqual([
      '7 days before Tue 5 Mar 2002 = Tue 26 Feb 2002. Counted from “Second”, the last of 2 events of its kind. A task. This day is past.',
    ]);
    await at.add({ day: '2092-03-11', title: 'Fourth' });
    await at.add({ day: '2092-03-04', title: 'Third' });
    expect((await offered(at)).hints).toEqual([
      '7 days before Tue 4 Mar 2092 = Tue 26 Feb 2092. Counted from “Third”, the next of 4 events of its kind. A task.',
    ]);
    await addRuledDates(at.ada, at.matter);
    await at.change(first, { day: '2092-03-03', title: 'First' });
    expect((await asked(at)).titles).toEqual([]);
    const [hint] = (await offered(at)).hints;
    expect(hint).toContain('Counted from “First”, the next of 4 events of its kind.');
  });

  test('ask whether their dates move with their event, and say that it is no longer there', async () => {
    const at = await ready();
    const id = await at.add({ day: '2092-03-11' });
    await at.add({ day: '2092-05-06', title: 'Another' });
    await addRuledDates(at.ada, at.matter);
    expect(await dueIn(at)).toEqual(['2092-03-04']);
    await at.change(id, { day: '2092-06-11' });
    const question = await asked(at);
    expect(question.titles).toEqual([
      'The event “Hearing” moved from Tue 11 Mar 2092 to Wed 11 Jun 2092',
    ]);
    expect(question.lines).toEqual([
      'File the bundle: Tue 4 Mar 2092 → Wed 4 Jun 2092. 7 days before Wed 11 Jun 2092 = Wed 4 Jun 2092.',
    ]);
    const sent = await at.ada.send(`${at.path}/rules/moved`, [
      ...question.fields,
      ['answer', 'move'],
    ]);
    expect(sent.status).toBe(303);
    expect(await dueIn(at)).toEqual(['2092-06-04']);
    expect((await asked(at)).titles).toEqual([]);
    await at.change(id, { day: '2092-06-11', kindId: at.kinds.Service ?? '' });
    expect((await asked(at)).titles).toEqual([
      'The event “Hearing”, Wed 11 Jun 2092, is no longer there',
    ]);
    await at.change(id, { day: '2092-06-11' });
    expect((await asked(at)).titles).toEqual([]);
    await at.ada.send(`/calendar/${id}/cancel`, {});
    const gone = await asked(at);
    expect(gone.titles).toEqual(['The event “Hearing”, Wed 11 Jun 2092, is no longer there']);
    expect(gone.lines).toEqual(['File the bundle: Wed 4 Jun 2092.']);
    await at.ada.send(`${at.path}/rules/moved`, [...gone.fields, ['answer', 'leave']]);
    expect((await asked(at)).titles).toEqual([]);
  });

  test('are asked about again when the answer is taken back, with their own event alone', async () => {
    const [at, other] = [await ready(), await ready()];
    const id = await at.add({ day: '2092-03-11' });
    const foreign = await other.add({ day: '2092-03-11' });
    await addRuledDates(at.ada, at.matter);
    const [was] = await sql<{ text: string }[]>`select concat_ws(':', id, rule_id, task_id, '',
      counted_from, day, counted_event_id) as text from ruled_date where firm_id = ${at.firm.id}`;
    await at.change(id, { day: '2092-03-12' });
    const { fields } = await asked(at);
    await at.ada.send(`${at.path}/rules/moved`, [...fields, ['answer', 'leave']]);
    const undo = `${at.path}/rules/moved/undo`;
    const text = was?.text ?? '';
    for (const wrong of [foreign, 'x']) {
      const sent = await at.ada.send(undo, { was: text.replace(id, wrong) });
      expect(sent.status).toBe(404);
    }
    expect((await at.ada.send(undo, { was: text })).status).toBe(303);
    expect((await asked(at)).titles).toEqual([
      'The event “Hearing” moved from Tue 11 Mar 2092 to Wed 12 Mar 2092',
    ]);
  });
});
