/** Dates by rule whose trigger moved, as their question is read and answered. */
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

describe.skipIf(!hasBrowser)('Dates whose trigger moved', () => {
  test('are moved by keyboard, on a wide and a narrow screen, light and dark', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page } = window;
    await signIn(window, server, firm, owner);
    const rules = [
      ['Issue the claim', '8', 'workingDays'],
      ['Draft the claim', '1', 'months'],
    ];
    for (const [name = '', amount = '', unit = ''] of rules) {
      await page.goto('/settings/date-rules?do=new-rule');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('How many').fill(amount);
      await dialog.getByLabel('Unit').selectOption(unit);
      await dialog.getByLabel('Before or after').selectOption('before');
      await dialog.getByLabel('Counted from').selectOption('limitation');
      await dialog.getByLabel('If the day is not a working day').selectOption('last');
      await dialog.getByRole('button', { name: 'Create rule' }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    const body = {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2088-03-14',
      solDate: '2092-12-16',
      title: 'Moss v Lane',
    };
    const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
    await page.goto(`/matters/${matter}/rules`);
    await page.getByRole('button', { name: 'Add dates' }).click();
    await page.getByText('Added 2 dates to Moss v Lane.').waitFor();
    await firm.owner.patch(`/v1/matters/${matter}`, { solDate: '2093-02-16' });
    const question = 'The limitation date moved from Tue 16 Dec 2092 to Mon 16 Feb 2093';
    await page.getByRole('heading', { name: question }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'moved-dates-1280');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(window);
    await takePicture(window, 'moved-dates-dark-1280');
    await page.setViewportSize(phone.viewport);
    await expectAccessible(window);
    await takePicture(window, 'moved-dates-dark-390');
    await page.emulateMedia({ colorScheme: 'light' });
    await takePicture(window, 'moved-dates-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Move them' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Moved: 2 dates of Moss v Lane.').waitFor();
    await page.getByRole('heading', { name: question }).waitFor({ state: 'detached' });
    // What was pressed is gone with its question: the focus is at the title.
    await page.locator('h1:focus').waitFor({ state: 'attached' });
    await takePicture(window, 'moved-dates-done-1280');
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Undone for 2 dates of Moss v Lane.').waitFor();
    await page.getByRole('heading', { name: question }).waitFor();
    await firm.owner.patch(`/v1/matters/${matter}`, { solDate: null });
    const removed = 'The limitation date, Tue 16 Dec 2092, was removed';
    await page.getByRole('heading', { name: removed }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'moved-dates-removed-1280');
    await page.getByRole('button', { name: 'Leave them' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('2 dates of Moss v Lane stay.').waitFor();
    await page.getByRole('heading', { name: removed }).waitFor({ state: 'detached' });
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
