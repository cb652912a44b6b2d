/** Refusals are of one kind, also those that a browser would word by itself. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let lead: string;
let matter: string;
let matterNumber: string;
beforeAll(async () => {
  firm = await makeFirm(server);
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const made = await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Quill' });
  lead = `/leads/${made.body.data.id}`;
  const opened = await firm.owner.post('/v1/matters', {
    title: 'Quill',
    openDate: '2026-01-01',
    practiceAreaId,
    solDate: '2031-01-31',
  });
  matter = `/matters/${opened.body.data.id}`;
  matterNumber = opened.body.data.publicId;
});
const windowOf = windowsAt(server, () => firm);

/** The alert has the focus; its link leads to the field, which says the same, and is seen with its label. */
const expectRefused = async (page: Page, said: string) => {
  const alert = page.getByRole('alert');
  const link = alert.getByRole('link', { name: said });
  await link.waitFor();
  await page.waitForFunction(
    () => document.activeElement === document.querySelector('[role=alert]'),
  );
  const id = (await link.getAttribute('href'))?.slice(1) ?? '';
  await link.click();
  const field = page.locator(`[id="${id}"]`);
  await page.waitForFunction((one) => document.activeElement?.id === one, id);
  await expectSoon(() => field.getAttribute('aria-invalid'), 'true');
  const by = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const words = await Promise.all(by.map((one) => page.locator(`[id="${one}"]`).textContent()));
  expect(words).toContain(said);
  const [box, bar] = [await field.boundingBox(), await page.locator('.bar').boundingBox()];
  const isInDialog = await field.evaluate((one) => one.closest('dialog') !== null);
  if (!isInDialog) expect(box?.y).toBeGreaterThanOrEqual((bar?.height ?? 0) + 20);
  expect(box?.y).toBeLessThan(page.viewportSize()?.height ?? 0);
};

