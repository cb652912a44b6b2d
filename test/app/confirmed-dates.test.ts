/** Dates by rule that a second person confirms, where the firm wants it. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn, textsIn } from '../support/html.ts';
import { addRuledDates, makeRules } from '../support/ruled-dates.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const usual = {
  rolling: 'none',
  practiceAreaId: '',
  direction: 'before',
  trigger: 'limitation',
  unit: 'weeks',
  needsConfirmation: 'on',
};
const issue = { ...usual, name: 'Issue', amount: '2', makes: 'event' };
const review = { ...usual, name: 'Review', amount: '4', makes: 'task' };
const plain = { ...usual, name: 'Plain', amount: '1', makes: 'task', needsConfirmation: '' };

/** A firm whose rules want a second person, and a matter whose dates Ada had counted. */
const ready = async (team: string[] = [], solDate = '2092-12-16') => {
  const firm = await makeFirm(server);
  const [ada, ben] = await Promise.all([
    memberBrowser(server, firm, owner),
    memberBrowser(server, firm, attorney),
  ]);
  const ids = await makeRules(ada, [issue, review, plain]);
  const body = {
    practiceAreaId: firm.practiceAreas.Family?.id,
    title: 'A matter',
    openDate: '2024-02-29',
    solDate,
    team: team.map((email) => ({ memberId: firm.members[email] })),
  };
  const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
  const path = `/matters/${matter}`;
  await addRuledDates(ada, matter, firm.members[attorney]);
  const rows = await sql<{ id: string; of: string; title: string }[]>`
    select made.id::text as id, coalesce(made.task_id, made.event_id)::text as of, rule.name as title
    from ruled_date made join date_rule rule on rule.firm_id = made.firm_id and rule.id = made.rule_id
    where made.firm_id = ${firm.id}`;
  const made = Object.fromEntries(rows.map((row) => [row.title, row]));
  const pathOf = (title: string) =>
    `/${title === issue.name ? 'calendar' : 'tasks'}/${made[title]?.of}`;
  const confirming = (title: string, day: string) => ({ date: made[title]?.id ?? '', day });
  return { firm, ada, ben, ids, matter, path, made, pathOf, confirming };
};

type Ready = Awaited<ReturnType<typeof ready>>;
type Browser = Ready['ada'];

const reviewDay = '2092-11-18';
const issueDay = '2092-12-02';

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Of each line of a page that names this, whether it says that it is not confirmed. */
const marksBeside = (text: string | undefined, lines: string, title: string): boolean[] =>
  textsIn(text ?? '', lines)
    .filter((line) => line.includes(title))
    .map((line) => line.includes('Not confirmed'));

/** What a page says of confirmations. */
const said = async (browser: Browser, path: string) => {
  const { text } = await browser.get(path);
  const [banner] = partsIn(text, 'section[aria-labelledby^=confirmation]');
  const html = banner?.toString() ?? '';
  return {
    title: textsIn(html, 'h2')[0],
    lines: textsIn(html, 'li'),
    paragraphs: textsIn(html, 'p'),
    buttons: textsIn(html, 'button'),
    marks: textsIn(text, '.tag.warn'),
  };
};

const confirmedIn = async ({ firm }: Ready) => {
  const rows = await sql<{ by: string }[]>`select rule.name || ' by ' || member.name as by
    from ruled_date made
    join date_rule rule on rule.firm_id = made.firm_id and rule.id = made.rule_id
    join member on member.firm_id = made.firm_id and member.id = made.confirmed_by_id
    where made.firm_id = ${firm.id} and made.confirmed_at is not null order by 1`;
  return rows.map(({ by }) => by);
};

