/** The public holidays that the executable carries, and the firm's own, as an administrator chooses them. */
import { describe, expect, test } from 'bun:test';
import { allForYear } from '@18f/us-federal-holidays';
import fc from 'fast-check';
import { holidayEdition, holidayPlaces, publicHolidays } from '../../src/firm/holidays/public.ts';
import { daysOf } from '../../src/firm/holidays/write.ts';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, textsIn } from '../support/html.ts';
import { untilItDoes } from '../support/until.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const page = '/settings/holidays';

const isWorkday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() % 6 !== 0;

describe('The table of public holidays', () => {
  test('is what date-holidays says, of any place in any year', async () => {
    const places = await holidayPlaces();
    expect(places.length).toBeGreaterThan(600);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.integer({ min: 2000, max: 2050 }),
        async ({ code }, year) => {
          const listed = (await publicHolidays(code))?.filter(({ day }) =>
            day.startsWith(`${year}-`),
          );
          const expected = [...daysOf(code, year)].flatMap(([name, days]) =>
            [...days.matchAll(/(\d\d)(\d\d)/g)].map(([, month, day]) => ({
              day: `${year}-${month}-${day}`,
              name,
            })),
          );
          const inOrder = (all: object[] = []) => all.map((one) => JSON.stringify(one)).sort();
          expect(inOrder(listed)).toEqual(inOrder(expected));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('has the federal days off of the United States, as @18f/us-federal-holidays counts them', async () => {
    const listed = new Set((await publicHolidays('US'))?.map(({ day }) => day));
    for (let year = 2001; year <= 2050; year += 1) {
      // On a weekend, a federal holiday is observed on the Friday or the Monday.
      for (const { dateString, name } of allForYear(year)) {
        const [, month = '', day = ''] = dateString.split('-');
        const written = `${dateString.slice(0, 4)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
        if (isWorkday(written)) expect(listed.has(written), `${written} ${name}`).toBe(true);
      }
    }
  });

  test('has none of a place that there is not', async () => {
    for (const place of ['', 'XX', 'US-', 'US|', '*', '__proto__']) {
      expect(await publicHolidays(place)).toBeUndefined();
    }
  });
});

describe('The firm’s holidays', () => {
  test('are those of its country or a part of it, and days of its own', async () => {
    const firm = await makeFirm(server);
    const ada = await memberBrowser(server, firm, owner);
    const shown = async () => textsIn((await ada.get(page)).text, '#next li').join('\n');
    expect(await shown()).toBe('');
    const year = new Date().getUTCFullYear() + 1;
    expect((await ada.send(`${page}/place`, { holidaysOf: 'GB-SCT' })).status).toBe(303);
    const scottish = await sql`
      select day::text from holiday where firm_id = ${firm.id} and name = 'January 2nd'`;
    expect(scottish.length).toBeGreaterThan(20);
    expect(await shown()).toContain('Christmas Day');
    expect((await ada.get(page)).text).toContain('selected>United Kingdom: Scotland<');

    const own = { name: 'Founders’ day', day: `${year}-02-01` };
    const sent = await ada.send(`${page}/own`, own);
    expect(sent.status).toBe(303);
    expect((await ada.get(page)).text).toContain('Founders’ day');
    const again = await ada.send(`${page}/own`, { ...own, name: 'Another name' });
    expect(again.status).toBe(422);
    expect(again.text).toContain('This day is on the list already.');
    for (const wrong of [{ day: `${year}-02-30` }, { day: '' }, { name: ' ' }]) {
      const refused = await ada.send(`${page}/own`, { ...own, day: `${year}-02-02`, ...wrong });
      expect(refused.status).toBe(422);
    }

    // Another place takes the first one's days away, and leaves the firm's own.
    await ada.send(`${page}/place`, { holidaysOf: 'US-NY' });
    const names = await sql`select distinct name from holiday where firm_id = ${firm.id}`;
    const all = names.map(({ name }) => name);
    expect(all).toContain('Thanksgiving Day');
    expect(all).toContain('Founders’ day');
    expect(all).not.toContain('January 2nd');
    await ada.send(`${page}/place`, { holidaysOf: '' });
    const [{ id } = { id: '' }, ...others] = await sql<{ id: string }[]>`
      select id from holiday where firm_id = ${firm.id}`;
    expect(others).toEqual([]);
    expect((await ada.send(`${page}/own/${id}/remove`, {})).status).toBe(303);
    expect((await ada.get(page)).text).not.toContain('Founders’ day');
    expect((await ada.send(`${page}/own/${id}/remove`, {})).status).toBe(404);

    const entries = await sql<{ changes: Record<string, unknown> }[]>`
      select changes from audit_entry where firm_id = ${firm.id} and record_kind = 'firm'
        and changes ? 'holidaysOf' order by id`;
    expect(entries.map(({ changes }) => changes.holidaysOf)).toEqual([
      { before: null, after: 'GB-SCT' },
      { before: 'GB-SCT', after: 'US-NY' },
      { before: 'US-NY', after: null },
    ]);
  });

  test('are days in a row too: added at once, shown as one line, and removed together', async () => {
    const firm = await makeFirm(server);
    const ada = await memberBrowser(server, firm, owner);
    const add = (more: object) =>
      ada.send(`${page}/own`, { name: 'Closed', once: crypto.randomUUID(), ...more });
    const stored = async () =>
      (
        await sql`select day::text, name from holiday
          where firm_id = ${firm.id} and deleted_at is null order by day`
      ).map(({ day, name }) => `${day} ${name}`);
    await add({ name: 'Founders’ day', day: '2032-12-25' });
    expect((await add({ day: '2032-12-23', lastDay: '2032-12-27' })).status).toBe(303);
    const before = [
      '2032-12-23 Closed',
      '2032-12-24 Closed',
      '2032-12-25 Founders’ day',
      '2032-12-26 Closed',
      '2032-12-27 Closed',
    ];
    expect(await stored()).toEqual(before);
    const lines = textsIn((await ada.get(page)).text, '#own li').map((one) => one.trim());
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^Closed.*23 Dec(ember)? 2032 to .*24 Dec(ember)? 2032/);
    for (const [lastDay, words] of [
      ['2032-12-22', 'Last day must not be before the first day.'],
      ['2033-05-05', 'Last day must be at most 99 days after the first day.'],
    ]) {
      const refused = await add({ day: '2032-12-23', lastDay });
      expect(refused.status).toBe(422);
      expect(textsIn(refused.text, '#own .refusal')).toEqual([String(words)]);
    }
    const again = await add({ day: '2032-12-23', lastDay: '2032-12-27' });
    expect(again.status).toBe(422);
    expect(again.text).toContain('on the list already.');
    const [first] = attributesIn((await ada.get(page)).text, '#own li form', 'action');
    expect((await ada.send(String(first), { lastDay: '2032-12-24' })).status).toBe(303);
    expect(await stored()).toEqual(before.slice(2));
  });

  test('are not of another firm, and only who may change the firm sees the page', async () => {
    const [one, other] = [await makeFirm(server), await makeFirm(server)];
    const ada = await memberBrowser(server, one, owner);
    expect((await ada.send(`${page}/place`, { holidaysOf: 'DE-BY' })).status).toBe(303);
    expect((await ada.send(`${page}/place`, { holidaysOf: 'XX' })).status).toBe(422);
    expect(await sql`select from holiday where firm_id = ${other.id}`).toHaveLength(0);
    const ben = await memberBrowser(server, one, attorney);
    expect((await ben.get(page)).status).toBe(403);
    expect((await ben.send(`${page}/place`, { holidaysOf: '' })).status).toBe(403);
    await ada.send(`${page}/own`, { name: 'Closed', day: '2031-05-05' });
    const [{ id } = { id: '' }] = await sql<{ id: string }[]>`
      select id from holiday where firm_id = ${one.id} and is_own`;
    const eve = await memberBrowser(server, other, owner);
    expect((await eve.send(`${page}/own/${id}/remove`, {})).status).toBe(404);
  });

  test('are taken anew from the table of a newer version, and the firm’s own are kept', async () => {
    const firm = await makeFirm(server);
    const ada = await memberBrowser(server, firm, owner);
    await ada.send(`${page}/place`, { holidaysOf: 'FR' });
    await ada.send(`${page}/own`, { name: 'Closed', day: '2031-05-05' });
    await sql`update firm set holiday_edition = 'an older one' where id = ${firm.id}`;
    await sql`delete from holiday where firm_id = ${firm.id} and day = '2031-07-14'`;
    await sql`update job set run_at = moment() where kind = 'holiday_guard'`;
    const stored = async () => {
      const [row] = await sql<{ edition: string; days: number; own: number }[]>`
        select holiday_edition as edition,
          (select count(*)::int from holiday where firm_id = firm.id and day = '2031-07-14') as days,
          (select count(*)::int from holiday where firm_id = firm.id and is_own) as own
        from firm where id = ${firm.id}`;
      return row;
    };
    await untilItDoes(async () => (await stored())?.edition !== 'an older one');
    expect(await stored()).toEqual({ edition: await holidayEdition(), days: 1, own: 1 });
  });
});
