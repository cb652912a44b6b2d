import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page, Request } from 'playwright-core';
import {
  boxOf,
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
beforeAll(async () => {
  firm = await makeFirm(server, {
    customFields: [{ on: 'matter', name: 'Court', type: 'TEXT' }],
  });
});

const windowOf = windowsAt(server, () => firm);

const makeContact = async (firstName: string, lastName: string) =>
  (await firm.owner.post('/v1/contacts', { firstName, lastName })).body.data.id as string;
const makeMatter = async (title: string, more: object = {}) => {
  const sent = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03', title };
  return (await firm.owner.post('/v1/matters', { ...sent, ...more })).body.data.id as string;
};
const stored = async (id: string) => (await firm.owner.get(`/v1/matters/${id}`)).body.data;

const stage = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, stageName: string, title: string) =>
  stage(page, stageName).getByRole('listitem').filter({ hasText: title });

describe.skipIf(!hasBrowser)('The board of matters', () => {
  test('moves a card by dragging and by keys, and says so', async () => {
    const id = await makeMatter('Dragged', { solDate: '2027-01-01' });
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto('/matters');
    await page.waitForSelector('[draggable=true]', { state: 'attached' });
    await expectAccessible(window);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await takePicture(window, 'matters-board-1280');
    const source = await boxOf(card(page, 'Intake', 'Dragged'));
    const target = await boxOf(stage(page, 'Filed'));
    const menuIsOpen = Promise.withResolvers<void>();
    const renewals: Request[] = [];
    await page.route('**/matters', async (route) => {
      if (route.request().method() === 'GET') {
        renewals.push(route.request());
        await menuIsOpen.promise;
      }
      await route.continue();
    });
    await page.mouse.move(source.x + 40, source.y + 40);
    await page.mouse.down();
    await page.mouse.move(source.x + 60, source.y + 50, { steps: 3 });
    await page.mouse.move(target.x + 80, target.y + 80, { steps: 5 });
    await page.mouse.up();
    await page.getByRole('status').filter({ hasText: 'Dragged moved to Filed.' }).waitFor();
    expect((await stored(id)).stage.name).toBe('Filed');
    await page.getByRole('link', { name: 'Dragged', exact: true }).focus();
    await page.keyboard.press('m');
    await page.getByRole('menu', { name: 'Move Dragged to' }).waitFor();
    // A page that was asked for before the menu opened leaves the menu alone.
    menuIsOpen.resolve();
    for (const renewal of renewals) await (await renewal.response())?.finished();
    await page.getByRole('menuitemradio', { name: 'Intake' }).click();
    await page.getByRole('status').filter({ hasText: 'Dragged moved to Intake.' }).waitFor();
    expect((await stored(id)).stage.name).toBe('Intake');
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("A matter's page", () => {
  test('changes clients, foretells archiving, and follows what another does', async () => {
    const [zoe, mateusz] = [
      await makeContact('Zoë', 'Quill'),
      await makeContact('Mateusz', 'Rook'),
    ];
    const id = await makeMatter('Quill v. Northgate', {
      clientContactIds: [zoe],
      team: [{ memberId: firm.members[owner] }, { memberId: firm.members[attorney] }],
      description: 'Crush injury to the left wrist at the depot.',
      solDate: '2026-12-16',
    });
    await firm.command(['task', 'add', '--matter', id, '--title', 'Draft particulars']);
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto(`/matters/${id}`);
    await expectAccessible(window);
    await takePicture(window, 'matter-1280-dark');
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await takePicture(window, 'matter-1280');
    const clients = page.getByRole('group', { name: 'Clients' });
    await clients.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Clients' });
    await dialog.getByLabel('Add a client', { exact: true }).fill('Mateu');
    await dialog.getByRole('option', { name: 'Mateusz Rook' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Primary: Mateusz Rook').check();
    await expectAccessible(window);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await takePicture(window, 'matter-clients-1280');
    await dialog.getByRole('button', { name: 'Save clients' }).click();
    await clients.getByRole('link', { name: 'Mateusz Rook' }).waitFor();
    const parts = (await stored(id)).clients;
    expect(parts).toMatchObject([
      { contactId: zoe, isPrimary: false, isBillRecipient: true },
      { contactId: mateusz, isPrimary: true, isBillRecipient: false },
    ]);
    await firm.owner.patch(`/v1/matters/${id}`, { title: 'Quill v. Southgate' });
    await page.getByRole('heading', { name: 'Quill v. Southgate', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    const asked = page.getByRole('dialog', { name: /^Archive M-/ });
    await asked.getByText('cancels 1 task, and tells 2 people.').waitFor();
    await takePicture(window, 'matter-archive-1280');
    await asked.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Reactivate' }).waitFor();
    expect((await stored(id)).status).toBe('ARCHIVE');
    expect(complaints).toEqual([]);
  });

  test('has two buttons and a menu at every width; deleting asks each time, and is undone', async () => {
    for (const options of [{}, phone]) {
      const id = await makeMatter('Dove v. Swan');
      const { publicId } = await stored(id);
      const window = await windowOf(attorney, options);
      const { page } = window;
      await page.goto(`/matters/${id}`);
      const head = page.locator('.head').first();
      const shown = () => head.getByRole('button').filter({ visible: true }).allTextContents();
      await expectSoon(shown, ['Task', 'Event', 'More actions']);
      const more = page.getByRole('button', { name: 'More actions' });
      const asks = page.getByRole('dialog', { name: `Delete ${publicId}?` });
      const said = (words: string) => page.getByRole('status').filter({ hasText: words });
      for (const _ of ['once', 'again']) {
        await more.press('Enter');
        await head.getByRole('button', { name: 'Delete', exact: true }).click();
        await asks.getByRole('button', { name: 'Cancel' }).click();
        await more.and(page.locator(':focus')).waitFor();
        expect((await firm.owner.get(`/v1/matters/${id}`)).status).toBe(200);
        await more.press('Enter');
        await head.getByRole('button', { name: 'Delete', exact: true }).click();
        await asks.getByRole('button', { name: 'Delete', exact: true }).click();
        await said(`Matter ${publicId} is deleted.`).waitFor();
        expect((await firm.owner.get(`/v1/matters/${id}`)).status).toBe(404);
        await said(`Matter ${publicId} is deleted.`).getByRole('button', { name: 'Undo' }).click();
        await said('Restored: Dove v. Swan.').waitFor();
      }
      expect(window.complaints).toEqual([]);
    }
  });

  test('asks for its limitation date in a sheet on a phone, and names its first stage', async () => {
    const id = await makeMatter('Sheet', { solDate: '2031-01-31' });
    const window = await windowOf(attorney, phone);
    const { page, complaints } = window;
    await page.goto(`/matters/${id}`);
    await page
      .getByRole('group', { name: 'Dates' })
      .getByRole('button', { name: 'Change' })
      .click();
    const sheet = page.getByRole('dialog', { name: 'Change the limitation date' });
    await sheet.waitFor();
    const { y, height } = (await sheet.boundingBox()) ?? { y: 0, height: 0 };
    expect(y).toBeGreaterThan(200);
    expect(y + height).toBeGreaterThan(843);
    await takePicture(window, 'limitation-sheet-390');
    await page.goto('/matters/new');
    await page.getByText('Limitation date, stage, type, and more').click();
    const stages = page.getByLabel('Stage', { exact: true });
    const first = () => stages.locator('option').first().textContent();
    const area = page.getByRole('combobox', { name: 'Practice area' });
    await area.selectOption('Family');
    await expectSoon(first, 'Intake (first stage)');
    await area.selectOption('');
    await expectSoon(first, 'First stage of the area');
    expect(complaints).toEqual([]);
  });

  test('fits a phone', async () => {
    const id = await makeMatter('A matter with a title that is longer than a phone is wide', {
      clientContactIds: [await makeContact('Aleksandra', 'Szczepańska-Wiśniewska')],
    });
    const window = await windowOf(attorney, phone);
    const { page } = window;
    const addresses = { matter: `/matters/${id}`, board: '/matters', list: '/matters?view=list' };
    for (const [name, address] of Object.entries({ ...addresses, new: '/matters/new' })) {
      await page.goto(address);
      const isWider = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect([name, isWider]).toEqual([name, false]);
      await takePicture(window, `matters-${name}-390`);
    }
    await expectAccessible(window);
  });
});

describe.skipIf(!hasBrowser)('What is only similar', () => {
  test('is not taken at the first Enter, and a matter that is found by its client says so', async () => {
    const { page, complaints } = await windowOf(attorney);
    page.setDefaultTimeout(20_000);
    const finch = await makeContact('Horatio', 'Finch');
    const other = await makeContact('Ulla', 'Wren');
    await makeMatter('The boathouse', { clientContactIds: [other, finch] });
    const option = (name: RegExp) => page.getByRole('option', { name }).first();
    for (const [path, label, name] of [
      ['/tasks/new', 'Matter', /The boathouse.*Horatio Finch/],
      ['/matters/new', 'Client', /Horatio Finch/],
      [`/contacts/${other}/merge`, 'Search for the other contact', /Horatio Finch/],
    ] as const) {
      await page.goto(path);
      const box = page.getByRole('combobox', { name: label, exact: true });
      await box.fill('Fitch');
      await option(name).waitFor();
      expect(await option(name).getAttribute('aria-selected')).toBe('false');
      await box.press('Enter');
      await expectSoon(() => option(name).getAttribute('aria-selected'), 'true');
      expect(await box.inputValue()).toBe('Fitch');
      expect(new URL(page.url()).search).toBe('');
      // Who types the name itself takes it at once.
      await box.fill('Finch');
      await expectSoon(() => option(name).getAttribute('aria-selected'), 'true');
    }
    await page.goto('/tasks/new');
    const matter = page.getByRole('combobox', { name: 'Matter' });
    await matter.fill('Fitch');
    await page.getByText('Only similar names are found.').waitFor();
    await page.goto('/calls/new');
    const who = page.getByRole('combobox', { name: 'Who' });
    await who.fill('Finch');
    const found = option(/The boathouse.*Matter.*client Horatio Finch/);
    await found.waitFor();
    await page.goto('/search?q=Finch');
    await page.getByText('client Horatio Finch').first().waitFor();
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('A new matter', () => {
  test('is opened by keys alone: a contact is found, or made on the way', async () => {
    const { page, complaints } = await windowOf(attorney);
    await makeContact('Ivo', 'Lindqvist');
    await page.goto('/matters/new');
    const client = page.getByLabel('Client', { exact: true });
    await client.fill('Lindq');
    await page.getByRole('option', { name: 'Ivo Lindqvist' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    await page.getByText('Ivo Lindqvist', { exact: true }).waitFor();
    await page.getByLabel('Title').fill('Lindqvist: estate');
    await page.getByLabel('Practice area').selectOption('Family');
    await takePicture({ page, complaints, close: async () => {} }, 'matter-new-1280');
    await page.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { name: 'Lindqvist: estate', level: 1 }).waitFor();

    await page.goto('/matters/new');
    await client.fill('Ada Nightingale');
    await page.getByRole('button', { name: 'New contact Ada Nightingale' }).waitFor();
    await page.keyboard.press('Enter');
    await expectSoon(() => page.getByLabel('Last name').inputValue(), 'Nightingale');
    await page.getByLabel('Email').fill('ada@nightingale.example');
    await page.getByLabel('Practice area').selectOption('Family');
    await page.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { name: 'Ada Nightingale', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });
});
