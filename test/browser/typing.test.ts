/** Nobody loses what they type, whatever others change on the same page meanwhile. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectAccessible, expectSoon, hasBrowser, takePicture } from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server, {
    customFields: [{ on: 'lead', name: 'Employer', type: 'TEXT' }],
  });
});
const windowOf = windowsAt(server, () => firm);

declare global {
  /** Resolves when this page has heard that a record was changed. */
  var heard: Promise<unknown>;
}

/** A lead's page. Its timers stand still until the test moves them. */
const openLead = async () => {
  const { body } = await firm.owner.post('/v1/leads', { firstName: 'Ola', lastName: 'Nowak' });
  const path = `/leads/${body.data.id}`;
  const { page, complaints } = await windowOf(attorney);
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1_000);
  const live = page.waitForResponse('**/live*');
  await page.goto(path);
  await live;
  /** How often the page was fetched anew since the change. */
  let fetched = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === path && request.method() === 'GET') fetched += 1;
  });
  /** A colleague gives the lead this value, and the page hears of it. */
  const change = async (value: string) => {
    await page.evaluate(() => {
      globalThis.heard = new Promise((resolve) => {
        // How many notices are unread is told too.
        new BroadcastChannel('live').onmessage = ({ data }) => data.changed && resolve(data);
      });
    });
    fetched = 0;
    expect((await firm.owner.patch(`/v1${path}`, { value })).status).toBe(200);
    await page.evaluate(() => globalThis.heard);
  };
  return { page, complaints, change, fetchedOften: () => fetched };
};

/** Waits until the page shows the colleague's value. */
const shows = (page: Page, value: string) =>
  page.locator('.value, .static').filter({ hasText: value }).first().waitFor();

