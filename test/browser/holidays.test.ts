/** The firm's holidays, as an owner chooses them. */
import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

describe.skipIf(!hasBrowser)('Holidays', () => {
  test('are chosen and added by keyboard, on a wide and a narrow screen, light and dark', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page } = window;
    await signIn(window, server, firm, owner);
    await page.goto('/settings/holidays');
    await expectAccessible(window);
    await takePicture(window, 'settings-holidays-empty-1280');
    await page.getByLabel('Public holidays of').focus();
    await page.keyboard.type('United States: New Y');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Thanksgiving Day').first().waitFor();
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('Founders’ day');
    await page.getByLabel('Day', { exact: true }).fill(`${new Date().getUTCFullYear() + 1}-02-02`);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Holiday added: Founders’ day.').waitFor();
    await page.getByRole('button', { name: 'Remove Founders’ day' }).waitFor();
    // The form is empty, and the next one is typed at once.
    const year = new Date().getUTCFullYear() + 1;
    await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
    expect(await page.getByLabel('Day', { exact: true }).inputValue()).toBe('');
    await page.keyboard.type('Closed for summer');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Closed for summer');
    await page.getByLabel('Day', { exact: true }).fill(`${year}-08-02`);
    await page.getByLabel('Last day').fill(`${year}-08-13`);
    await page.getByRole('button', { name: 'Add day' }).press('Enter');
    await page.getByRole('button', { name: 'Remove Closed for summer' }).waitFor();
    await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'settings-holidays-1280');
    await page.getByRole('button', { name: 'Add day' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').first().waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(window);
    await takePicture(window, 'settings-holidays-refused-dark-1280');
    await page.setViewportSize(phone.viewport);
    await page.goto('/settings/holidays');
    await expectAccessible(window);
    await takePicture(window, 'settings-holidays-dark-390');
    await page.getByRole('button', { name: 'Remove Founders’ day' }).focus();
    await page.keyboard.press('Enter');
    const asks = page.getByRole('dialog', { name: 'Remove Founders’ day?' });
    await asks.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    await takePicture(window, 'settings-holidays-asks-390');
    await asks.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Remove Founders’ day' }).waitFor({ state: 'detached' });
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
