/** A caller on the phone: whom the firm knows, what they say, where they heard of the firm. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { countedJob } from '../support/cost.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  const [attorneys] = usualBlueprint.roles;
  firm = await makeFirm(server, {
    roles: [
      attorneys,
      { name: 'Bookkeeper', permissions: ['contacts:read', 'leads:read', 'leads:write'] },
    ],
    customFields: [
      { on: 'lead', name: 'Heard of us by', type: 'SELECT', options: ['Past client', 'Website'] },
      { on: 'lead', name: 'Employer', type: 'TEXT' },
    ],
    sourceField: 'Heard of us by',
  });
});
const windowOf = windowsAt(server, () => firm);

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const panel = (page: Page) =>
  page.getByRole('region', { name: /^The firm (may know|knows) this person$/ });
const create = (page: Page) => page.getByRole('button', { name: 'Create lead' });

const open = async (page: Page, path = '/leads/new') => {
  await page.goto(path);
  await page.waitForSelector('form[data-kept-at]');
  await page.waitForSelector('[data-island=known][data-alive]', { state: 'attached' });
};

const isFocused = (page: Page, name: string) =>
  page.waitForFunction((one) => document.activeElement?.getAttribute('name') === one, name);

const leadNow = async (page: Page) => {
  const id = new URL(page.url()).pathname.split('/').at(-1);
  return (await firm.owner.get(`/v1/leads/${id}`)).body.data;
};

/** A person whom the firm knows: nobody else has the name, the email and the number. */
const makeKnown = async (name: string, number: string) => {
  const [firstName, lastName] = name.split(' ');
  const email = `${lastName?.toLowerCase()}@known.example`;
  const { body } = await firm.owner.post('/v1/contacts', {
    firstName,
    lastName,
    emails: [email],
    phones: [number],
  });
  return { id: body.data.id as string, email };
};

const contactCount = async () =>
  (await firm.owner.get('/v1/contacts')).body.pagination.total as number;