describe.skipIf(!hasBrowser)('What is refused', () => {
  test('says so above and at the field, on pages and in dialogs, as often as it is sent', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    const main = page.getByRole('main');
    const cases = [
      ['/calendar/new', 'Add event', /^Enter a title\.$/],
      ['/tasks/new', 'Add task', /^Enter a task\.$/],
      ['/settings/members', 'Invite', /^Enter a name\.$/],
      ['/settings/date-rules', 'Create rule', /^Enter a name\.$/],
      ['/settings/task-lists', 'Create task list', /^Enter a name\.$/],
    ] as const;
    for (const [path, button, said] of cases) {
      await page.goto(path);
      const send = page.getByRole('button', { name: button }).last();
      if (path.startsWith('/settings')) {
        await main
          .getByRole('button', { name: /Invite|New rule|New task list/ })
          .first()
          .click();
        await page.getByRole('dialog').waitFor();
      }
      for (const press of ['once', 'again']) {
        await send.click();
        const link = page.getByRole('alert').getByRole('link').first();
        await link.waitFor();
        await expectSoon(() => link.textContent(), expect.stringMatching(said), `${path} ${press}`);
        await expectRefused(page, (await link.textContent()) ?? '');
      }
      await expectAccessible(window);
    }
    expect(complaints).toEqual([]);
  });

  test('a lead that is not hired without a reason: Choose a reason.', async () => {
    const window = await windowOf(attorney);
    const { page } = window;
    await page.goto(lead);
    await page.locator('[data-opens="not-hired"]').first().click();
    const dialog = page.getByRole('dialog', { name: 'Not hired' });
    for (const _ of ['once', 'again']) {
      await dialog.getByRole('button', { name: 'Not hired' }).click();
      await expectRefused(page, 'Choose a reason.');
    }
    await takePicture(window, 'not-hired-refused');
  });

  test('a limitation date that changes without a reason', async () => {
    const window = await windowOf(attorney);
    const { page } = window;
    await page.goto(matter);
    await page
      .getByRole('group', { name: 'Dates' })
      .getByRole('button', { name: 'Change' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=date]').first().fill('2031-02-28');
    await dialog
      .getByRole('button', { name: /Change|Save|Set/ })
      .last()
      .click();
    await expectRefused(page, 'Say why the date changes.');
  });

  test('names all that is wrong with an event at once, in the order of the form, as often as it is sent', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    const alert = page.getByRole('alert');
    const said = () => alert.getByRole('link').allTextContents();
    await page.goto('/calendar/new');
    await page.getByText('Repeats until (optional)').waitFor();
    await page.getByLabel('Day', { exact: true }).fill('2026-12-14');
    await page.getByLabel('Ends on').fill('2026-12-01');
    await page.getByLabel('Repeats', { exact: true }).selectOption('Every week');
    await page.getByLabel('Repeats until').fill('2026-12-02');
    await page.getByLabel('Others invited').fill('nobody\nzoe@quill.example\nno one');
    await page.getByLabel('Title').focus();
    await page.keyboard.press('Enter');
    const wrong = [
      'Enter a title.',
      'Enter a matter.',
      'Enter the time it starts, or tick “All day”.',
      'Ends on must not be before the first day.',
      'Repeats until must not be before the day of the event.',
      'Others invited must be email addresses, one per line: “nobody”, “no”, “one” are none.',
    ];
    await expectSoon(said, wrong);
    await takePicture(window, 'event-all-refused-1280');
    await expectAccessible(window);
    await page.getByLabel('Title').fill('Trial');
    await page.getByLabel('Starts').fill('10:00');
    await page.keyboard.press('Control+Enter');
    await expectSoon(said, [wrong[1], ...wrong.slice(3)] as string[]);
    await page.getByRole('combobox', { name: 'Matter' }).fill(matterNumber);
    await page.getByLabel('Ends on').fill('2026-12-15');
    await page.getByLabel('Repeats until').fill('2026-12-21');
    await page.getByLabel('Others invited').fill('zoe@quill.example');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Events added: Trial, every week.').waitFor();
    // The same on the page of an event.
    await page.goto('/calendar?view=agenda&whose=all&day=2026-12-14');
    await page.getByRole('link', { name: 'Trial' }).first().click();
    await page.getByLabel('Title').fill(' ');
    await page.getByLabel('Ends on').fill('2026-12-01');
    await page.getByLabel('Others invited').fill('nobody');
    await page.keyboard.press('Control+Enter');
    const nobody = 'Others invited must be email addresses, one per line: “nobody” is none.';
    await expectSoon(said, [wrong[0], wrong[3], nobody] as string[]);
    expect(complaints).toEqual([]);
  });

  test('a date that is typed by half is not sent as none', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/calendar/new');
    await page.getByLabel('Day', { exact: true }).focus();
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Add event' }).click();
    await page.getByRole('alert').getByRole('link', { name: 'Day is incomplete, or' }).waitFor();
    expect(page.url()).toEndWith('/calendar/new');
    expect(complaints).toEqual([]);
  });

  test('a filter that is typed by half is not left out without a word, and one that says nothing is', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto('/leads?view=list&do=filters');
    const dialog = page.getByRole('dialog', { name: 'More filters' });
    await dialog.getByLabel('Created from').focus();
    await page.keyboard.type('11');
    await dialog.getByRole('button', { name: 'Show' }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByRole('heading', { name: 'There is a problem' }).waitFor();
    await alert.getByRole('link', { name: 'Created from is incomplete, or' }).waitFor();
    await takePicture(window, 'filter-by-half');
    await dialog.getByLabel('Created from').fill('');
    await dialog.getByLabel('Waiting at least (days)').fill('0');
    await dialog.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL('**waiting=0**');
    await page.getByRole('link', { name: 'Quill' }).first().waitFor();
    await page.getByRole('link', { name: /^Remove the filter/ }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('a day of the year 26 is a year of two digits', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/tasks/new?matter=${matter.split('/').at(-1)}`);
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Call the court');
    for (const [day, year] of [
      ['0026-12-04', 26],
      ['0202-12-04', 202],
    ] as const) {
      await page.getByLabel('Due on').fill(day);
      await page.getByRole('button', { name: 'Add task' }).click();
      const said = `Due on is in the year ${year}. Enter all four digits of the year.`;
      await page.getByRole('alert').getByRole('link', { name: said }).waitFor();
    }
    await page.getByLabel('Due on').fill('2091-12-04');
    await page.getByRole('button', { name: 'Add task' }).click();
    await page.getByText('Task added: Call the court.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('on a phone: the field is seen between the two bars', async () => {
    const window = await windowOf(attorney, phone);
    const { page } = window;
    await page.goto('/calendar/new');
    await page.getByRole('button', { name: 'Add event' }).click();
    const link = page.getByRole('alert').getByRole('link').first();
    await link.waitFor();
    await takePicture(window, 'event-refused-390');
    await expectAccessible(window);
    await expectRefused(page, (await link.textContent()) ?? '');
  });

  test('is said without a script, too', async () => {
    const { page } = await windowOf(attorney, { javaScriptEnabled: false });
    await page.goto('/tasks/new');
    await page.getByRole('button', { name: 'Add task' }).click();
    const link = page.getByRole('alert').getByRole('link').first();
    await expectSoon(() => link.textContent(), expect.stringMatching(/^Enter a/));
    await page.locator('form:not([novalidate]) [required]').first().waitFor({ state: 'detached' });
  });
});
