/** What is done to several records of a list at once: by whom, to how many, and back again. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { countedJob } from '../support/cost.ts';
import { connect } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
const ids: string[] = [];

beforeAll(async () => {
  firm = await makeFirm(server);
  for (const lastName of names) {
    const made = await firm.owner.post('/v1/leads', { firstName: 'Lead', lastName });
    ids.push(made.body.data.id);
  }
});

const windowsIn = (firmOf: () => Firm) => windowsAt(server, firmOf);
const windowOf = windowsIn(() => firm);

/** Who works on each lead, by the leads' order. */
const assigned = async (leads = ids): Promise<string[]> => {
  const sql = connect(server.databaseUrl);
  const rows = await sql<{ id: string; names: string }[]>`
    select lead_id::text as id, string_agg(member.name, ' and ' order by member.name) as names
    from lead_assignee join member on member.firm_id = lead_assignee.firm_id and member.id = member_id
    where lead_id = any(${leads}::uuid[]) group by lead_id`;
  await sql.end();
  return leads.map((id) => rows.find((row) => row.id === id)?.names ?? '');
};

const box = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Select Lead ${name}`, exact: true });
const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });
/** What is done to many for longer than two seconds has a page of its own: back to the list then. */
const backOn = async (page: Page, list: string) => {
  if (new URL(page.url()).pathname.startsWith('/bulk/')) await page.goto(list);
};
const bar = (page: Page) => page.getByRole('region', { name: 'For the selected leads' });
const assign = async (page: Page, button: string, verb: string, name: string) => {
  await bar(page).getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog', { name: button });
  await dialog.getByRole('checkbox', { name }).check();
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
};

describe.skipIf(!hasBrowser)('Several leads', () => {
  test('are ticked with Shift and by X, and get one assignee more, or others instead', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.goto('/leads?view=list');
    await box(page, 'Five').click();
    await box(page, 'Two').click({ modifiers: ['Shift'] });
    await bar(page).getByText('4 selected').waitFor();
    await page.getByRole('link', { name: 'Lead Three', exact: true }).focus();
    await page.keyboard.press('x');
    await bar(page).getByText('3 selected').waitFor();
    await page.keyboard.press('x');
    await bar(page).getByText('4 selected').waitFor();
    await takePicture(window, 'bulk-1280');
    await bar(page).getByRole('button', { name: 'Add assignee' }).click();
    const asked = page.getByRole('dialog', { name: 'Add assignee' });
    await asked.getByText('4 are selected.').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'bulk-add-1280-dark');
    await page.keyboard.press('Escape');
    await assign(page, 'Add assignee', 'Add', 'Ben Lane');
    await said(page, 'Assigned 4 leads to Ben Lane.').waitFor();
    await expectSoon(() => page.locator('*:focus').textContent(), 'Add assignee');
    await bar(page).getByText('4 selected').waitFor();
    // Those of before are still ticked: the question says how many it is about.
    await page.getByRole('link', { name: 'Lead One', exact: true }).focus();
    await page.keyboard.press('x');
    await page.keyboard.press('a');
    await asked.getByText('5 are selected.').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    await bar(page).getByText('4 selected').waitFor();
    await assign(page, 'Add assignee', 'Add', 'Cy Moss');
    await said(page, 'Assigned 4 leads to Cy Moss.').waitFor();
    expect(await assigned()).toEqual(['', ...Array(4).fill('Ben Lane and Cy Moss'), '']);
    await assign(page, 'Replace assignees', 'Replace', 'Ada Harrow');
    await said(page, 'Assigned 4 leads to Ada Harrow, and to nobody else.').waitFor();
    expect(await assigned()).toEqual(['', ...Array(4).fill('Ada Harrow'), '']);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 4 leads.').waitFor();
    await expectSoon(() => page.locator('*:focus').textContent(), 'Replace assignees');
    expect(await assigned()).toEqual(['', ...Array(4).fill('Ben Lane and Cy Moss'), '']);
    await bar(page).getByRole('button', { name: 'Clear' }).click();
    await bar(page).waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('are assigned, five of them, in 13 keys or 5 clicks', async () => {
    const own = await makeFirm(server);
    for (let at = 0; at < 7; at += 1)
      await own.owner.post('/v1/leads', { lastName: `Caller ${at}` });
    const { page, complaints } = await windowsIn(() => own)(owner);
    const rows = page.getByRole('checkbox', { name: /^Select Caller/ });
    const job = async (
      name: string,
      to: string,
      work: (job: ReturnType<typeof countedJob>) => Promise<void>,
    ) => {
      await page.goto('/leads?view=list');
      await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
      const counted = countedJob(page, `Assign five leads at once, ${name}`);
      await work(counted);
      await said(page, `Assigned 5 leads to ${to}.`).waitFor();
      counted.said();
      return counted.cost;
    };
    const byKeys = await job('by keys', 'Ben Lane', async ({ press }) => {
      for (let row = 0; row < 5; row += 1) await press('j', 'x');
      await press('a');
      await page.getByRole('dialog', { name: 'Add assignee' }).waitFor();
      await press('b', 'Enter');
    });
    expect(byKeys).toEqual({ keys: 13, letters: 0, clicks: 0 });
    const byMouse = await job('by mouse', 'Cy Moss', async ({ click }) => {
      await click(rows.nth(0));
      await click(rows.nth(4), 'Shift');
      await click(bar(page).getByRole('button', { name: 'Add assignee' }));
      const dialog = page.getByRole('dialog', { name: 'Add assignee' });
      await click(dialog.getByRole('checkbox', { name: 'Cy Moss' }));
      await click(dialog.getByRole('button', { name: 'Add', exact: true }));
    });
    expect(byMouse).toEqual({ keys: 0, letters: 0, clicks: 5 });
    expect(complaints).toEqual([]);
  });

  test('are counted, with what can be done with them, also far down the list; no row is behind it', async () => {
    const own = await makeFirm(server);
    const calls = Array.from({ length: 30 }, (_, at) =>
      own.owner.post('/v1/leads', { lastName: `Caller ${at}` }),
    );
    await Promise.all(calls);
    const { page, complaints } = await windowsIn(() => own)(owner);
    await page.goto('/leads?view=list');
    await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
    for (let row = 0; row < 25; row += 1) {
      await page.keyboard.press('j');
      await page.keyboard.press('x');
    }
    const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { y: -1, height: 0 };
    const count = bar(page).getByText('25 selected');
    await count.waitFor();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(200);
    expect((await boxOf(count)).y).toBeGreaterThan(47);
    for (let row = 0; row < 20; row += 1) {
      await page.keyboard.press('k');
      const { y, height } = await boxOf(bar(page));
      expect((await boxOf(page.locator('tbody a:focus'))).y).toBeGreaterThanOrEqual(y + height);
    }
    await bar(page).getByRole('button', { name: 'Clear' }).click();
    await bar(page).waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('come back by Undo for an hour, without those that a colleague has changed since', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/leads?view=list');
    for (const name of ['One', 'Six']) await box(page, name).check();
    await bar(page).getByRole('button', { name: 'Archive' }).click();
    await said(page, 'Archived 2 leads.').waitFor();
    await firm.owner.patch(`/v1/leads/${ids[0]}`, { value: 'HIGH' });
    // Another page, and back: the words below it are gone by then.
    await page.clock.install();
    await page.goto('/leads?view=list');
    const line = page.locator('.last-done');
    await page.clock.fastForward(59 * 60_000);
    await line.getByText('Archived 2 leads.').waitFor();
    await line.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 1 of 2 leads: the other was changed since.').waitFor();
    const statusOf = async (id = '') => (await firm.owner.get(`/v1/leads/${id}`)).body.data.status;
    expect([await statusOf(ids[0]), await statusOf(ids[5])]).toEqual(['ARCHIVE', 'ACTIVE']);
    await page.goto('/leads?view=list');
    await page.clock.fastForward(60_000);
    await line.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('come back by Undo if one of them was refused: at once, and for an hour', async () => {
    const area = firm.practiceAreas.Family?.id;
    const make = async (lastName: string, more: object = {}) => {
      const sent = { firstName: 'Lead', lastName, practiceAreaId: area, ...more };
      return (await firm.owner.post('/v1/leads', sent)).body.data.id as string;
    };
    const [open, held] = [await make('Open'), await make('Held', { isPrivate: true })];
    const window = await windowOf(owner);
    const { page, complaints } = window;
    const list = `/leads?view=list&area=${area}`;
    await page.goto(list);
    const tickBoth = async () => {
      for (const name of ['Open', 'Held']) await box(page, name).check();
    };
    await tickBoth();
    await assign(page, 'Add assignee', 'Add', 'Ben Lane');
    await said(page, 'Assigned 2 leads to Ben Lane.').waitFor();
    const refuseOne = async () => {
      await bar(page).getByRole('button', { name: 'Replace assignees' }).click();
      const dialog = page.getByRole('dialog', { name: 'Replace assignees' });
      await dialog.getByRole('button', { name: 'Replace', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: '1 of 2 leads was changed.' }).waitFor();
    };
    const before = ['Ben Lane', 'Ada Harrow and Ben Lane'];
    expect(await assigned([open, held])).toEqual(before);
    await refuseOne();
    expect(await assigned([open, held])).toEqual(['', 'Ada Harrow and Ben Lane']);
    await page.getByRole('alert').getByText('A private lead needs somebody').waitFor();
    // A colleague's change renews the list: why one was refused is still there.
    await firm.owner.patch(`/v1/leads/${held}`, { value: 'HIGH' });
    await page.getByRole('cell', { name: 'High', exact: true }).waitFor();
    await page.getByRole('alert').getByText('A private lead needs somebody').waitFor();
    await takePicture(window, 'bulk-partly-refused-1280');
    await expectAccessible(window);
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 1 lead.').waitFor();
    expect(await assigned([open, held])).toEqual(before);
    // The page is opened anew: the Undo of an hour.
    await page.goto(list);
    await tickBoth();
    await refuseOne();
    await page.clock.install();
    await page.goto('/leads?view=list');
    const line = page.locator('.last-done');
    await page.clock.fastForward(59 * 60_000);
    await line.getByText('1 of 2 leads was changed.').waitFor();
    await line.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 1 lead.').waitFor();
    expect(await assigned([open, held])).toEqual(before);
    expect(complaints).toEqual([]);
  });

  test('keep their ticks while a colleague changes one of them; Enter in a tick presses no button', async () => {
    const { page } = await windowOf(owner);
    await page.goto('/leads?view=list');
    await box(page, 'Two').check();
    await box(page, 'Three').check();
    const before = await assigned();
    await firm.owner.patch(`/v1/leads/${ids[1]}`, { value: 'LOWEST' });
    await page.getByRole('cell', { name: 'Lowest' }).waitFor();
    await bar(page).getByText('2 selected').waitFor();
    await box(page, 'Five').click({ modifiers: ['Shift'] });
    await bar(page).getByText('4 selected').waitFor();
    await box(page, 'Three').press('Enter');
    await page.keyboard.press('x');
    await bar(page).getByText('3 selected').waitFor();
    expect(await assigned()).toEqual(before);
    const stages = await firm.owner.get('/v1/leads');
    for (const lead of stages.body.data) {
      expect(lead.leadStageColumnId).toBe(firm.leadStages.New);
    }
  });

  test('are all chosen that match, also on other pages; if their number has changed, one is asked again', async () => {
    const area = firm.practiceAreas.Estates?.id;
    const make = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        await firm.owner.post('/v1/leads', { lastName: `Many ${at}`, practiceAreaId: area });
      }
    };
    await make(53);
    const { page, complaints } = await windowOf(owner);
    // A colleague's change comes without a word.
    await page.route('**/live*', (route) => route.fulfill({ status: 204 }));
    const list = `/leads?view=list&area=${area}`;
    const choose = async (total: number) => {
      await page.getByRole('checkbox', { name: 'Select Many 52', exact: true }).check();
      await bar(page).getByText('1 selected').waitFor();
      await bar(page)
        .getByRole('button', { name: `Select all ${total} that match` })
        .click();
      await bar(page).getByText(`${total} selected`).waitFor();
    };
    await page.goto(list);
    await choose(53);
    await make(1);
    await bar(page).getByRole('button', { name: 'Archive' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'You selected 53 leads, but 54 match' })
      .waitFor();
    await page.unroute('**/live*');
    await page.goto(list);
    await choose(54);
    await bar(page).getByRole('button', { name: 'Archive' }).click();
    await said(page, 'Archived 54 leads.').first().waitFor();
    await backOn(page, list);
    await page.getByText('No leads match these filters.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await said(page, 'Undone for 54 leads.').first().waitFor();
    await backOn(page, list);
    await page.getByText('1–50 of 54').waitFor();
    // One tick less, and it is about the ticked ones again.
    await choose(54);
    await page.getByRole('checkbox', { name: 'Select Many 51', exact: true }).uncheck();
    await bar(page).getByText('49 selected').waitFor();
    await bar(page).getByRole('button', { name: 'Archive' }).click();
    await said(page, 'Archived 49 leads.').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('are changed by a job from 501 on: its page says how far it is and leads back to the list, with Undo', async () => {
    const own = await makeFirm(server);
    const make = (at: number) => own.owner.post('/v1/leads', { lastName: `Hundred ${at}` });
    let newest = '';
    for (let at = 0; at < 620; at += 20) {
      const made = await Promise.all(Array.from({ length: 20 }, (_, more) => make(at + more)));
      newest = made[0]?.body.data.id;
    }
    const { page, complaints } = await windowsIn(() => own)(owner);
    await page.goto('/leads?view=list');
    await page.getByRole('checkbox', { name: 'Select all 50' }).check();
    await bar(page).getByRole('button', { name: 'Select all 620 that match' }).click();
    await bar(page).getByText('620 selected').waitFor();
    // A colleague's change renews the list: they are still all chosen.
    await own.owner.patch(`/v1/leads/${newest}`, { value: 'HIGH' });
    await page.getByRole('cell', { name: 'High', exact: true }).waitFor();
    await bar(page).getByText('620 selected').waitFor();
    const sql = connect(server.databaseUrl);
    /** Somebody else holds a lead in the middle, until the page has said how far it is. */
    const meanwhile = async (press: () => Promise<void>, words: RegExp, begun: string) => {
      await sql.begin(async (held) => {
        await held`select from lead where firm_id = ${own.id} and number = 'L-0310' for update`;
        await press();
        await said(page, begun).waitFor();
        await page.getByText(words).waitFor();
      });
      await page.waitForURL(/\/leads\?view=list$/);
    };
    const archive = () => bar(page).getByRole('button', { name: 'Archive' }).click();
    const begun = '620 leads are being changed.';
    await meanwhile(archive, /^[1-3]\d\d of 620 leads done\. You can leave this page/, begun);
    await said(page, 'Archived 620 leads.').waitFor();
    const active = async () => {
      const [found] = await sql<{ count: number }[]>`
        select count(*)::int as count from lead where firm_id = ${own.id} and status = 'ACTIVE'`;
      return found?.count;
    };
    expect(await active()).toBe(0);
    // A colleague takes one up again: the undo leaves it.
    await own.owner.patch(`/v1/leads/${newest}`, { value: 'LOW' });
    const undo = () => page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    const undoing = 'The change of 620 leads is being undone.';
    await meanwhile(undo, /^[1-3]\d\d of 620 leads looked at\. You can leave this page/, undoing);
    await said(page, 'Undone for 619 of 620 leads: the other was changed since.').waitFor();
    expect(await active()).toBe(619);
    // The way back leads over no page of the progress, which has ended.
    await page.goBack();
    await page.waitForURL(/\/leads\?view=list$/);
    await sql.end();
    expect(complaints).toEqual([]);
  });

  test('that take long have a page: how far it is, what was refused and why, and Undo', async () => {
    const own = await makeFirm(server);
    const make = (lastName: string, isPrivate: boolean) =>
      own.owner.post('/v1/leads', { lastName, isPrivate });
    const windowOf = windowsIn(() => own);
    for (let at = 0; at < 22; at += 1) await make(`Held ${at}`, true);
    await make('Open', false);
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.goto('/leads?view=list');
    await page.getByRole('checkbox', { name: 'Select all 23' }).check();
    await assign(page, 'Add assignee', 'Add', 'Ben Lane');
    await said(page, 'Assigned 23 leads to Ben Lane.').first().waitFor();
    await backOn(page, '/leads?view=list');
    await page.getByRole('checkbox', { name: 'Select all 23' }).check();
    await bar(page).getByRole('button', { name: 'Replace assignees' }).click();
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByRole('heading', { name: 'Assign 23 leads' }).waitFor();
    await said(page, '1 of 23 leads was changed.').first().waitFor();
    const refused = page.getByRole('region', { name: 'Not changed: 22 leads' });
    await expectSoon(() => refused.getByText('A private lead needs somebody').count(), 22);
    await refused.getByRole('link', { name: /^L-/ }).first().waitFor();
    await expectAccessible(window);
    await takePicture(window, 'bulk-refused-1280');
    // A list that is opened meanwhile offers the Undo too.
    await page.clock.install();
    await page.goto('/leads?view=list');
    await page.clock.fastForward(60_000);
    await page.locator('.last-done').getByText('1 of 23 leads was changed.').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await said(page, 'Undone for 1 lead.').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().waitFor({ state: 'detached' });
    // One that is under way.
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const sql = connect(server.databaseUrl);
    await sql`delete from job where ref = ${id}`;
    await sql`update bulk_change set done_at = null, undo_begun_at = null, undone_at = null,
      counts = counts || '{"all": 1240, "done": 300, "changed": 300}' where id = ${id}`;
    await sql.end();
    await page.reload();
    await page.getByText('300 of 1,240 leads done. You can leave this page').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'bulk-under-way-1280');
    await page.goto('/leads?view=list');
    await page.clock.fastForward(60_000);
    await page.locator('.last-done').getByRole('button', { name: 'See the progress' }).click();
    await page.getByText('300 of 1,240 leads done.').waitFor();
    const small = await windowOf(owner, { ...phone, colorScheme: 'dark' });
    await small.page.goto(`/bulk/${id}`);
    await expectAccessible(small);
    await takePicture(small, 'bulk-under-way-390-dark');
    // It is nobody else's.
    const other = await windowOf(attorney);
    expect((await other.page.goto(`/bulk/${id}`))?.status()).toBe(404);
    expect(complaints).toEqual([]);
  });

  test('are all ticked by the head’s box, also before its script has come; it agrees with the rows', async () => {
    const three = await makeFirm(server);
    const last = names.slice(0, 3);
    for (const lastName of last)
      await three.owner.post('/v1/leads', { firstName: 'Lead', lastName });
    const { page, complaints } = await windowsIn(() => three)(owner);
    const isTicked = Promise.withResolvers<void>();
    await page.route('**/*.js', async (route) => {
      await isTicked.promise;
      await route.continue();
    });
    await page.goto('/leads?view=list', { waitUntil: 'commit' });
    const head = page.getByRole('checkbox', { name: 'Select all 3' });
    await head.check();
    isTicked.resolve();
    await bar(page).getByText('3 selected').waitFor();
    for (const name of last) expect(await box(page, name).isChecked()).toBe(true);
    await box(page, 'Two').uncheck();
    await bar(page).getByText('2 selected').waitFor();
    expect(await head.isChecked()).toBe(false);
    await box(page, 'Two').check();
    await bar(page).getByText('3 selected').waitFor();
    expect(await head.isChecked()).toBe(true);
    for (const name of last) await box(page, name).uncheck();
    await bar(page).waitFor({ state: 'hidden' });
    expect(await head.isChecked()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('are assigned without a script too, and on a phone', async () => {
    const { page } = await windowOf(owner, { ...phone, javaScriptEnabled: false });
    await page.goto('/leads?view=list');
    await box(page, 'Four').check();
    await assign(page, 'Replace assignees', 'Replace', 'Ada Harrow');
    expect((await assigned())[3]).toBe('Ada Harrow');
  });
});

describe.skipIf(!hasBrowser)('Several matters', () => {
  test('get responsible staff, or others instead; attorneys stay, and Undo brings the team back', async () => {
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const matters: string[] = [];
    for (const title of ['First', 'Second', 'Third']) {
      const team = [{ memberId: firm.members[owner], allocation: 40 }];
      const sent = { title, practiceAreaId, team, openDate: '2026-03-03' };
      const made = await firm.owner.post('/v1/matters', sent);
      matters.push(made.body.data.id);
    }
    const teams = () =>
      Promise.all(
        matters.map(async (id) => {
          const { team } = (await firm.owner.get(`/v1/matters/${id}`)).body.data;
          return (team as { name: string; role: string }[])
            .map(
              ({ name, role }) => `${name} ${role === 'RESPONSIBLE_STAFF' ? 'staff' : 'attorney'}`,
            )
            .join(', ');
        }),
      );
    const window = await windowOf(owner);
    const { page, complaints } = window;
    const buttons = page.getByRole('region', { name: 'For the selected matters' });
    const give = async (button: string, verb: string, name: string, hint: string) => {
      await buttons.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: button });
      await dialog.getByText(hint).waitFor();
      await dialog.getByRole('checkbox', { name }).check();
      await takePicture(window, `bulk-matters-${verb}-1280`);
      await dialog.getByRole('button', { name: verb, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    };
    await page.goto('/matters?view=list');
    await page.getByRole('checkbox', { name: 'Select First', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Select Third', exact: true }).check();
    await give('Add assignee', 'Add', 'Cy Moss', 'They join the team as responsible staff.');
    await said(page, 'Added Cy Moss to the responsible staff of 2 matters.').waitFor();
    await expectSoon(() => page.locator('*:focus').textContent(), 'Add assignee');
    const [ada, cy] = ['Ada Harrow attorney', 'Ada Harrow attorney, Cy Moss staff'];
    expect(await teams()).toEqual([cy, ada, cy]);
    await give('Replace assignees', 'Replace', 'Ben Lane', 'The attorneys stay.');
    const words = 'Responsible staff of 2 matters: Ben Lane, and nobody else.';
    await said(page, words).waitFor();
    const ben = 'Ada Harrow attorney, Ben Lane staff';
    expect(await teams()).toEqual([ben, ada, ben]);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 2 matters.').waitFor();
    expect(await teams()).toEqual([cy, ada, cy]);
    await buttons.getByRole('button', { name: 'Replace assignees' }).click();
    await expectAccessible(window);
    expect(complaints).toEqual([]);
  });

  test('are archived together: a colleague is told once of all their events, and again of the next ones', async () => {
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const make = async (title: string, ...events: string[]) => {
      const sent = { title, practiceAreaId, openDate: '2026-03-03' };
      const matterId = (await firm.owner.post('/v1/matters', sent)).body.data.id as string;
      const day = { startDate: '2099-03-11', endDate: '2099-03-11' };
      for (const one of events) {
        const event = { matterId, title: one, ...day, guests: [attorney] };
        expect((await firm.owner.post('/v1/calendar-events', event)).status).toBe(201);
      }
    };
    await make('Quill v. Rook', 'Hearing', 'Signing');
    await make('Marsh v. Fenn', 'Mediation');
    await make('Pell v. Dane', 'First meeting', 'Second meeting');
    await make('Lark v. Moss');
    const ben = await windowOf(attorney);
    await ben.page.goto('/inbox');
    const { page, complaints } = await windowOf(owner);
    const archive = async (...titles: string[]) => {
      await page.goto('/matters?view=list');
      for (const title of titles) {
        await page.getByRole('checkbox', { name: `Select ${title}`, exact: true }).check();
      }
      const buttons = page.getByRole('region', { name: 'For the selected matters' });
      await buttons.getByRole('button', { name: 'Archive' }).click();
      await said(page, `Archived ${titles.length} matters.`).waitFor();
    };
    const cancelled = () => ben.page.getByRole('link', { name: /cancelled/i }).allTextContents();
    await archive('Quill v. Rook', 'Marsh v. Fenn');
    await expectSoon(cancelled, ['3 events cancelled']);
    await takePicture(ben, 'bulk-cancelled-1280');
    await archive('Pell v. Dane', 'Lark v. Moss');
    await expectSoon(cancelled, ['2 events cancelled', '3 events cancelled']);
    await ben.page.getByRole('link', { name: '2 events cancelled' }).click();
    await ben.page.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor();
    await expectAccessible(ben);
    expect([...complaints, ...ben.complaints]).toEqual([]);
  });

  test('are all chosen that match, also if they are more than the list counts, and again after one joined', async () => {
    const own = await makeFirm(server);
    const [count, area] = [2_600, own.practiceAreas.Estates];
    const sql = connect(server.databaseUrl);
    await sql`
      insert into matter (firm_id, id, ordinal, number, title, status, open_date, practice_area_id, stage_id,
        custom_fields, findable_by, times_archived, created_at, updated_at)
      select ${own.id}, gen_random_uuid(), n, 'N-' || n, 'Lease ' || n, 'ACTIVE', date '2026-01-01',
        ${area?.id ?? ''}::uuid, ${area?.stages.Intake ?? ''}::uuid, '{}', '', 0, now(), now()
      from generate_series(1, ${count}) n`;
    await sql`update register set live = ${count}, last_ordinal = ${count}
      where firm_id = ${own.id} and kind = 'matter'`;
    const active = async () => {
      const [found] = await sql<{ count: number }[]>`
        select count(*)::int as count from matter where firm_id = ${own.id} and status = 'ACTIVE'`;
      return found?.count;
    };
    const window = await windowsIn(() => own)(owner);
    const { page, complaints } = window;
    const list = `/matters?view=list&area=${area?.id}`;
    const buttons = page.getByRole('region', { name: 'For the selected matters' });
    const choose = async (total: string) => {
      await page.goto(list);
      await page.getByText('1–50 of more than 2,500').waitFor();
      await page.getByRole('checkbox', { name: 'Select all 50' }).check();
      await buttons.getByRole('button', { name: 'Select all that match' }).click();
      await buttons.getByText(`${total} selected`).waitFor();
      await page.locator('.bulk .button:focus').first().waitFor();
    };
    await choose('2,600');
    await takePicture(window, 'bulk-matters-all-1280');
    await buttons.getByRole('button', { name: 'Archive' }).click();
    await page.waitForURL(/\/bulk\//);
    await page.waitForURL(/\/matters\?/, { timeout: 400_000 });
    await said(page, 'Archived 2,600 matters.').first().waitFor();
    expect(await active()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.waitForURL(/\/bulk\//);
    await page.waitForURL(/\/matters\?/, { timeout: 400_000 });
    await said(page, 'Undone for 2,600 matters.').first().waitFor();
    expect(await active()).toBe(count);
    await page.route('**/live*', (route) => route.fulfill({ status: 204 }));
    await choose('2,600');
    const made = await own.owner.post('/v1/matters', {
      ...{ title: 'Late', practiceAreaId: area?.id, openDate: '2026-03-03' },
    });
    expect(made.status).toBe(201);
    await buttons.getByRole('button', { name: 'Archive' }).click();
    const changed = 'You selected 2,600 matters, but 2,601 match now';
    await page.getByRole('alert').filter({ hasText: changed }).waitFor();
    expect(await active()).toBe(count + 1);
    // Fewer are ticked by hand, and it is about these.
    await choose('2,601');
    await page.getByRole('checkbox', { name: 'Select Late', exact: true }).uncheck();
    await buttons.getByText('49 selected').waitFor();
    await expectAccessible(window);
    await sql.end();
    expect(complaints).toEqual([]);
  });
});
