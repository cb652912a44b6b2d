/** The next caller is somebody else: what was typed before is offered, and never mixed with what comes. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { attorney, type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server);
});
const windowsOf = (firm: Firm) => windowsAt(server, () => firm);
const windowOf = windowsAt(server, () => firm);

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const offer = (page: Page) => page.getByText(/^You have an unfinished/);

/** The form stands ready: its script keeps what is typed from now on. */
const isReady = (page: Page) => page.waitForSelector('form[data-kept-at]');

const open = async (page: Page, path: string) => {
  await page.goto(path);
  await isReady(page);
};

const startLead = async (page: Page) => {
  await page.keyboard.press('n');
  await page.waitForURL('**/leads/new');
  await isReady(page);
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'firstName');
};

const values = (page: Page) =>
  page
    .locator('main form[data-draft] :is(input, textarea).input')
    .evaluateAll((all) =>
      all.flatMap((one) =>
        (one as HTMLInputElement).value ? [(one as HTMLInputElement).name] : [],
      ),
    );

describe.skipIf(!hasBrowser)('Yesterday’s caller is not in today’s form', () => {
  test('after Cancel, after Escape, and after following a known record', async () => {
    await firm.owner.post('/v1/contacts', { firstName: 'Barnaby', lastName: 'Teasdale' });
    const { page, complaints } = await windowOf(attorney);
    const ways = {
      Cancel: async () => {
        await page.getByRole('link', { name: 'Cancel' }).click();
        await page.waitForURL('**/leads');
      },
      Escape: async () => {
        await page.keyboard.press('Escape');
        await page.waitForURL('**/leads');
      },
      'a known record': async () => {
        await page.getByRole('main').getByRole('link', { name: 'Barnaby Teasdale' }).click();
        await page.waitForURL('**/contacts/*');
      },
    };
    await page.goto('/');
    for (const [way, leave] of Object.entries(ways)) {
      await startLead(page);
      await page.keyboard.type('Barnaby');
      await field(page, 'Last name').fill('Teasdale');
      await leave();
      await startLead(page);
      // The second caller: the first letter goes into an empty field.
      await page.keyboard.type('Quinn');
      await expectSoon(() => field(page, 'First name').inputValue(), 'Quinn', way);
      await expectSoon(() => field(page, 'Last name').inputValue(), '', way);
      await offer(page).waitFor({ state: 'hidden' });
      await page.keyboard.press('Escape');
      await page.waitForURL('**/leads');
    }
    expect(await page.evaluate(() => Object.keys(localStorage).join())).not.toContain('draft:');
    expect(complaints).toEqual([]);
  });

  test('of another day, it says the day and the time as its member has them written', async () => {
    const firm = await makeFirm(server);
    const { page, complaints } = await windowsOf(firm)(attorney);
    const begun = new Date('2026-11-24T10:42:00Z');
    await page.clock.install({ time: begun });
    await open(page, '/leads/new');
    await field(page, 'First name').fill('Edmund');
    await page.goto('/');
    await page.clock.setSystemTime(new Date(begun.getTime() + 25 * 3_600_000));
    for (const [dayOrder, clock, words] of [
      ['DMY', '24', '24 Nov, 10:42'],
      ['MDY', '12', 'Nov 24, 10:42 AM'],
      ['YMD', '24', '2026-11-24, 10:42'],
    ] as const) {
      const member = await visitorOf(server, firm, attorney);
      await member.post('/settings/me/formats', { dayOrder, clock });
      await open(page, '/leads/new');
      await expectSoon(
        () => offer(page).textContent(),
        `You have an unfinished lead from ${words}: Edmund.`,
      );
      await page.goto('/');
    }
    expect(complaints).toEqual([]);
  });

  test('otherwise they are offered: the form is empty, Continue brings them back, Start fresh drops them', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    // What is typed within the next minute is from this one, and two minutes later it is the same day.
    const begun = new Date();
    begun.setUTCHours(10, 42, 0, 0);
    await page.clock.install({ time: begun });
    await open(page, '/leads/new');
    await field(page, 'First name').fill('Edmund');
    await field(page, 'Last name').fill('Fairweather');
    await page.goto('/matters');
    await page.clock.fastForward('02:00');
    await open(page, '/leads/new');
    const time = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
    }).format(begun);
    await page
      .getByRole('status')
      .getByText(`You have an unfinished lead from ${time}: Edmund Fairweather.`)
      .waitFor();
    await takePicture(window, 'unfinished-1280');
    await expectAccessible(window);
    // The second caller rings before anybody has pressed a button.
    await page.keyboard.type('Quinn');
    await expectSoon(() => field(page, 'First name').inputValue(), 'Quinn');
    await expectSoon(() => field(page, 'Last name').inputValue(), '');
    await page.goto('/matters');
    await open(page, '/leads/new');
    await page.getByText(/unfinished lead from .*: Quinn, and 1 more\.$/).waitFor();
    await page.getByRole('button', { name: 'Start fresh' }).click();
    // Neither is lost: the first one is offered next.
    await page.getByText(/unfinished lead from .*: Edmund Fairweather\.$/).waitFor();
    expect(await values(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectSoon(() => field(page, 'First name').inputValue(), 'Edmund');
    await expectSoon(() => field(page, 'Last name').inputValue(), 'Fairweather');
    // It goes on where it was left.
    await field(page, 'Last name').and(page.locator(':focus')).waitFor();
    await offer(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Edmund Fairweather' }).waitFor();
    // What was created is not offered again.
    await open(page, '/leads/new');
    await offer(page).waitFor({ state: 'hidden' });
    expect(await values(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('Start fresh can be undone: each caller’s text comes back as its own offer', async () => {
    const firm = await makeFirm(server);
    const window = await windowsOf(firm)(attorney);
    const { page, complaints } = window;
    await open(page, '/leads/new');
    await field(page, 'First name').fill('Edmund');
    await field(page, 'What is it about?').fill('A fence.');
    await open(page, '/leads/new');
    await field(page, 'First name').fill('Quinn');
    await open(page, '/leads/new');
    const fresh = page.getByRole('button', { name: 'Start fresh' });
    const undo = page.locator('#toast').getByRole('button', { name: 'Undo' });
    const offers = (words: string) =>
      page.getByText(new RegExp(`unfinished lead from .*: ${words}\\.$`)).waitFor();
    await offers('Quinn, and 1 more');
    await fresh.click();
    await offers('Edmund');
    await page.locator('#toast').getByText('Discarded.').waitFor();
    // The second one: what is taken back is this one alone.
    await fresh.click();
    await offer(page).waitFor({ state: 'hidden' });
    await field(page, 'First name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Vera');
    await takePicture(window, 'discarded-1280');
    await undo.click();
    await offers('Edmund');
    await expectSoon(() => field(page, 'First name').inputValue(), 'Vera');
    await expectSoon(() => field(page, 'What is it about?').inputValue(), '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectSoon(() => field(page, 'First name').inputValue(), 'Edmund');
    await expectSoon(() => field(page, 'What is it about?').inputValue(), 'A fence.');
    await offers('Vera');
    // Also when the page was left in between, as it is after an answer: it is offered to the next form.
    await fresh.click();
    await offer(page).waitFor({ state: 'hidden' });
    await undo.click();
    await offers('Vera');
    await expectSoon(() => field(page, 'First name').inputValue(), 'Edmund');
    await open(page, '/leads/new');
    await offers('Edmund, and 1 more');
    expect(complaints).toEqual([]);
  });

  test('Start fresh in a dialog is undone in it, and after it was closed', async () => {
    const firm = await makeFirm(server);
    const window = await windowsOf(firm)(attorney, phone);
    const { page, complaints } = window;
    await open(page, '/calls/new');
    await field(page, 'What was said').fill('Asks for the deed');
    const openDialog = async () => {
      await page.goto('/tasks');
      await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
      await page.keyboard.press('c');
      await page.waitForSelector('dialog form[data-kept-at]');
      await page.getByText(/unfinished call from .*: Asks for the deed\.$/).waitFor();
    };
    const dialog = page.getByRole('dialog', { name: 'Note a call' });
    const undo = page.getByRole('button', { name: 'Undo' });
    await openDialog();
    await dialog.getByRole('button', { name: 'Start fresh' }).click();
    await offer(page).waitFor({ state: 'hidden' });
    await takePicture(window, 'discarded-in-dialog-390');
    await undo.click();
    await offer(page).waitFor();
    await dialog.getByRole('button', { name: 'Start fresh' }).click();
    await offer(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await undo.click();
    await openDialog();
    expect(complaints).toEqual([]);
  });

  test('Back and a reload do not type for the second caller what the browser remembers', async () => {
    const { page, complaints } = await windowOf(attorney);
    await open(page, '/leads/new');
    await field(page, 'First name').fill('Maud');
    await field(page, 'What is it about?').fill('A will that nobody finds.');
    await page.getByLabel('Practice area').selectOption({ index: 1 });
    await page.goto('/matters');
    for (const come of [() => page.goBack(), () => page.reload()]) {
      await come();
      await isReady(page);
      await page.getByText(/unfinished lead from .*: Maud\.$/).waitFor();
      expect(await values(page)).toEqual([]);
      expect(await page.getByLabel('Practice area').inputValue()).toBe('');
    }
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectSoon(
      () => field(page, 'What is it about?').inputValue(),
      'A will that nobody finds.',
    );
    await page.getByRole('link', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
  });

  test('Continue leaves to the second caller what was typed for them: it is offered next', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/leads');
    await startLead(page);
    await page.keyboard.type('Edith');
    await field(page, 'Last name').fill('Fallow');
    // The field has the focus, where N is a letter: the link is pressed.
    await page.goto('/leads');
    await startLead(page);
    await page.keyboard.type('Quentin');
    await field(page, 'What is it about?').fill('A fence.');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectSoon(() => field(page, 'First name').inputValue(), 'Edith');
    await expectSoon(() => field(page, 'What is it about?').inputValue(), '');
    await page.getByText(/unfinished lead from .*: Quentin\.$/).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectSoon(() => field(page, 'First name').inputValue(), 'Quentin');
    await expectSoon(() => field(page, 'What is it about?').inputValue(), 'A fence.');
    await page.getByText(/unfinished lead from .*: Edith Fallow\.$/).waitFor();
    await page.getByRole('button', { name: 'Start fresh' }).click();
    await offer(page).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
  });

  test('a refused form that was mended and created leaves nothing behind', async () => {
    const { page } = await windowOf(attorney);
    await open(page, '/leads/new');
    await field(page, 'Email').fill('not an address');
    await field(page, 'Last name').fill('Okafor');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await offer(page).waitFor({ state: 'hidden' });
    await field(page, 'Email').fill('marta@okafor.example');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Okafor' }).waitFor();
    await open(page, '/leads/new');
    await offer(page).waitFor({ state: 'hidden' });
    expect(await values(page)).toEqual([]);
  });

  test('a search that found nobody still fills in the name, also beside an offer', async () => {
    const { page } = await windowOf(attorney);
    await open(page, '/leads/new');
    await field(page, 'First name').fill('Rosalind');
    await page.goto('/search?q=Vera+Zimmer');
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Create a lead named/ })
      .click();
    await isReady(page);
    await expectSoon(() => field(page, 'First name').inputValue(), 'Vera');
    await expectSoon(() => field(page, 'Last name').inputValue(), 'Zimmer');
    await page.getByText(/unfinished lead from .*: Rosalind\.$/).waitFor();
  });

  test('of two windows, each keeps its own caller', async () => {
    const { page } = await windowOf(attorney);
    const other = await page.context().newPage();
    for (const one of [page, other]) await open(one, '/leads/new');
    await field(page, 'Last name').fill('First');
    await field(other, 'Last name').fill('Second');
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    await page.goto('/');
    await open(page, '/leads/new');
    await page.getByText(/unfinished lead from .*: First\.$/).waitFor();
  });

  test('on a phone the offer is as wide as the form', async () => {
    const window = await windowOf(attorney, phone);
    const { page } = window;
    await open(page, '/contacts/new');
    await field(page, 'Last name').fill('Teasdale');
    await open(page, '/contacts/new');
    await offer(page).waitFor();
    await takePicture(window, 'unfinished-390');
    await expectAccessible(window);
  });
});

describe.skipIf(!hasBrowser)('The same holds for', () => {
  for (const [what, path, label, list] of [
    ['contact', '/contacts/new', 'Last name', '/contacts'],
    ['task', '/tasks/new', /Task/, '/tasks'],
    ['event', '/calendar/new', /Title/, '/calendar'],
    ['matter', '/matters/new', 'Title', '/matters'],
  ] as const) {
    test(`a new ${what}`, async () => {
      const { page, complaints } = await windowOf(attorney);
      const box = page.getByRole('textbox', { name: label, exact: true });
      await open(page, path);
      await box.fill('Barnaby’s');
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.waitForURL(`**${list}*`);
      await open(page, path);
      await expectSoon(() => box.inputValue(), '');
      await offer(page).waitFor({ state: 'hidden' });
      await box.fill('Quinn’s');
      await open(page, path);
      await expectSoon(() => box.inputValue(), '');
      await page.getByText(new RegExp(`unfinished ${what} from .*: Quinn’s\\.$`)).waitFor();
      await page.getByRole('button', { name: 'Continue' }).click();
      await expectSoon(() => box.inputValue(), 'Quinn’s');
      await page.keyboard.press('Escape');
      await page.waitForURL(`**${list}*`);
      await open(page, path);
      await offer(page).waitFor({ state: 'hidden' });
      expect(complaints).toEqual([]);
    });
  }

  test('the clients of a new matter', async () => {
    await firm.owner.post('/v1/contacts', { firstName: 'Ivo', lastName: 'Lindqvist' });
    const { page } = await windowOf(attorney);
    await open(page, '/matters/new');
    await page.getByLabel('Client', { exact: true }).fill('Lindq');
    await page.getByRole('option', { name: 'Ivo Lindqvist' }).click();
    await page.locator('[name=clientContactIds]').waitFor({ state: 'attached' });
    await open(page, '/matters/new');
    await page.getByText(/unfinished matter from .*: Ivo Lindqvist\.$/).waitFor();
    await page.locator('[name=clientContactIds]').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('[name=clientContactIds]').waitFor({ state: 'attached' });
  });

  for (const [what, path, label, words, sends] of [
    ['task', '/tasks/new', 'Matter', 'Sale of the boathouse', 'matter'],
    ['event', '/calendar/new', 'Matter', 'Sale of the boathouse', 'matter'],
    ['call', '/calls/new', 'Who', 'Ottoline', 'about'],
  ] as const) {
    test(`whom or what a new ${what} is about`, async () => {
      const firm = await makeFirm(server);
      const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
      const title = 'Sale of the boathouse';
      expect((await firm.owner.post('/v1/matters', { title, ...area })).status).toBe(201);
      const named = { firstName: 'Ottoline', lastName: 'Pick' };
      expect((await firm.owner.post('/v1/leads', named)).status).toBe(201);
      const { page, complaints } = await windowsOf(firm)(attorney);
      const box = page.getByRole('combobox', { name: label });
      const sent = () => page.locator(`main [name=${sends}]`).inputValue();
      await open(page, path);
      await box.fill(words);
      await page
        .getByRole('option', { name: /boathouse|Ottoline Pick/ })
        .first()
        .click();
      await expectSoon(async () => (await box.inputValue()) !== words, true);
      const [chosen, record] = [await box.inputValue(), await sent()];
      expect(record).not.toBe('');
      await open(page, path);
      await expectSoon(() => box.inputValue(), '');
      const name = what === 'call' ? 'Ottoline Pick' : title;
      await page.getByText(new RegExp(`unfinished ${what} from .*: ${name}\\.$`)).waitFor();
      await page.getByRole('button', { name: 'Continue' }).click();
      await expectSoon(() => box.inputValue(), chosen);
      await expectSoon(sent, record);
      expect(await page.locator('main .found:not([hidden])').count()).toBe(0);
      expect(complaints).toEqual([]);
    });
  }
});
