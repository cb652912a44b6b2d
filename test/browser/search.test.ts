import { beforeAll, describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let leadId: string;

beforeAll(async () => {
  firm = await makeFirm(server);
  const make = async (body: object) => (await firm.owner.post('/v1/leads', body)).body.data;
  const lead = await make({
    firstName: 'Rosalind',
    lastName: 'Pomfret',
    phone: '+44 20 7946 0897',
    practiceAreaId: firm.practiceAreas.Family?.id,
  });
  leadId = lead.id;
  const secret = await make({ firstName: 'Tab', lastName: 'Hidden', isPrivate: true });
  const ada = await visitorOf(server, firm, owner);
  await ada.post(`/leads/${leadId}/notes`, { text: 'Second marriage <b>annulled</b> in May.' });
  await ada.post(`/leads/${leadId}/notes`, { text: 'A new lead of the clinic.' });
  await ada.post(`/leads/${secret.id}/notes`, { text: 'The yacht, and a second marriage.' });
});

const windowOf = windowsAt(server, () => firm);

describe.skipIf(!hasBrowser)('The search', () => {
  test('finds a note by keys alone, replaces what was searched before, and offers a new lead', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('marriage');
    const options = page.getByRole('option');
    await page.getByText('Note: Second marriage <b>annulled</b> in May.').waitFor();
    await options.filter({ hasText: 'Hidden' }).first().waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pomfret yacht');
    await expectSoon(() => page.getByRole('combobox').inputValue(), 'pomfret yacht');
    await page.getByText('“yacht” was left out').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Barnaby Teasdale');
    await options.filter({ hasText: 'Create a lead named “Barnaby Teasdale”' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/leads\/new/);
    await expectSoon(() => page.getByLabel('Last name').inputValue(), 'Teasdale');
    await page.goto('/tasks');
    await page.locator('html.scripted').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('+1 212 555 0143');
    const group = page.getByRole('group', { name: 'Nobody has “+1 212 555 0143”' });
    await group.getByRole('option', { name: 'Create a lead', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/leads\/new/);
    const phone = page.getByRole('textbox', { name: 'Phone' });
    await expectSoon(() => phone.inputValue(), '+1 212 555 0143');
    expect(await page.getByLabel('Last name').inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  test('finds a task and an event by their words, one after the other, and nothing of what is hidden', async () => {
    const own = await makeFirm(server);
    const lead = async (lastName: string, isPrivate: boolean) =>
      (await own.owner.post('/v1/leads', { lastName, isPrivate })).body.data.id as string;
    const [open, hidden] = [await lead('Pomfret', false), await lead('Hushed', true)];
    for (const leadId of [open, hidden]) {
      const day = { startDate: '2099-03-11', endDate: '2099-03-11' };
      for (const [path, body] of [
        ['/v1/tasks', { title: 'Collect bank statements' }],
        ['/v1/calendar-events', { title: 'Mediation', ...day }],
      ] as const) {
        expect((await own.owner.post(path, { leadId, ...body })).status).toBe(201);
      }
    }
    const windowOf = windowsAt(server, () => own);
    for (const [who, sees] of [
      [owner, ['Hushed', 'Pomfret']],
      [attorney, ['Pomfret']],
    ] as const) {
      const { page, complaints } = await windowOf(who);
      await page.goto('/');
      for (const words of ['collect bank', 'mediation', 'Bank statem']) {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
        await page.keyboard.type(words);
        const option = page.getByRole('option');
        const found = async () => {
          const all = await option.filter({ hasText: /Task:|Event:/ }).allTextContents();
          return all.map((text) => /Hushed|Pomfret/.exec(text)?.[0]).sort();
        };
        await expectSoon(found, [...sees], `${who}: ${words}`);
        await page.keyboard.press('Escape');
      }
      expect(complaints).toEqual([]);
    }
  });

  test('has the record of an exact number first, for each who asks and as often as they do', async () => {
    const own = await makeFirm(server);
    const bodies = Array.from({ length: 42 }, (_, at) => ({ lastName: `Person ${at + 1}` }));
    for (const body of bodies) await own.owner.post('/v1/leads', body);
    // Newer, and found by the same figures in its name.
    await own.owner.post('/v1/leads', { companyName: 'L-41 Haulage' });
    const windowOf = windowsAt(server, () => own);
    for (const who of [owner, attorney]) {
      const { page, complaints } = await windowOf(who);
      await page.goto('/');
      for (const words of ['L-41', 'l-0041']) {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
        await page.keyboard.type(words);
        const first = page.getByRole('dialog').getByRole('option').first();
        await expectSoon(() => first.textContent(), expect.stringContaining('Person 41'));
        await page.keyboard.press('Escape');
      }
      await page.keyboard.press('Control+k');
      await page.keyboard.type('L-41');
      await page.getByRole('option').first().filter({ hasText: 'Person 41' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Person 41', level: 1 }).waitFor();
      expect(complaints).toEqual([]);
    }
  });

  test('takes the whole name of a command for the command, whatever notes hold the words', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new lead');
    const options = page.getByRole('option');
    await options.filter({ hasText: 'Note: A new lead of the clinic' }).waitFor();
    await expectSoon(async () => (await options.allInnerTexts())[0]?.trim(), 'New lead');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/leads\/new/);
    expect(complaints).toEqual([]);
  });

  test('takes the first words of a name of a page or a command for it; one word alone may be a person’s', async () => {
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new l');
    const options = page.getByRole('dialog').getByRole('option');
    await options
      .filter({ hasText: 'Note: A new lead of the clinic' })
      .waitFor({ timeout: 20_000 });
    expect((await options.allInnerTexts())[0]?.trim()).toBe('New lead');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('lead');
    await options
      .filter({ hasText: 'Note: A new lead of the clinic' })
      .waitFor({ timeout: 20_000 });
    const names = (await options.allInnerTexts()).map((words) => words.trim().split('\n')[0]);
    expect(names[0]).toBe('Rosalind Pomfret');
    expect(names).toContain('Leads');
    expect(names).toContain('New lead');
    expect(complaints).toEqual([]);
  });

  test('leads to the parts of one’s own settings by the words that one has for them', async () => {
    const { page, complaints } = await windowOf(bookkeeper);
    await page.goto('/');
    for (const [word, name, part] of [
      ['away', 'Absence and deputy', 'absence'],
      ['clock', 'Dates and times', 'formats'],
      ['deputy', 'Absence and deputy', 'absence'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(word);
      const first = page.getByRole('dialog').getByRole('option').first();
      await expectSoon(async () => (await first.textContent())?.trim(), `Settings: ${name}`);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/settings/me#${part}`);
      await page.getByRole('region', { name, exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test('finds what was typed before its script had come', async () => {
    const { page, complaints } = await windowOf(attorney);
    const isTyped = Promise.withResolvers<void>();
    await page.route('**/palette-*.js', async (route) => {
      await isTyped.promise;
      await route.continue();
    });
    await page.goto('/', { waitUntil: 'commit' });
    await page.locator('html.scripted').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('marriage');
    isTyped.resolve();
    await page.getByText('Note: Second marriage <b>annulled</b> in May.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('says that nothing was found once the answer has come, and not before', async () => {
    const { page, complaints } = await windowOf(bookkeeper);
    const asked = Promise.withResolvers<void>();
    const letGo = Promise.withResolvers<void>();
    await page.route('**/search?q=zyzzyva', async (route) => {
      asked.resolve();
      await letGo.promise;
      await route.continue();
    });
    await page.goto('/contacts');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('zyzzyva');
    await asked.promise;
    expect(await page.getByText('No results').count()).toBe(0);
    letGo.resolve();
    await page.getByText('No results for “zyzzyva”.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('has its focus in the field, marks the words, and has no barriers: found, left out, nothing', async () => {
    for (const [size, options] of [
      ['1280', {}],
      ['390', phone],
    ] as const) {
      const window = await windowOf(owner, options);
      const { page } = window;
      for (const [name, q] of [
        ['empty', ''],
        ['found', 'pomfret'],
        ['note', 'second marriage'],
        ['left-out', 'pomfret brother'],
        ['nothing', 'Barnaby Teasdale'],
      ] as const) {
        await page.goto(`/search?q=${encodeURIComponent(q)}`);
        await expectSoon(
          () => page.evaluate(() => document.activeElement?.getAttribute('name')),
          'q',
        );
        await expectAccessible(window);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await takePicture(window, `search-${name}-${size}-${colorScheme}`);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, q).toBeLessThanOrEqual(Number(size));
      }
      await page.goto('/search?q=second+marriage');
      const marked = await page.locator('main mark').allTextContents();
      expect(marked.slice(0, 2).map((text) => text.toLowerCase())).toEqual(['second', 'marriage']);
      await page.locator('main b').first().waitFor({ state: 'detached' });
      expect(window.complaints).toEqual([]);
    }
  });
});