describe('Dates that a second person confirms', () => {
  test('are marked until then, and are confirmed by somebody else than who counted them', async () => {
    const at = await ready();
    const { ada, ben, path } = at;
    const ownPage = await said(ada, path);
    expect(ownPage.title).toBe('2 dates are not confirmed');
    expect(ownPage.lines).toEqual([
      'Review: Tue 18 Nov 2092. 4 weeks before Tue 16 Dec 2092 = Tue 18 Nov 2092. You counted it, so somebody else has to confirm it.',
      'Issue: Tue 2 Dec 2092. 2 weeks before Tue 16 Dec 2092 = Tue 2 Dec 2092. You counted it, so somebody else has to confirm it.',
    ]);
    expect(ownPage.buttons).toEqual([]);
    expect(ownPage.marks).toEqual(['Not confirmed', 'Not confirmed']);
    const own = await said(ada, at.pathOf('Review'));
    expect(own.paragraphs?.[0]).toBe('You counted it, so somebody else has to confirm it.');
    expect(own.buttons).toEqual([]);
    const refused = await ada.send(`${path}/rules/confirmed`, at.confirming('Review', reviewDay));
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('You counted this date. Somebody else has to confirm it.');
    expect((await said(ben, path)).buttons).toEqual(['Confirm', 'Confirm']);
    expect((await said(ben, '/tasks')).marks).toEqual(['Not confirmed']);
    const task = await said(ben, at.pathOf('Review'));
    expect(task.title).toBe('Not confirmed');
    expect(task.paragraphs).toEqual([
      'Counted by Ada Harrow. A second person has to confirm it.',
      '4 weeks before Tue 16 Dec 2092 = Tue 18 Nov 2092.',
    ]);
    expect(task.buttons).toEqual(['Confirm']);
    expect((await said(ben, at.pathOf('Plain'))).title).toBeUndefined();
    const sent = await ben.send(`${path}/rules/confirmed`, at.confirming('Review', reviewDay));
    expect([sent.status, sent.location]).toEqual([303, path]);
    expect(await confirmedIn(at)).toEqual(['Review by Ben Lane']);
    expect((await said(ada, at.pathOf('Review'))).title).toBe('Confirmed by Ben Lane');
    expect((await said(ada, path)).title).toBe('1 date is not confirmed');
    expect((await said(ben, at.pathOf('Issue'))).buttons).toEqual(['Confirm']);
    await ben.send(`${path}/rules/confirmed`, at.confirming('Issue', issueDay));
    const all = await said(ben, path);
    expect([all.title, all.marks]).toEqual([undefined, []]);
    const { text } = await ada.get(path);
    const history = textsIn(text, '.timeline li').join('\n');
    expect(history).toContain('confirmed the date Review, 18 Nov 2092');
    expect(history).toContain('confirmed the date Issue, 2 Dec 2092');
  });

  test('can be taken back by who confirmed them alone', async () => {
    const at = await ready();
    const { ada, ben, path } = at;
    const date = { date: at.made.Review?.id ?? '' };
    const undo = `${path}/rules/confirmed/undo`;
    expect((await ben.send(undo, date)).status).toBe(422);
    await ben.send(`${path}/rules/confirmed`, at.confirming('Review', reviewDay));
    expect((await ada.send(undo, date)).status).toBe(422);
    expect((await ben.send(undo, date)).status).toBe(303);
    expect(await confirmedIn(at)).toEqual([]);
    expect((await said(ben, at.pathOf('Review'))).title).toBe('Not confirmed');
    const { text } = await ada.get(path);
    expect(textsIn(text, '.timeline li').join('\n')).toContain(
      'took back the confirmation of the date Review, 18 Nov 2092',
    );
  });

  test('are asked about anew when they move, of another than who moved them', async () => {
    const at = await ready();
    const { ada, ben, path } = at;
    for (const [title, day] of [
      ['Review', reviewDay],
      ['Issue', issueDay],
    ] as const)
      await ben.send(`${path}/rules/confirmed`, at.confirming(title, day));
    await ada.send(`${path}/limitation`, { solDate: '2093-01-30', reason: 'Served late' });
    await sql`update ruled_date set confirmed_by_id = null, confirmed_at = null
      where firm_id = ${at.firm.id} and id = ${at.made.Issue?.id ?? ''}`;
    const asked = await said(ben, path);
    expect([asked.title, asked.marks]).toEqual([undefined, ['Not confirmed']]);
    const event = await said(ben, at.pathOf('Issue'));
    expect(event.buttons).toEqual([]);
    expect(event.paragraphs.at(-1)).toBe(
      'The limitation date has changed since. Say first on the matter’s page whether this date moves.',
    );
    const early = await ben.send(`${path}/rules/confirmed`, at.confirming('Issue', issueDay));
    expect(early.status).toBe(422);
    expect(textIn(early.text, '.banner.danger')).toContain('Say first on the matter’s page');
    const { text } = await ben.get(path);
    const hidden = partsIn(text, '.moved form')[0]?.querySelectorAll('input') ?? [];
    const shown = hidden.map((one): [string, string] => [
      one.getAttribute('name') ?? '',
      one.getAttribute('value') ?? '',
    ]);
    await ben.send(`${path}/rules/moved`, [...shown, ['answer', 'move']]);
    expect(await confirmedIn(at)).toEqual([]);
    expect((await said(ben, at.pathOf('Review'))).paragraphs).toEqual([
      'You counted it, so somebody else has to confirm it.',
      '4 weeks before Fri 30 Jan 2093 = Fri 2 Jan 2093.',
    ]);
    const stale = await ada.send(`${path}/rules/confirmed`, at.confirming('Review', reviewDay));
    expect(stale.status).toBe(422);
    const sent = await ada.send(`${path}/rules/confirmed`, at.confirming('Review', '2093-01-02'));
    expect(sent.status).toBe(303);
    expect(await confirmedIn(at)).toEqual(['Review by Ada Harrow']);
  });

  test('ask nobody when they are moved by hand, done, cancelled, past, or their matter is archived', async () => {
    const at = await ready();
    const { ben, path, firm } = at;
    const assigneeId = firm.members[attorney] ?? '';
    const changed = { title: 'Review', dueOn: '2092-11-20', assigneeId };
    await ben.send(at.pathOf('Review'), changed);
    expect((await said(ben, at.pathOf('Review'))).title).toBeUndefined();
    expect((await said(ben, path)).title).toBe('1 date is not confirmed');
    const byHand = await ben.send(`${path}/rules/confirmed`, at.confirming('Review', reviewDay));
    expect(byHand.status).toBe(422);
    await ben.send(at.pathOf('Review'), { ...changed, dueOn: reviewDay });
    expect((await said(ben, at.pathOf('Review'))).title).toBe('Not confirmed');
    await ben.send(`${at.pathOf('Review')}/move`, { to: 'done' });
    expect((await said(ben, at.pathOf('Review'))).title).toBeUndefined();
    await ben.send(`${at.pathOf('Review')}/move`, { to: 'open' });
    await ben.send(`${at.pathOf('Review')}/move`, { to: 'cancelled' });
    expect((await said(ben, path)).lines.length).toBe(1);
    await sql`update matter set status = 'ARCHIVE'
      where firm_id = ${firm.id} and id = ${at.matter}`;
    expect((await said(ben, path)).marks).toEqual([]);
    expect((await said(ben, at.pathOf('Issue'))).title).toBeUndefined();
    const archived = await ben.send(`${path}/rules/confirmed`, at.confirming('Issue', issueDay));
    expect(archived.status).toBe(422);
    await sql`update matter set status = 'ACTIVE'
      where firm_id = ${firm.id} and id = ${at.matter}`;
    expect((await said(ben, at.pathOf('Issue'))).title).toBe('Not confirmed');
    await sql`update calendar_event set starts_at = '2001-01-01', first_day = '2001-01-01',
      last_day = '2001-01-01' where firm_id = ${firm.id} and matter_id = ${at.matter}`;
    await sql`update ruled_date set day = '2001-01-01'
      where firm_id = ${firm.id} and event_id is not null`;
    expect((await said(ben, path)).title).toBeUndefined();
    await ben.send(`${at.pathOf('Issue')}/cancel`, {});
    expect((await said(ben, at.pathOf('Issue'))).title).toBeUndefined();
    expect(await confirmedIn(at)).toEqual([]);
  });

  test('say if their rule gives another day now, and ask nobody once the rule does not', async () => {
    const at = await ready();
    const { ada, ben } = at;
    await ada.send(`/settings/date-rules/${at.ids.Review}`, { ...review, amount: '5' });
    expect((await said(ben, at.pathOf('Review'))).paragraphs[1]).toBe(
      'Counted from Tue 16 Dec 2092. The rule or the holidays have changed since: the rule now gives Tue 11 Nov 2092.',
    );
    await ada.send(`/settings/date-rules/${at.ids.Review}`, { ...review, needsConfirmation: '' });
    expect((await said(ben, at.pathOf('Review'))).title).toBeUndefined();
    await sql`update ruled_date set counted_by_id = null where firm_id = ${at.firm.id}`;
    await ada.send(`/settings/date-rules/${at.ids.Plain}`, plain);
    await ada.send(`/settings/date-rules/${at.ids.Plain}`, { ...plain, needsConfirmation: 'on' });
    expect((await said(ada, at.pathOf('Plain'))).paragraphs[0]).toBe('A person has to confirm it.');
    expect((await said(ada, at.pathOf('Plain'))).buttons).toEqual(['Confirm']);
  });

  test('wait on Home for the team of their matter, but for who counted them', async () => {
    const [at, strange] = [await ready([attorney, owner]), await ready([owner])];
    const { firm, ada, ben, path } = at;
    const waiting = async (browser: Browser) => {
      const { text } = await browser.get('/');
      const [panel] = partsIn(text, 'section[aria-labelledby=to-confirm-title]');
      return textsIn(panel?.toString() ?? '', 'li .grow');
    };
    for (const one of [ada, strange.ada, strange.ben]) expect(await waiting(one)).toEqual([]);
    const [{ number } = { number: '' }] = await sql<{ number: string }[]>`
      select number from matter where firm_id = ${firm.id} and id = ${at.matter}`;
    expect(await waiting(ben)).toEqual([
      `Review${number} · Counted by Ada Harrow`,
      `Issue${number} · Counted by Ada Harrow`,
    ]);
    await ben.send(`${path}/rules/confirmed`, at.confirming('Review', reviewDay));
    await ben.send(`${at.pathOf('Issue')}/cancel`, {});
    expect(await waiting(ben)).toEqual([]);
  });

  test('are marked in the calendar, its feed, among a member’s dates and on the control sheet', async () => {
    const at = await ready([attorney], dayFrom(34));
    const { ada, ben, path } = at;
    const made = (await ben.send('/settings/me/feed', {})).text;
    const [feed = ''] = /\/calendar\/feed\/[\w-]{43}\.ics/.exec(made) ?? [];
    const fed = async () =>
      (await (await fetch(server.url + feed)).text()).match(/^SUMMARY:.*(Review|Plain)/gm)?.sort();
    const [inTwentyDays, inSixDays] = [dayFrom(20), dayFrom(6)];
    const marked = async () => {
      const whole = async (day: string, view: string) =>
        (await ada.get(`/calendar?whose=all&view=${view}&day=${day}`)).text;
      const [agenda, month, week] = await Promise.all(
        ['agenda', 'month', 'week'].map((view) => whole(inTwentyDays, view)),
      );
      const home = (await ben.get('/')).text;
      const sheet = (await ada.get('/calendar/control-sheet')).text;
      return {
        agenda: marksBeside(agenda, 'li[data-row]', 'Issue'),
        month: marksBeside(month, '.calendar.month li', 'Issue'),
        week: marksBeside(week, '.calendar.week li', 'Issue'),
        home: marksBeside(home, '[aria-labelledby=dates-title] li', 'Review'),
        sheet: marksBeside(sheet, '.paper tbody tr', 'Review'),
        plain: marksBeside(sheet, '.paper tbody tr', 'Plain'),
      };
    };
    const unconfirmed = [true];
    const confirmed = [false];
    expect(await marked()).toEqual({
      agenda: unconfirmed,
      month: unconfirmed,
      week: unconfirmed,
      home: unconfirmed,
      sheet: unconfirmed,
      plain: [],
    });
    expect((await ada.get('/calendar/control-sheet')).text).toContain('1 is not confirmed.');
    expect(await fed()).toEqual(['SUMMARY:Not confirmed: Task: Review', 'SUMMARY:Task: Plain']);
    await ben.send(`${path}/rules/confirmed`, at.confirming('Review', inSixDays));
    await ben.send(`${path}/rules/confirmed`, at.confirming('Issue', inTwentyDays));
    expect(await marked()).toEqual({
      agenda: confirmed,
      month: confirmed,
      week: confirmed,
      home: confirmed,
      sheet: confirmed,
      plain: [],
    });
    expect(await fed()).toEqual(['SUMMARY:Task: Plain', 'SUMMARY:Task: Review']);
  });

  test('are marked in the inbox and on Home too, also among several in one notice, until they are confirmed', async () => {
    const at = await ready();
    const { firm, ada, ben } = at;
    const marks = async (lines: string) => {
      const pages = await Promise.all(['/inbox', '/'].map((path) => ben.get(path)));
      return pages.map(({ text }) =>
        ['Review', 'Plain'].map((title) => marksBeside(text, lines, title)),
      );
    };
    const marked = [[true], [false]];
    expect(await marks('li.unread')).toEqual([marked, marked]);
    expect(marksBeside((await ada.get('/inbox')).text, 'li', '')).not.toContain(true);
    const [several] = await sql`
      insert into notification (firm_id, member_id, kind, cause, title, text, count, created_at, raised_at)
      values (${firm.id}, ${firm.members[attorney] ?? ''}, 'task.assigned', 'several', '2 tasks assigned to you',
        'Open them, the next first', 2, moment(), moment()) returning id`;
    await sql`update receipt set notification_id = ${several?.id} where firm_id = ${firm.id}
      and task_id is not null`;
    expect(await marks('.have-them li')).toEqual([marked, marked]);
    await ben.send(`${at.path}/rules/confirmed`, at.confirming('Review', reviewDay));
    const none = [[false], [false]];
    expect(await marks('.have-them li')).toEqual([none, none]);
    expect(await marks('.rows > li')).not.toContainEqual(marked);
  });

  test('are confirmed once by two people at once', async () => {
    const at = await ready();
    await sql`update ruled_date set counted_by_id = null where firm_id = ${at.firm.id}`;
    const answers = await Promise.all(
      [at.ada, at.ben].map((one) =>
        one.send(`${at.path}/rules/confirmed`, at.confirming('Review', reviewDay)),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect((await confirmedIn(at)).length).toBe(1);
  });

  test('are for who may change matters, and for no other firm', async () => {
    const [at, other] = [await ready(), await ready()];
    const fields = at.confirming('Review', reviewDay);
    const confirmed = `${at.path}/rules/confirmed`;
    expect((await other.ben.send(confirmed, fields)).status).toBe(404);
    expect((await other.ben.send(`${confirmed}/undo`, fields)).status).toBe(404);
    const foreign = await other.ben.send(`${other.path}/rules/confirmed`, fields);
    expect(foreign.status).toBe(422);
    for (const wrong of [{}, { date: 'x', day: reviewDay }, { ...fields, day: 'x' }])
      expect((await at.ben.send(confirmed, wrong)).status).toBe(422);
    await sql`update role set permissions = '{matters:read}' where firm_id = ${at.firm.id}
      and not holds_all`;
    const seen = await said(at.ben, at.path);
    expect([seen.title, seen.buttons]).toEqual(['2 dates are not confirmed', []]);
    expect((await at.ben.send(confirmed, fields)).status).toBe(403);
    expect((await at.ben.send(`${confirmed}/undo`, fields)).status).toBe(403);
    expect(await confirmedIn(at)).toEqual([]);
  });
});
