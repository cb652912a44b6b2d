/** What is done to several records of a list at once: by whom, to how many, and back again. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectAccessible, hasBrowser, phone, takePicture } from '../support/browser.ts';
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

const windowOf = windowsAt(server, () => firm);

/** Who works on each lead, by the leads' order. */
const assigned = async (): Promise<string[]> => {
  const sql = connect(server.databaseUrl);
  const rows = await sql<{ id: string; names: string }[]>`
    select lead_id::text as id, string_agg(member.name, ' and ' order by member.name) as names
    from lead_assignee join member on member.firm_id = lead_assignee.firm_id and member.id = member_id
    where lead_id = any(${ids}::uuid[]) group by lead_id`;
  await sql.end();
  return ids.map((id) => rows.find((row) => row.id === id)?.names ?? '');
};

const box = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Select Lead ${name}`, exact: true });
const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });
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
    await expectAccessible(window);
    await takePicture(window, 'bulk-add-1280-dark');
    await page.keyboard.press('Escape');
    await assign(page, 'Add assignee', 'Add', 'Ben Lane');
    await said(page, 'Assigned 4 leads to Ben Lane.').waitFor();
    expect(await page.locator('*:focus').textContent()).toBe('Add assignee');
    await bar(page).getByText('4 selected').waitFor();
    await assign(page, 'Add assignee', 'Add', 'Cy Moss');
    await said(page, 'Assigned 4 leads to Cy Moss.').waitFor();
    expect(await assigned()).toEqual(['', ...Array(4).fill('Ben Lane and Cy Moss'), '']);
    await assign(page, 'Replace assignees', 'Replace', 'Ada Harrow');
    await said(page, 'Assigned 4 leads to Ada Harrow, and to nobody else.').waitFor();
    expect(await assigned()).toEqual(['', ...Array(4).fill('Ada Harrow'), '']);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 4 leads.').waitFor();
    expect(await assigned()).toEqual(['', ...Array(4).fill('Ben Lane and Cy Moss'), '']);
    await bar(page).getByRole('button', { name: 'Clear' }).click();
    expect(await bar(page).isVisible()).toBe(false);
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
    await said(page, 'Undone for 1 of 2 leads: the others were changed since.').waitFor();
    const statusOf = async (id = '') => (await firm.owner.get(`/v1/leads/${id}`)).body.data.status;
    expect([await statusOf(ids[0]), await statusOf(ids[5])]).toEqual(['ARCHIVE', 'ACTIVE']);
    await page.goto('/leads?view=list');
    await page.clock.fastForward(60_000);
    expect(await line.isVisible()).toBe(false);
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
    await box(page, 'Three').press('Enter');
    await page.keyboard.press('x');
    await bar(page).getByText('1 selected').waitFor();
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
    await page.route('**/live', (route) => route.fulfill({ status: 204 }));
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
    await page.goto(list);
    await choose(54);
    await bar(page).getByRole('button', { name: 'Archive' }).click();
    await said(page, 'Archived 54 leads.').waitFor();
    await page.getByText('No lead matches.').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 54 leads.').waitFor();
    await page.getByText('1–50 of 54').waitFor();
    // One tick less, and it is about the ticked ones again.
    await choose(54);
    await page.getByRole('checkbox', { name: 'Select Many 51', exact: true }).uncheck();
    await bar(page).getByText('49 selected').waitFor();
    await bar(page).getByRole('button', { name: 'Archive' }).click();
    await said(page, 'Archived 49 leads.').waitFor();
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
