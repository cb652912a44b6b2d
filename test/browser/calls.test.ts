/** A call is noted by the keyboard alone, on every page. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Route } from 'playwright-core';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { countedJob } from '../support/cost.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let lead = '';
const windowOf = windowsAt(server, () => firm);

beforeAll(async () => {
  firm = await makeFirm(server);
  const made = await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Quill' });
  lead = `/leads/${made.body.data.id}`;
});

describe.skipIf(!hasBrowser)('A call', () => {
  test('is noted from a page without anybody: C, a name, Enter, what was said, Ctrl and Enter', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto('/tasks');
    await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Note a call' }).waitFor();
    const who = page.getByRole('combobox', { name: 'Who' });
    await who.and(page.locator(':focus')).waitFor();
    // What was found for the first letters is offered until the answer to all of them has come.
    const found = page.waitForResponse(
      (answer) => new URL(answer.url()).searchParams.get('q') === 'Quill',
    );
    await page.keyboard.type('Quill');
    await found;
    await page.getByRole('option', { name: /Zoe Quill.*Lead/ }).waitFor();
    await takePicture(window, 'call-found');
    const options = await page.getByRole('option').allTextContents();
    const at = options.findIndex((words) => /Lead/.test(words));
    for (let steps = 0; steps < at; steps += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Wants a first appointment.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Noted the call with Zoe Quill.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/tasks');
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    await page.goto(lead);
    await page.getByText('Call out: Wants a first appointment.').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('is left by the cross in the head of its dialog, as every dialog is', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/tasks');
    await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Note a call' });
    await page.getByRole('combobox', { name: 'Who' }).and(page.locator(':focus')).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/tasks');
    expect(complaints).toEqual([]);
  });

  test('costs five keys and four letters besides what was said, and two keys on the page of whom it was with', async () => {
    const { page, complaints } = await windowOf(attorney);
    const noted = async (path: string, where: string, whom: string) => {
      await page.goto(path);
      await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
      const { press, type, cost, said } = countedJob(
        page,
        `Note a call ${where}, besides what was said`,
      );
      await press('c');
      await page.getByRole('dialog', { name: 'Note a call' }).waitFor();
      if (whom) {
        await page.getByRole('combobox', { name: 'Who' }).and(page.locator(':focus')).waitFor();
        await type(whom);
        await page
          .getByRole('option', { name: /Zoe Quill/ })
          .first()
          .waitFor();
        await press('Enter');
      }
      if (whom) await press('Tab');
      if (whom) await press('Tab');
      await page.getByLabel('What was said').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('Asks what we charge.');
      await press('Control+Enter');
      await page.getByText('Noted the call with Zoe Quill.').waitFor();
      said();
      return [cost.keys, cost.letters];
    };
    expect(await noted('/tasks', 'from anywhere', 'Quil')).toEqual([5, 4]);
    expect(await noted(lead, 'on a lead', '')).toEqual([2, 0]);
    expect(complaints).toEqual([]);
  });

  test('is of who was typed, also by somebody who types while the form or what is found is on its way', async () => {
    const other = { firstName: 'Quentin', lastName: 'Nash' };
    expect((await firm.owner.post('/v1/leads', other)).status).toBe(201);
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/tasks');
    await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
    let late = 500;
    const isLate = async (route: Route) => {
      await Bun.sleep(late);
      await route.continue();
    };
    await page.route('**/calls/new*', isLate);
    await page.keyboard.type('cNash');
    const who = page.getByRole('combobox', { name: 'Who' });
    await page.getByRole('option', { name: /Quentin Nash.*Lead/ }).waitFor();
    expect(await who.inputValue()).toBe('Nash');
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe('/tasks');
    // What is found for these letters is another person than for all of them.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Zoe Quill');
    await page
      .getByRole('option', { name: /Zoe Quill/ })
      .first()
      .waitFor();
    late = 1_000;
    await page.route('**/search?*', isLate);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Quentin');
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLInputElement>('#in-dialog [role=combobox]')?.value ===
        'Quentin Nash',
    );
    await page.getByLabel('What was said').fill('Calls again.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Noted the call with Quentin Nash.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is not of somebody with a similar name, unless Enter is pressed once more', async () => {
    const similar = { firstName: 'Horatio', lastName: 'Finch' };
    expect((await firm.owner.post('/v1/leads', similar)).status).toBe(201);
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/calls/new');
    const who = page.getByRole('combobox', { name: 'Who' });
    await who.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Zebulon Fitch');
    const option = page.getByRole('option', { name: /Horatio Finch/ }).first();
    await option.waitFor();
    await page.getByText('Only similar names are found.').waitFor();
    await page.getByRole('button', { name: 'Create a lead named “Zebulon Fitch”' }).waitFor();
    expect(await option.getAttribute('aria-selected')).toBe('false');
    await page.keyboard.press('Enter');
    await expectSoon(() => option.getAttribute('aria-selected'), 'true');
    expect(await who.inputValue()).toBe('Zebulon Fitch');
    expect(new URL(page.url()).pathname).toBe('/calls/new');
    await page.keyboard.press('Enter');
    await expectSoon(() => who.inputValue(), 'Horatio Finch');
    expect(complaints).toEqual([]);
  });

  for (const [late, when] of [
    ['**/search?*', 'they are found'],
    ['**/record-picker-*.js', 'the script of the field has come'],
  ] as const) {
    test(`is of who was entered, also if one is in the next field before ${when}`, async () => {
      const named = { firstName: 'Ambrose', lastName: 'Yarrow' };
      expect((await firm.owner.post('/v1/leads', named)).status).toBe(201);
      const { page, complaints } = await windowOf(attorney);
      const isTyped = Promise.withResolvers<void>();
      await page.route(late, async (route) => {
        await isTyped.promise;
        await route.continue();
      });
      await page.goto('/tasks');
      await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
      await page.keyboard.press('c');
      const dialog = page.getByRole('dialog', { name: 'Note a call' });
      await dialog.getByRole('combobox', { name: 'Who' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('Yarr');
      for (const key of ['Enter', 'Tab', 'Tab']) await page.keyboard.press(key);
      await page.keyboard.type('Asks for the deed');
      isTyped.resolve();
      const about = dialog.locator('[name=about]');
      await expectSoon(async () => (await about.inputValue()).startsWith('/'), true);
      await page.keyboard.type(' again.');
      const words = dialog.getByLabel('What was said');
      expect(await words.inputValue()).toBe('Asks for the deed again.');
      expect(await dialog.getByRole('option').count()).toBe(0);
      await page.keyboard.press('Control+Enter');
      await page.getByText('Noted the call with Ambrose Yarrow.').waitFor();
      expect(complaints).toEqual([]);
    });
  }

  test('offers a lead by the beginning of a long name, on a phone too', async () => {
    const { page, complaints } = await windowOf(attorney, phone);
    await page.goto('/calls/new');
    await page.locator('main [data-alive]').waitFor();
    for (const name of ['x'.repeat(70_000), 'y'.repeat(50)]) {
      await page.getByRole('combobox', { name: 'Who' }).fill(name);
      await page.getByRole('button', { name: `“${name.slice(0, 50)}` }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    }
    expect(complaints).toEqual([]);
  });

  test('is left by Escape and by Cancel, and nothing is noted; the focus is back where it was', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto(lead);
    await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
    const link = page.getByRole('link', { name: 'Note a call' });
    const dialog = page.getByRole('dialog', { name: 'Note a call' });
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('link', { name: 'Cancel' }).click(),
    ]) {
      await link.press('Enter');
      await dialog.getByLabel('What was said').fill('Nothing.');
      await leave();
      await dialog.waitFor({ state: 'detached' });
      await link.and(page.locator(':focus')).waitFor();
      expect(new URL(page.url()).pathname).toBe(lead);
    }
    await page.getByText('Call in: Nothing.').first().waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('that was refused stays to be corrected, also where its page was about to be renewed', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.clock.install();
    await page.goto(lead);
    const beside = await page.context().newPage();
    await beside.goto(lead);
    await page.getByRole('link', { name: 'Note a call' }).click();
    const dialog = page.getByRole('dialog', { name: 'Note a call' });
    await dialog.waitFor();
    // While the dialog is open the page waits to show the change, which the other tab shows at once.
    await firm.owner.patch(`/v1${lead}`, { value: 'HIGHEST' });
    await beside.locator('#edit-f-value').getByText('Highest').waitFor();
    await dialog.getByRole('button', { name: 'Save call' }).click();
    await page.getByText('Write what was said.').first().waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.runFor(5_000);
    expect(asked).not.toContain(lead);
    await page.getByLabel('What was said').fill('She calls again.');
    await page.getByRole('button', { name: 'Save call' }).click();
    await page.getByText('Call in: She calls again.').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('that was refused for what was not written keeps whom it was with', async () => {
    const named = { firstName: 'Ottoline', lastName: 'Pick' };
    for (const _ of [1, 2]) expect((await firm.owner.post('/v1/leads', named)).status).toBe(201);
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/calls/new');
    const who = page.getByRole('combobox', { name: 'Who' });
    await who.fill('Ottoline');
    await page
      .getByRole('option', { name: /Ottoline Pick.*Lead/ })
      .first()
      .click();
    const about = page.locator('main [name=about]');
    await expectSoon(async () => (await about.inputValue()) !== '', true);
    const chosen = await about.inputValue();
    await page.getByRole('button', { name: 'Save call' }).click();
    await page.getByText('Write what was said.').first().waitFor();
    expect(await about.inputValue()).toBe(chosen);
    await page
      .getByRole('main')
      .getByText(/^Lead L-\d{4}/)
      .waitFor();
    await page.getByLabel('What was said').fill('She calls about the boathouse.');
    await page.getByRole('button', { name: 'Save call' }).click();
    await page.getByText('Noted the call with Ottoline Pick.').waitFor();
    await page.goto(chosen);
    await page.getByText('Call in: She calls about the boathouse.').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('that was refused keeps its text while another one comes in, is noted or left', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/tasks');
    await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Note a call' });
    await dialog.waitFor();
    await page.getByRole('combobox', { name: 'Who' }).fill('Nobody known');
    await page.getByLabel('What was said').fill('The first call.');
    await page.keyboard.press('Control+Enter');
    const refused = page.getByRole('main').getByLabel('What was said');
    await page.waitForFunction(
      () =>
        document.activeElement?.matches('main form[data-kept-at] [data-focus]') &&
        !document.querySelector('main [data-island]:not([data-alive])'),
    );
    expect(await refused.inputValue()).toBe('The first call.');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    // The second one is left, and then noted.
    for (const leaves of [true, false]) {
      await page.keyboard.press('c');
      await dialog.waitFor();
      // Its labels name its own fields, and not those of the form below.
      const said = dialog.getByLabel('What was said');
      expect(await said.inputValue()).toBe('');
      if (leaves) {
        await page.keyboard.press('Escape');
        // Hidden, it has the focus for a moment.
        await page.locator('#in-dialog').waitFor({ state: 'detached' });
        continue;
      }
      await dialog.getByLabel('Who').fill('Quill');
      await page.getByRole('option', { name: /Zoe Quill.*Lead/ }).click();
      await said.fill('The second call.');
      await page.keyboard.press('Control+Enter');
      await page.getByText('Noted the call with Zoe Quill.').waitFor();
    }
    await page.goto('/tasks');
    await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
    await page.keyboard.press('c');
    await dialog.waitFor();
    await dialog.getByText(/You have an unfinished call/).waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('dialog [name=text]')?.value !== '',
    );
    expect(await dialog.locator('[name=text]').inputValue()).toBe('The first call.');
    expect(complaints).toEqual([]);
  });

  test('from somebody unknown becomes a lead with what was typed, and no unfinished call', async () => {
    for (const size of [{}, { viewport: { width: 390, height: 844 } }]) {
      const width = size.viewport ? 390 : 1280;
      const own = await makeFirm(server);
      const window = await windowsAt(server, () => own)(attorney, size);
      const { page, complaints } = window;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const isReady = () => page.locator('html.scripted').waitFor();
      const dialog = page.getByRole('dialog', { name: 'Note a call' });
      const begin = async () => {
        await page.goto('/tasks');
        await isReady();
        await page.keyboard.press('c');
        await dialog.getByRole('combobox', { name: 'Who' }).and(page.locator(':focus')).waitFor();
      };
      await begin();
      await page.keyboard.type('Ilse Vantongeren, 555 0142');
      const create = dialog.getByRole('button', {
        name: 'Create a lead named “Ilse Vantongeren”',
      });
      await create.waitFor();
      await dialog.getByLabel('What was said').fill('Her landlord has changed the locks.');
      await dialog.getByLabel('Next step', { exact: true }).fill('2031-06-04');
      await takePicture(window, `unknown-${width}`);
      await expectAccessible(window);
      await takePicture(window, `unknown-${width}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
      await create.click();
      await page.getByRole('heading', { level: 1, name: 'New lead' }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      const first = page.getByLabel('First name');
      await first.and(page.locator(':focus')).waitFor();
      expect(await first.inputValue()).toBe('Ilse');
      expect(await page.getByLabel('Last name').inputValue()).toBe('Vantongeren');
      expect(await page.getByRole('textbox', { name: 'Phone' }).inputValue()).toBe('555 0142');
      const note = page.getByLabel('What is it about?');
      expect(await note.inputValue()).toBe('Her landlord has changed the locks.');
      expect(await page.getByLabel('Next step', { exact: true }).inputValue()).toBe('2031-06-04');
      await takePicture(window, `lead-of-call-${width}`);
      await expectAccessible(window);
      await takePicture(window, `lead-of-call-${width}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
      // Left, the call is unfinished again, and once: not the lead besides.
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.waitForURL('**/leads');
      await begin();
      await dialog
        .getByText(/You have an unfinished call from [^:]*:\d\d: Ilse Vantongeren/)
        .waitFor();
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await create.waitFor();
      // Refused, it is corrected on its own page, which offers the same.
      await dialog.getByRole('button', { name: 'Save call' }).click();
      const again = page.getByRole('main').getByRole('button', { name: /^Create a lead named/ });
      await again.waitFor();
      await takePicture(window, `unknown-refused-${width}`);
      await again.click();
      await page.getByRole('heading', { level: 1, name: 'New lead' }).waitFor();
      await page.waitForFunction(
        () =>
          Object.keys(localStorage)
            .filter((key) => key.startsWith('draft:'))
            .map((key) => key.split(':')[2])
            .join() === 'lead',
      );
      await page.getByRole('button', { name: 'Create lead' }).click();
      await page.getByRole('heading', { level: 1, name: 'Ilse Vantongeren' }).waitFor();
      await page.getByText('Her landlord has changed the locks.').first().waitFor();
      await page.getByText('555 0142').first().waitFor();
      expect(
        await page.evaluate(() =>
          Object.keys(localStorage).filter((key) => key.startsWith('draft:')),
        ),
      ).toEqual([]);
      // What was typed is in no address but that of the search for it.
      const other = asked.filter((url) => !url.includes('/search?'));
      expect(other.filter((url) => /Vantongeren|0142|landlord/.test(url))).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });

  test('says which records the role may not note calls on, and finds the others however many those are', async () => {
    const own = await makeFirm(server, {
      roles: [
        {
          name: 'Intake',
          permissions: [
            ...['contacts:read', 'contacts:write', 'leads:read', 'leads:write'],
            ...['practice-areas:read', 'matters:read'],
          ],
        },
      ],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Ben Lane', role: 'Intake' },
      ],
    });
    const caller = { firstName: 'Una', lastName: 'Drury' };
    expect((await own.owner.post('/v1/leads', caller)).status).toBe(201);
    let matter = '';
    // More than are found at once.
    for (let count = 0; count < 13; count += 1) {
      const made = await own.owner.post('/v1/matters', {
        title: 'Drury: boathouse',
        openDate: '2026-03-03',
        practiceAreaId: own.practiceAreas.Family?.id,
      });
      expect(made.status).toBe(201);
      matter = `/matters/${made.body.data.id}`;
    }
    const window = await windowsAt(server, () => own)(attorney);
    const { page, complaints } = window;
    await page.goto(matter);
    await page.locator('html.scripted').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Note a call' });
    const who = dialog.getByRole('combobox', { name: 'Who' });
    await who.and(page.locator(':focus')).waitFor();
    await dialog
      .getByText('Calls cannot be noted on matters: your role may not change them.')
      .waitFor();
    await page.keyboard.type('boathouse');
    await dialog.getByText('No person matches these words.').waitFor();
    await expectAccessible(window);
    await who.fill('Drury');
    await dialog.getByRole('option', { name: /Una Drury.*Lead/ }).waitFor();
    expect(await dialog.getByRole('option', { name: /boathouse/ }).count()).toBe(0);
    await dialog.getByLabel('What was said').fill('Nothing.');
    await who.fill('boathouse');
    await dialog.getByRole('button', { name: 'Save call' }).click();
    await page.getByText('No lead or contact has this name or number').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('offers a next step only while no other record than a lead is chosen, and loses nothing that was typed', async () => {
    const own = await makeFirm(server);
    const contact = { firstName: 'Edith', lastName: 'Sallow' };
    expect((await own.owner.post('/v1/contacts', contact)).status).toBe(201);
    const caller = { firstName: 'Piers', lastName: 'Gannet' };
    expect((await own.owner.post('/v1/leads', caller)).status).toBe(201);
    const { page, complaints } = await windowsAt(server, () => own)(attorney);
    await page.goto('/calls/new');
    const who = page.getByRole('combobox', { name: 'Who' });
    await who.and(page.locator(':focus')).waitFor();
    const step = page.getByLabel('Next step', { exact: true });
    const time = page.getByLabel('Next step: time, if it has one');
    await step.fill('2031-06-04');
    await time.fill('10:30');
    const choose = async (words: string, option: RegExp) => {
      await who.fill(words);
      await page.getByRole('option', { name: option }).first().click();
    };
    await choose('Sallow', /Edith Sallow.*Contact/);
    await step.waitFor({ state: 'hidden' });
    await page.getByText('Only a lead has a next step.').waitFor();
    await choose('Gannet', /Piers Gannet.*Lead/);
    await step.waitFor();
    expect([await step.inputValue(), await time.inputValue()]).toEqual(['2031-06-04', '10:30']);
    await choose('Sallow', /Edith Sallow.*Contact/);
    // Refused for something else, the step comes back with the lead, too.
    await page.getByRole('button', { name: 'Save call' }).click();
    await page.getByText('Write what was said.').first().waitFor();
    await step.waitFor({ state: 'hidden' });
    await page.waitForFunction(
      () => !document.querySelector('main [data-island]:not([data-alive])'),
    );
    await choose('Gannet', /Piers Gannet.*Lead/);
    await step.waitFor();
    expect([await step.inputValue(), await time.inputValue()]).toEqual(['2031-06-04', '10:30']);
    await choose('Sallow', /Edith Sallow.*Contact/);
    await page.getByLabel('What was said').fill('Sends her regards.');
    await page.getByRole('button', { name: 'Save call' }).click();
    await page.getByText('Noted the call with Edith Sallow.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is noted on a lead’s page, with its next step, on a phone too', async () => {
    for (const size of [{}, { viewport: { width: 390, height: 844 } }]) {
      const window = await windowOf(attorney, size);
      const { page, complaints } = window;
      await page.goto(lead);
      await page.getByRole('link', { name: 'Note a call' }).click();
      const dialog = page.getByRole('dialog', { name: 'Note a call' });
      await dialog.waitFor();
      await expectAccessible(window);
      await takePicture(window, `call-${size.viewport ? 390 : 1280}`);
      // Refused, it is corrected on its own page; saved, one is back.
      await dialog.getByRole('button', { name: 'Save call' }).click();
      await page.getByText('Write what was said.').first().waitFor();
      await page.getByRole('dialog').first().waitFor({ state: 'detached' });
      await page.getByLabel('What was said').fill('She will come.');
      await page.getByLabel('Next step', { exact: true }).fill('2031-06-04');
      await page.getByRole('button', { name: 'Save call' }).click();
      await page.getByText('Noted the call with Zoe Quill.').waitFor();
      await page.locator('#details').getByText('4 Jun 2031').waitFor();
      expect(complaints).toEqual([]);
    }
  });
});