describe.skipIf(!hasBrowser)('A new lead', () => {
  test('takes a caller with what they say in at most 40 keys besides, and the next one at once', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto('/');
    for (const [first, last, number] of [
      ['Wilma', 'Quill', '020 7946 0991'],
      ['Otto', 'Brandt', '020 7946 0992'],
    ] as const) {
      const { press, type, cost, said } = countedJob(page, 'Enter a caller, besides what they say');
      await press('n');
      await page.waitForURL('**/leads/new');
      await page.waitForSelector('form[data-kept-at]');
      await isFocused(page, 'firstName');
      await type(first);
      await press('Tab');
      await type(last);
      await press('Tab');
      await press('Tab');
      await isFocused(page, 'phone');
      await type(number);
      await press('Tab');
      await press('Tab');
      await isFocused(page, 'note');
      await page.keyboard.type('Bought a flat.\nWants to know what we charge.');
      await press('Control+Enter');
      const title = page.getByRole('heading', { level: 1, name: `${first} ${last}` });
      await title.and(page.locator(':focus')).waitFor();
      await page.locator('.note').filter({ hasText: 'Wants to know what we charge.' }).waitFor();
      said();
      // Also while a colleague changes it.
      const lead = page.url().split('/').at(-1);
      expect((await firm.owner.patch(`/v1/leads/${lead}`, { value: 'HIGHEST' })).status).toBe(200);
      await page.getByText('Highest').first().waitFor();
      await title.and(page.locator(':focus')).waitFor();
      expect(cost.keys + cost.letters).toBeLessThanOrEqual(40);
    }
    expect(complaints).toEqual([]);
  });

  test('asks for the source and the area at once, and folds the rest', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await open(page);
    await takePicture(window, 'new-lead-empty-1280');
    await expectAccessible(window);
    const { id: areaId } = firm.practiceAreas.Family as { id: string };
    for (const source of ['Past client', 'Website']) {
      await field(page, 'Last name').fill(`From ${source}`);
      await page.getByRole('combobox', { name: 'Source' }).selectOption(source);
      await page.getByRole('combobox', { name: 'Practice area' }).selectOption({ label: 'Family' });
      await page.getByRole('combobox', { name: 'Stage' }).waitFor({ state: 'hidden' });
      await page.getByLabel('Heard of us by').first().waitFor({ state: 'detached' });
      await create(page).click();
      await page.getByRole('heading', { level: 1, name: `From ${source}` }).waitFor();
      const lead = await leadNow(page);
      expect(lead.customFields['Heard of us by']).toBe(source);
      expect(lead.practiceArea.id).toBe(areaId);
      await open(page);
    }
    await page.getByText('More details', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Stage' }).waitFor();
    await page.getByRole('textbox', { name: 'Employer' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('has no source where the firm has chosen none', async () => {
    const other = await makeFirm(server);
    const { page } = await windowsAt(server, () => other)(attorney);
    await open(page);
    await page.getByRole('combobox', { name: 'Practice area' }).waitFor();
    await page.getByLabel('Source').first().waitFor({ state: 'detached' });
  });

  test('without a name marks all three fields, beside an email that is none', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await open(page);
    await field(page, 'Email').fill('barnaby at example');
    await field(page, 'What is it about?').fill('Asked for somebody who does wills.');
    // The second press changes nothing.
    for (const key of ['Control+Enter', 'Control+Enter']) {
      await page.keyboard.press(key);
      await page.getByRole('alert').and(page.locator(':focus')).waitFor();
      await field(page, 'What is it about?').focus();
    }
    const said = 'Enter a first name, last name or company.';
    const alert = page.getByRole('alert');
    await alert.getByRole('link', { name: said }).waitFor({ state: 'attached' });
    await expectSoon(() => alert.getByRole('link').count(), 2);
    for (const name of ['First name', 'Last name', 'Company', 'Email']) {
      await expectSoon(() => field(page, name).getAttribute('aria-invalid'), 'true', name);
    }
    for (const name of ['First name', 'Last name', 'Company']) {
      const by = (await field(page, name).getAttribute('aria-describedby'))?.split(' ').at(-1);
      await expectSoon(() => page.locator(`#${by}`).textContent(), said, name);
    }
    expect(await field(page, 'What is it about?').inputValue()).toStartWith('Asked for');
    await takePicture(window, 'new-lead-refused-1280');
    await expectAccessible(window);
    await alert.getByRole('link', { name: said }).click();
    await page.keyboard.type('Aris');
    await expectSoon(() => field(page, 'First name').inputValue(), 'Aris');
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('Whom the firm knows', () => {
  test('stands under the names with why; the same person’s new case is merged in one write, and undone', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    const { id: barnaby } = await makeKnown('Barnaby Teasdale', '07700 900118');
    const before = await contactCount();
    await open(page);
    await field(page, 'Phone').fill('+44 7700 900118');
    await panel(page).getByText('same phone').waitFor();
    const names = await field(page, 'Company').boundingBox();
    const known = await panel(page).boundingBox();
    const reach = await field(page, 'Phone').boundingBox();
    expect(known?.y).toBeGreaterThan(names?.y ?? Number.NaN);
    expect(known?.y).toBeLessThan(reach?.y ?? Number.NaN);
    await panel(page).getByRole('button', { name: 'Same person, new case' }).click();
    await expectSoon(() => field(page, 'First name').inputValue(), 'Barnaby');
    await expectSoon(() => field(page, 'Last name').inputValue(), 'Teasdale');
    await expectSoon(() => field(page, 'Email').inputValue(), 'teasdale@known.example');
    await expectSoon(() => field(page, 'Phone').inputValue(), '07700 900118');
    // What the form got from the contact is nothing that was found out about the caller.
    const chosen = page.getByRole('region', { name: 'The firm knows this person' });
    await chosen.waitFor({ timeout: 20_000 });
    expect(await chosen.getByText(/^same /).count()).toBe(0);
    await takePicture(window, 'new-lead-known-1280');
    await expectAccessible(window);
    await create(page).dblclick();
    await page.getByRole('heading', { level: 1, name: 'Barnaby Teasdale' }).waitFor();
    expect((await leadNow(page)).contact.id).toBe(barnaby);
    expect(await contactCount()).toBe(before);
    const { body } = await firm.owner.get('/v1/leads');
    const his = (body.data as { contact: { id: string } }[]).filter(
      ({ contact }) => contact?.id === barnaby,
    );
    expect(his).toHaveLength(1);
    // It stays while it has the focus.
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await undo.focus();
    await takePicture(window, 'new-lead-merged-1280');
    await expectAccessible(window);
    await undo.click();
    await page.waitForURL((url) => url.pathname.startsWith('/leads/') && url.search === '');
    expect((await leadNow(page)).contact.id).not.toBe(barnaby);
    expect(await contactCount()).toBe(before + 1);
    expect(complaints).toEqual([]);
  });

  test('another number than the firm knows stays, and the contact has both', async () => {
    const { page } = await windowOf(attorney);
    const { body } = await firm.owner.post('/v1/contacts', {
      firstName: 'Ola',
      lastName: 'Rook',
      phones: ['+1 555 0100'],
    });
    await open(page);
    await field(page, 'First name').fill('Ola');
    await field(page, 'Last name').fill('Rook');
    await field(page, 'Phone').fill('+1 555 0199');
    const same = { name: 'Same person, new case' };
    await panel(page).getByRole('button', same).press('Enter');
    await panel(page).getByRole('checkbox', same).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Space');
    await panel(page).getByRole('button', same).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await panel(page)
      .getByRole('checkbox', { ...same, checked: true })
      .waitFor();
    await expectSoon(() => field(page, 'Phone').inputValue(), '+1 555 0199');
    await create(page).click();
    await page.getByRole('heading', { level: 1, name: 'Ola Rook' }).waitFor();
    const { phones } = (await firm.owner.get(`/v1/contacts/${body.data.id}`)).body.data;
    expect(phones.map(({ number }: { number: string }) => number)).toEqual([
      '+1 555 0100',
      '+1 555 0199',
    ]);
  });

  test('a private lead is not merged, and both pages say why', async () => {
    const window = await windowOf(attorney);
    const { page } = window;
    const { id, email } = await makeKnown('Vera Zimmer', '+49 30 5550101');
    await open(page);
    await field(page, 'Email').fill(email);
    await panel(page).getByRole('button', { name: 'Same person, new case' }).click();
    await page.getByText('More details', { exact: true }).click();
    const why = panel(page).getByText('A private lead has a contact of its own.');
    await why.waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: /^Private/ }).check();
    await why.waitFor();
    await takePicture(window, 'new-lead-private-1280');
    await create(page).click();
    await page
      .getByRole('status')
      .getByText('The lead is private, so its contact was not merged')
      .waitFor();
    await expectSoon(async () => (await leadNow(page)).contact.id !== id, true);
    await page
      .getByRole('status')
      .getByRole('button', { name: 'Undo' })
      .first()
      .waitFor({ state: 'detached' });
  });

  test('a role that does not merge contacts fills the form, and the page says that it is not merged', async () => {
    const { page } = await windowOf(bookkeeper);
    const { id, email } = await makeKnown('Marta Okafor', '+49 30 5550102');
    await open(page);
    await field(page, 'Email').fill(email);
    await panel(page).getByRole('button', { name: 'Same person, new case' }).click();
    await panel(page).getByText('Your role cannot merge contacts').waitFor();
    await expectSoon(() => field(page, 'Last name').inputValue(), 'Okafor');
    await create(page).click();
    await page.getByRole('status').getByText('Your role cannot merge contacts').waitFor();
    await expectSoon(async () => (await leadNow(page)).contact.id !== id, true);
  });

  test('works without a script: the form names them, and a box is ticked', async () => {
    const { page } = await windowOf(attorney, { javaScriptEnabled: false });
    const { id, email } = await makeKnown('Ivo Lindqvist', '+49 30 5550103');
    await page.goto('/leads/new');
    await field(page, 'First name').fill('Iwo');
    await field(page, 'Email').fill(email);
    await field(page, 'What is it about?').fill('His second case.');
    // Enter presses the form's own button.
    await field(page, 'Email').press('Enter');
    await panel(page).getByText('same email').waitFor();
    await expectSoon(() => field(page, 'What is it about?').inputValue(), 'His second case.');
    await panel(page).getByRole('checkbox', { name: 'Same person, new case' }).check();
    await create(page).click();
    await page.getByRole('heading', { level: 1, name: 'Ivo Lindqvist' }).waitFor();
    expect((await leadNow(page)).contact.id).toBe(id);
    await page
      .locator('.note')
      .filter({ hasText: 'His second case.' })
      .waitFor({ state: 'attached' });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await expectSoon(async () => (await leadNow(page)).contact.id !== id, true);
  });

  test('on a phone the panel stands under the names, too', async () => {
    const window = await windowOf(attorney, phone);
    const { page } = window;
    await makeKnown('Quinn Abara', '+49 30 5550104');
    await open(page);
    await takePicture(window, 'new-lead-empty-390');
    await field(page, 'First name').fill('Quinn');
    await field(page, 'Last name').fill('Abara');
    await panel(page).getByText('same name').first().waitFor();
    const [known, reach] = [
      await panel(page).boundingBox(),
      await field(page, 'Phone').boundingBox(),
    ];
    expect(known?.y).toBeLessThan(reach?.y ?? Number.NaN);
    await takePicture(window, 'new-lead-known-390');
    await expectAccessible(window);
    for (const name of ['First name', 'Last name']) await field(page, name).fill('');
    await create(page).click();
    await page.getByRole('alert').waitFor();
    await takePicture(window, 'new-lead-refused-390');
    await expectAccessible(window);
  });
});
