/** Two contacts become one, by keys alone, and two again. */
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
const windowOf = windowsAt(server, () => firm);

beforeAll(async () => {
  firm = await makeFirm(server);
});

const makeContact = async (lastName: string): Promise<string> =>
  (await firm.owner.post('/v1/contacts', { firstName: 'Bruno', lastName })).body.data.id;
const isThere = async (id: string) => (await firm.owner.get(`/v1/contacts/${id}`)).status === 200;
const box = (page: Page) => page.getByRole('combobox', { name: 'Search for the other contact' });
const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });

/** Types into the page as it opens, and takes the contact that is found. */
const choose = async (page: Page, kept: string, name: string) => {
  await page.goto(`/contacts/${kept}/merge`);
  await page.keyboard.type(name, { delay: 40 });
  await expectSoon(() => box(page).inputValue(), name);
  // Until the answer to the last letter has come, others are offered too, and Enter takes the first.
  await expectSoon(() => page.getByRole('option').allTextContents(), [name]);
};

describe.skipIf(!hasBrowser)('A merge', () => {
  test('says that nobody is like the contact only until somebody is searched for', async () => {
    const [kept] = [await makeContact('Quartermaine'), await makeContact('Osgood')];
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/contacts/${kept}/merge`);
    const none = page.getByText('No other contact has a name like “Bruno Quartermaine”.');
    await none.waitFor();
    await page.keyboard.type('Osgood', { delay: 40 });
    await page.getByRole('option', { name: 'Bruno Osgood' }).waitFor();
    await none.waitFor({ state: 'detached' });
    await page.goto(`/contacts/${kept}/merge?q=Nobody`);
    await page.getByText('No other contact has “Nobody”.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is made by typing a name, said, undone, and made again; no letter opens anything', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    const [kept, other] = [await makeContact('Keller'), await makeContact('Kelner')];
    for (const time of ['once', 'again']) {
      await choose(page, kept, 'Bruno Kelner');
      const itself = page.getByRole('option', { name: 'Bruno Keller' });
      await expectSoon(() => itself.count(), 0, time);
      await expectAccessible(window);
      await takePicture(window, 'merge-found');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/contacts/${kept}/merge?with=${other}`);
      await takePicture(window, 'merge-compare');
      await page.getByRole('button', { name: 'Merge', exact: true }).press('Enter');
      await page.waitForURL(`**/contacts/${kept}`);
      await said(page, 'Merged Bruno Kelner into Bruno Keller.').waitFor();
      expect(await isThere(other)).toBe(false);
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).press('Enter');
      await said(page, 'Merge undone: Bruno Kelner is a contact again.').waitFor();
      expect([await isThere(kept), await isThere(other)]).toEqual([true, true]);
    }
    expect(complaints).toEqual([]);
  });

  test('is told on the page of a lead that has another contact now', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    const kept = await makeContact('Whole');
    const { body } = await firm.owner.post('/v1/leads', { firstName: 'Bruno', lastName: 'Half' });
    await choose(page, kept, 'Bruno Half');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/contacts/${kept}/merge?with=*`);
    await page.getByRole('button', { name: 'Merge', exact: true }).press('Enter');
    await said(page, 'Merged Bruno Half into Bruno Whole.').waitFor();
    const told = page.getByText('moved the lead to the contact Bruno Whole');
    await told.waitFor({ state: 'attached' });
    await page.goto(`/leads/${body.data.id}`);
    await told.waitFor({ state: 'attached' });
    await page.getByText('changed the lead').first().waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('is left by Cancel, before and after the other is chosen, and nothing is merged', async () => {
    const { page } = await windowOf(attorney, phone);
    const [kept, other] = [await makeContact('Stays'), await makeContact('Also')];
    for (const path of [`/contacts/${kept}/merge`, `/contacts/${kept}/merge?with=${other}`]) {
      await page.goto(path);
      await page.getByRole('main').getByRole('link', { name: 'Cancel' }).click();
      await page.waitForURL(`**/contacts/${kept}`);
    }
    await page.goto(`/contacts/${kept}/merge`);
    await takePicture({ page, complaints: [], close: async () => {} }, 'merge-390');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    expect(await isThere(other)).toBe(true);
  });

  test('of a contact that a colleague has just merged is refused in words, and nothing is lost', async () => {
    const [kept, other, third] = [
      await makeContact('First'),
      await makeContact('Second'),
      await makeContact('Third'),
    ];
    const [one, two] = [await windowOf(attorney), await windowOf(owner)];
    await one.page.goto(`/contacts/${kept}/merge?with=${other}`);
    await two.page.goto(`/contacts/${third}/merge?with=${other}`);
    await two.page.getByRole('button', { name: 'Merge', exact: true }).click();
    await said(two.page, 'Merged Bruno Second into Bruno Third.').waitFor();
    for (const _ of ['once', 'again']) {
      await one.page.getByRole('button', { name: 'Merge', exact: true }).click();
      const alert = one.page.getByRole('alert');
      await alert.waitFor();
      await expectSoon(() => alert.textContent(), expect.stringMatching(/\w+.*\.$/));
      expect(await alert.textContent()).not.toMatch(/undefined|null|\{/);
    }
    expect([await isThere(kept), await isThere(third)]).toEqual([true, true]);
  });

  test('is found without a script, too', async () => {
    const { page } = await windowOf(owner, { javaScriptEnabled: false });
    const [kept, other] = [await makeContact('Plain'), await makeContact('Plainer')];
    await page.goto(`/contacts/${kept}/merge`);
    await box(page).fill('Plainer');
    await page.getByRole('button', { name: 'Search' }).last().click();
    await page.getByRole('main').getByRole('link', { name: 'Bruno Plainer' }).click();
    await page.waitForURL(`**/contacts/${kept}/merge?with=${other}`);
  });
});