describe.skipIf(!hasBrowser)('What is typed stays while a colleague changes the page', () => {
  test('in an edit in place: the page waits, and is renewed once the edit is over', async () => {
    const { page, complaints, change, fetchedOften } = await openLead();
    await page.getByText(/^\d+ empty fields?$/).click();
    await page.locator('details.edit', { hasText: 'Edit Employer' }).locator('summary').click();
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('Rook');
    await change('HIGH');
    await page.clock.runFor(5_000);
    await page.keyboard.type(' Ltd');
    expect(fetchedOften()).toBe(0);
    const box = page.getByRole('textbox', { name: 'Employer', exact: true });
    await expectSoon(() => box.inputValue(), 'Rook Ltd');
    await box.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.clock.runFor(1_000);
    await shows(page, 'High');
    expect(complaints).toEqual([]);
  });

  test('in a dialog, also when it is left for another window', async () => {
    const { page, complaints, change, fetchedOften } = await openLead();
    await page.locator('[data-opens="not-hired"]').click();
    const dialog = page.getByRole('dialog', { name: 'Not hired' });
    const box = dialog.getByRole('textbox').first();
    await box.fill('Too far away');
    await box.evaluate((one: HTMLElement) => one.blur());
    await change('LOW');
    await page.clock.runFor(5_000);
    expect(fetchedOften()).toBe(0);
    await expectSoon(() => box.inputValue(), 'Too far away');
    await page.keyboard.press('Escape');
    await page.clock.runFor(1_000);
    await shows(page, 'Low');
    expect(complaints).toEqual([]);
  });

  test('and what is held down acts when it is let go, by the mouse and by Space', async () => {
    const { page, complaints, change, fetchedOften } = await openLead();
    const more = page.getByRole('button', { name: 'More actions' });
    const choices = page.getByRole('button', { name: 'Move to drafts' });
    await more.hover();
    for (const [value, words, hold, letGo] of [
      ['HIGH', 'High', () => page.mouse.down(), () => page.mouse.up()],
      ['LOW', 'Low', () => page.keyboard.down('Space'), () => page.keyboard.up('Space')],
    ] as const) {
      await hold();
      await change(value);
      await page.clock.runFor(5_000);
      expect(fetchedOften()).toBe(0);
      await letGo();
      await choices.waitFor();
      await page.keyboard.press('Escape');
      await choices.waitFor({ state: 'hidden' });
      await page.clock.runFor(1_000);
      await shows(page, words);
      await more.and(page.locator(':focus')).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test('in a note that was left: the page is renewed, and the note is still there and can be saved', async () => {
    const { page, complaints, change } = await openLead();
    const note = page.getByRole('textbox', { name: 'Note', exact: true }).first();
    await note.fill('She calls again on Friday.');
    await change('HIGH');
    await page.clock.runFor(5_000);
    await expectSoon(() => note.inputValue(), 'She calls again on Friday.');
    await note.evaluate((one: HTMLElement) => one.blur());
    await page.clock.runFor(1_000);
    await shows(page, 'High');
    await expectSoon(() => note.inputValue(), 'She calls again on Friday.');
    await page.getByRole('button', { name: 'Save note' }).first().click();
    await page.locator('.note').filter({ hasText: 'She calls again on Friday.' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('What is typed stays while another form of the page is sent', () => {
  test('and refused, as often as it is, and when it is done; a form that was done is empty', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.goto(`/settings/practice-areas/${firm.practiceAreas.Family?.id}`);
    const box = (name: string) => page.getByRole('textbox', { name, exact: true });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const typed = async (name: string, stage: string, type: string) => {
      await expectSoon(() => box('Name').inputValue(), name);
      await expectSoon(() => box('New stage').inputValue(), stage);
      await expectSoon(() => box('New matter type').inputValue(), type);
    };
    const said = (words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();
    await box('New stage').fill('Mediation');
    await box('New matter type').fill('Custody');
    // Twice: also what was typed before the page was shown anew stays.
    for (const name of ['', 'N'.repeat(300)]) {
      await box('Name').fill(name);
      await press('Save');
      await page.getByRole('alert').getByRole('link', { name: /name/i }).waitFor();
      await page
        .getByRole('alert')
        .filter({ hasText: name ? '255' : 'Enter' })
        .waitFor();
      await typed(name, 'Mediation', 'Custody');
    }
    // What was refused is typed too: another form is done, and the page is renewed in place.
    await press('Add stage');
    await said('Stage added: Mediation.');
    await typed('N'.repeat(300), '', 'Custody');
    await box('New stage').fill('Hearing again');
    await press('Add matter type');
    await said('Matter type added: Custody.');
    await typed('N'.repeat(300), 'Hearing again', '');
    await box('Name').fill('Family law');
    await press('Save');
    await said('Family law');
    await typed('Family law', 'Hearing again', '');
    await press('Add stage');
    await said('Stage added: Hearing again.');
    await typed('Family law', '', '');
    expect(complaints).toEqual([]);
  });

  test('a choice, a day and a text of one’s settings, also if the address says what was saved', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/settings/me');
    const part = (name: string) => page.getByRole('region', { name, exact: true });
    const absence = part('Absence and deputy');
    const typed = async (words: string) => {
      await page.getByRole('status').filter({ hasText: words }).waitFor();
      await expectSoon(() => absence.getByLabel('Away from').inputValue(), '2091-11-24');
      await expectSoon(
        () => absence.getByLabel('Deputy').locator('option:checked').textContent(),
        'Cy Moss',
      );
    };
    await absence.getByLabel('Away from').fill('2091-11-24');
    await absence.getByLabel('Deputy').selectOption({ label: 'Cy Moss' });
    for (const clock of ['12 hours: 2:30 PM', '24 hours: 14:30']) {
      await part('Dates and times').getByLabel('Clock').selectOption({ label: clock });
      await part('Dates and times').getByRole('button', { name: 'Save' }).click();
      await typed('dates and times are changed.');
    }
    await expectSoon(() => page.getByLabel('Clock').inputValue(), '24');
    expect(complaints).toEqual([]);
  });

  test('a note, while a lead is marked as not hired without a reason', async () => {
    const { page, complaints } = await openLead();
    const note = page.getByRole('textbox', { name: 'Note', exact: true }).first();
    await note.fill('She calls again on Friday.');
    for (let left = 2; left > 0; left -= 1) {
      if (left > 1) await page.locator('[data-opens="not-hired"]').click();
      const dialog = page.getByRole('dialog', { name: 'Not hired' });
      await dialog.getByRole('button', { name: 'Not hired' }).click();
      await dialog.getByRole('alert').getByText('Choose a reason.').waitFor();
    }
    await page.keyboard.press('Escape');
    await expectSoon(() => note.inputValue(), 'She calls again on Friday.');
    // It is no text from another visit.
    expect(await page.getByText('Not saved yet').count()).toBe(0);
    // It is still there when the page is opened anew.
    await page.reload();
    await page.getByText('Not saved yet').waitFor();
    await expectSoon(() => note.inputValue(), 'She calls again on Friday.');
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('What is discarded can be brought back', () => {
  test('a note from before, also when another one was typed since', async () => {
    const { page, complaints } = await openLead();
    const note = page.getByRole('textbox', { name: 'Note', exact: true }).first();
    const undo = page.locator('#toast').getByRole('button', { name: 'Undo' });
    const notSaved = page.getByText('Not saved yet');
    await note.fill('She calls again on Friday.');
    await page.reload();
    await notSaved.waitFor();
    const discard = async () => {
      await page.getByRole('button', { name: 'Discard', exact: true }).click();
      await notSaved.waitFor({ state: 'detached' });
      await page.locator('#toast').getByText('Discarded.').waitFor();
      await expectSoon(() => note.inputValue(), '');
      await note.and(page.locator(':focus')).waitFor();
    };
    await discard();
    await undo.click();
    await notSaved.waitFor();
    await expectSoon(() => note.inputValue(), 'She calls again on Friday.');
    await discard();
    await note.fill('Another caller.');
    await undo.click();
    await expectSoon(() => note.inputValue(), 'She calls again on Friday.');
    await page.locator('#toast').getByText('Your newer text was discarded.').waitFor();
    await undo.click();
    await expectSoon(() => note.inputValue(), 'Another caller.');
    expect(await notSaved.count()).toBe(1);
    await undo.click();
    // It is kept as it was before.
    await page.reload();
    await notSaved.waitFor();
    await expectSoon(() => note.inputValue(), 'She calls again on Friday.');
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('What is typed before its script has come is searched for', () => {
  test('by each box that finds records: a matter, a client, who called, whom to merge', async () => {
    const made = await firm.owner.post('/v1/contacts', { firstName: 'Vera', lastName: 'Zabel' });
    const { id } = made.body.data;
    const kept = await firm.owner.post('/v1/contacts', { firstName: 'Ines', lastName: 'Stays' });
    const matter = {
      title: 'Zabel v. Rook',
      openDate: '2026-03-14',
      practiceAreaId: firm.practiceAreas.Family?.id,
      clientContactIds: [id],
    };
    expect((await firm.owner.post('/v1/matters', matter)).status).toBe(201);
    for (const [path, script, label] of [
      ['/tasks/new', 'matter-picker', 'Matter'],
      ['/matters/new', 'client-picker', 'Client'],
      ['/calls/new', 'record-picker', 'Who'],
      [`/contacts/${kept.body.data.id}/merge`, 'merge-finder', 'Search for the other contact'],
    ] as const) {
      const { page, complaints } = await windowOf(attorney);
      const isTyped = Promise.withResolvers<void>();
      await page.route(`**/${script}-*.js`, async (route) => {
        await isTyped.promise;
        await route.continue();
      });
      await page.goto(`${path}`, { waitUntil: 'commit' });
      await page.locator('html.scripted').waitFor();
      const box = page.getByRole('combobox', { name: label });
      await box.click();
      await page.keyboard.type('Zabel');
      isTyped.resolve();
      await page.getByRole('option', { name: /Zabel/ }).first().waitFor();
      expect(await box.inputValue()).toBe('Zabel');
      expect(complaints).toEqual([]);
    }
  });

  test('opens no list below a field that was left by then', async () => {
    const { page, complaints } = await windowOf(attorney);
    const isLeft = Promise.withResolvers<void>();
    await page.route('**/matter-picker-*.js', async (route) => {
      await isLeft.promise;
      await route.continue();
    });
    const searches: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/search?')) searches.push(request.url());
    });
    await page.goto('/tasks/new', { waitUntil: 'commit' });
    await page.locator('html.scripted').waitFor();
    const box = page.getByRole('combobox', { name: 'Matter' });
    await box.click();
    await page.keyboard.type('Zabel v.');
    await page.keyboard.press('Tab');
    isLeft.resolve();
    await page.locator('main [data-alive]').waitFor();
    // By then a search would have begun.
    await page.evaluate(() => new Promise((then) => setTimeout(then, 500)));
    expect(searches).toEqual([]);
    expect(await box.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('Zabel');
    await page.getByRole('option', { name: /Zabel/ }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('A long text that is pasted where records are found', () => {
  test('is searched for by its beginning, and stays as it is', async () => {
    const { page, complaints } = await windowOf(attorney);
    const long = 'Zabel '.repeat(12_000).trim();
    for (const [path, label] of [
      ['/tasks/new', 'Matter'],
      ['/matters/new', 'Client'],
      ['/calls/new', 'Who'],
      ['/search', 'Search for'],
    ] as const) {
      await page.goto(path);
      if (label === 'Search for') {
        await page.getByRole('searchbox', { name: label }).fill(long);
        await page.keyboard.press('Enter');
        await page.waitForURL(/q=Zabel/);
        await page.getByRole('heading', { name: 'Search' }).waitFor();
        expect(await page.getByRole('searchbox', { name: label }).inputValue()).toHaveLength(200);
      } else {
        await page.locator('main [data-alive]').first().waitFor();
        const answer = page.waitForResponse(/\/search\?/);
        await page.getByRole('combobox', { name: label }).fill(long);
        expect((await answer).status()).toBe(200);
        expect(await page.getByRole('combobox', { name: label }).inputValue()).toBe(long);
      }
    }
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('What is chosen by its words', () => {
  for (const [path, label, sends] of [
    ['/calls/new', 'Who', 'about'],
    ['/tasks/new', 'Matter', 'matter'],
  ] as const) {
    test(`under ${label} is replaced by the next letter, and comes back with its words`, async () => {
      const firm = await makeFirm(server);
      const matter = {
        title: 'Sale of the boathouse',
        openDate: '2026-03-14',
        practiceAreaId: firm.practiceAreas.Family?.id,
      };
      expect((await firm.owner.post('/v1/matters', matter)).status).toBe(201);
      const window = await windowsAt(server, () => firm)(attorney);
      const { page, complaints } = window;
      await page.goto(path);
      await page.locator('main [data-alive]').first().waitFor();
      const box = page.getByRole('combobox', { name: label });
      const said = page.locator('main .finder [role=status]');
      const [isChosen, isLost] =
        label === 'Who'
          ? [/^Matter M-2026-0001/, /^Sale of the boathouse is no longer chosen\./]
          : [/^Sale of the boathouse$/, /^M-2026-0001 is no longer chosen\./];
      await box.fill('boathouse');
      await page.getByRole('option', { name: /boathouse/ }).waitFor();
      await takePicture(window, `choice-${sends}-offered`);
      await box.press('Enter');
      await said.filter({ hasText: isChosen }).waitFor();
      const words = await box.inputValue();
      const sent = () => page.locator(`main [data-kept]`).inputValue();
      const chosen = await sent();
      expect(chosen).not.toBe('');
      await takePicture(window, `choice-${sends}-chosen`);
      // The choice is selected.
      await page.keyboard.type('b');
      expect(await box.inputValue()).toBe('b');
      await said.filter({ hasText: isLost }).waitFor();
      expect(await sent()).toBe('');
      await page.keyboard.press('Tab');
      await said.filter({ hasText: isLost }).waitFor();
      await takePicture(window, `choice-${sends}-lost`);
      await expectAccessible(window);
      await box.fill(words);
      await said.filter({ hasText: isChosen }).waitFor();
      expect(await sent()).toBe(chosen);
      await box.press('End');
      await page.keyboard.type('x');
      await said.filter({ hasText: isLost }).waitFor();
      await page.keyboard.press('Backspace');
      await said.filter({ hasText: isChosen }).waitFor();
      expect(await sent()).toBe(chosen);
      expect(complaints).toEqual([]);
    });
  }
});
