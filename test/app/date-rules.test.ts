/** A firm's own rules for dates, as the settings' forms keep them. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textsIn } from '../support/html.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const rules = '/settings/date-rules';
const hostile = `<img src=x onerror=alert(1)> "quoted" ‮ 𝒟 / .. ${crypto.randomUUID()}`;

const ready = async () => {
  const firm = await makeFirm(server);
  return { firm, ada: await memberBrowser(server, firm, owner) };
};

const issue = {
  name: 'Issue the claim',
  amount: '8',
  unit: 'workingDays',
  direction: 'before',
  trigger: 'limitation',
  rolling: 'none',
  practiceAreaId: '',
  makes: 'task',
};

const limitation = {
  ...issue,
  name: 'Limitation, personal injury',
  amount: '3',
  unit: 'years',
  direction: 'after',
  trigger: 'opened',
  rolling: 'next',
};

describe('Date rules', () => {
  test('show the arithmetic of a day', async () => {
    const { ada } = await ready();
    const sent = await ada.send(rules, limitation);
    expect(sent.location).toMatch(/^\/settings\/date-rules\/[\w-]{36}$/);
    const { text } = await ada.get(`${sent.location}?from=2024-03-14`);
    expect(textsIn(text, '#example [role=status] p')).toEqual([
      '3 years from Thu 14 Mar 2024 = Sun 14 Mar 2027 → Mon 15 Mar 2027',
      'Sunday is not a working day.',
    ]);
    const leap = await ada.get(`${sent.location}?from=2024-02-29`);
    expect(textsIn(leap.text, '#example [role=status] p')[0]).toBe(
      '3 years from Thu 29 Feb 2024 = Sun 28 Feb 2027 → Mon 1 Mar 2027',
    );
    expect((await ada.get(`${sent.location}?from=9999-01-01`)).text).toContain(
      'beyond the years 1 to 9999',
    );
    expect((await ada.get(`${sent.location}?from=soon`)).status).toBe(200);
  });

  test('leave out the holidays of the firm', async () => {
    const { ada } = await ready();
    const days = { name: 'The firm’s days', day: '2026-12-10', lastDay: '2026-12-11' };
    await ada.send('/settings/holidays/own', days);
    const { location } = await ada.send(rules, issue);
    expect(
      textsIn((await ada.get(`${location}?from=2026-12-16`)).text, '#example [role=status] p'),
    ).toEqual(['8 working days before Wed 16 Dec 2026 = Wed 2 Dec 2026']);
    const rolled = { ...limitation, amount: '1', unit: 'weeks' };
    const made = await ada.send(rules, rolled);
    expect(
      textsIn((await ada.get(`${made.location}?from=2026-12-03`)).text, '#example [role=status] p'),
    ).toEqual([
      '1 week from Thu 3 Dec 2026 = Thu 10 Dec 2026 → Mon 14 Dec 2026',
      'The firm’s days, Saturday and Sunday are not working days.',
    ]);
  });

  test('are listed by name, changed and deleted, each in the audit log', async () => {
    const { ada, firm } = await ready();
    const family = firm.practiceAreas.Family?.id ?? '';
    const { location } = await ada.send(rules, { ...issue, practiceAreaId: family });
    await ada.send(rules, limitation);
    const { text } = await ada.get(rules);
    expect(textsIn(text, 'tbody a.name')).toEqual([issue.name, limitation.name]);
    expect(textsIn(text, 'tbody th div')).toEqual([
      '8 working days before the limitation date',
      '3 years after the opening day',
    ]);
    expect(text).toContain('Family');
    const at = location ?? '';
    await ada.send(`/settings/practice-areas/${family}/remove`, {});
    const changed = {
      ...issue,
      practiceAreaId: family,
      amount: '9',
      makes: 'event',
      name: hostile,
    };
    expect((await ada.send(at, changed)).status).toBe(303);
    const after = (await ada.get(rules)).text;
    expect(textsIn(after, 'tbody th div')).toContain('9 working days before the limitation date');
    expect(after.includes('<img src=x')).toBe(false);
    expect((await ada.send(`${at}/delete`, {})).location).toBe(rules);
    expect((await ada.get(at)).status).toBe(404);
    expect((await ada.send(at, changed)).status).toBe(404);
    expect((await ada.send(rules, limitation)).status).toBe(422);
    const id = at.split('/').at(-1) ?? '';
    expect(
      await sql`select action, (changes -> 'amount')::text as amount from audit_entry
        where firm_id = ${firm.id} and record_id = ${id} order by id`,
    ).toMatchObject([
      { action: 'create' },
      { action: 'update', amount: '{"after": -9, "before": -8}' },
      { action: 'delete' },
    ]);
    expect((await ada.get('/settings/audit')).text).toContain('date rule');
  });

  test('refuse what cannot be counted, field by field', async () => {
    const { ada } = await ready();
    const wrong: [Partial<Record<keyof typeof issue, string>>, string][] = [
      [{ name: ' ' }, 'Enter'],
      [{ name: 'x'.repeat(256) }, 'must have 1 to 255 characters.'],
      [{ amount: '' }, 'Enter a number.'],
      [{ amount: '-1' }, 'must be a number from 0 to 1,000.'],
      [{ amount: '1001' }, 'must be a number from 0 to 1,000.'],
      [{ amount: '1e2' }, 'must be a number from 0 to 1,000.'],
      [{ unit: 'fortnights' }, 'must be one of the choices.'],
      [{ trigger: 'created' }, 'must be one of the choices.'],
      [{ rolling: 'back' }, 'must be one of the choices.'],
      [{ makes: 'lead' }, 'must be one of the choices.'],
      [{ practiceAreaId: crypto.randomUUID() }, 'no longer exists. Choose another.'],
    ];
    for (const [part, words] of wrong) {
      const sent = await ada.send(rules, { do: 'new-rule', ...issue, ...part });
      const said = textsIn(sent.text, '.refusal').join(' ');
      expect([sent.status, said.includes(words) ? words : said]).toEqual([422, words]);
    }
    expect(textsIn((await ada.get(rules)).text, 'tbody a.name')).toEqual([]);
  });

  test('are for those who may change the firm, and for no other firm', async () => {
    const [{ ada, firm }, other] = [await ready(), await ready()];
    const at = (await ada.send(rules, issue)).location ?? '';
    for (const [method, path] of [
      ['get', at],
      ['send', at],
      ['send', `${at}/delete`],
    ] as const) {
      const answer =
        method === 'get' ? await other.ada.get(path) : await other.ada.send(path, issue);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const ben = await memberBrowser(server, firm, attorney);
    expect((await ben.get(rules)).status).toBe(403);
    expect((await ben.send(rules, issue)).status).toBe(403);
    expect((await ben.send(at, issue)).status).toBe(403);
  });

  test('keep both changes of two people, and say which field both changed', async () => {
    const { ada } = await ready();
    const at = (await ada.send(rules, issue)).location ?? '';
    const began = Object.fromEntries(
      Object.entries(issue).map(([name, value]) => [`was.${name}`, value]),
    );
    await ada.send(at, { ...issue, ...began, amount: '9' });
    await ada.send(at, { ...issue, ...began, makes: 'event' });
    const { text } = await ada.get(rules);
    expect(textsIn(text, 'tbody th div')).toEqual(['9 working days before the limitation date']);
    expect(textsIn(text, 'main tbody td:last-child')).toEqual(['An event of the whole day']);
    expect((await ada.send(at, { ...issue, ...began, amount: '10' })).status).toBe(422);
  });
});
