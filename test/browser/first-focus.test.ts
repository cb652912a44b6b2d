/** Where somebody is who has just opened the first page that they see. */
import { describe, expect, test } from 'bun:test';
import { administrator } from '../../src/record/actor.ts';
import { createLink } from '../../src/sign-in/invitation.ts';
import { setupToken } from '../../src/sign-in/setup-link.ts';
import { expectAccessible, expectSoon, hasBrowser, openWindow } from '../support/browser.ts';
import { onDatabase, ownDatabase } from '../support/database.ts';
import { attorney, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

describe.skipIf(!hasBrowser)('The page of a link', () => {
  test('is at what there is to do: a password to choose, or the button that opens the firm', async () => {
    const firm = await makeFirm(server);
    const linkFor = (purpose: 'RESET' | 'DEMONSTRATION') =>
      onDatabase(server.databaseUrl, async (database) => {
        const reader = administrator(database, firm.id);
        return `/welcome/${(await createLink(reader, firm.members[attorney] ?? '', purpose)).token}`;
      });
    const window = await openWindow(server.url);
    const { page, complaints } = window;
    await page.goto(await linkFor('RESET'));
    await page.locator('input[type=password]:focus').waitFor();
    await page.goto(await linkFor('DEMONSTRATION'));
    await page.locator('button:focus', { hasText: 'Open the demonstration' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(({ pathname }) => pathname === '/');
    expect(complaints).toEqual([]);
    await window.close();
  });

  test('is over when it was used: to a second person, and when it is opened again', async () => {
    const firm = await makeFirm(server);
    const link = await onDatabase(server.databaseUrl, async (database) => {
      const reader = administrator(database, firm.id);
      return `/welcome/${(await createLink(reader, firm.members[attorney] ?? '', 'RESET')).token}`;
    });
    const windows = [await openWindow(server.url), await openWindow(server.url)] as const;
    const [{ page }, { page: other }] = windows;
    for (const one of [page, other]) {
      expect((await one.goto(link))?.status()).toBe(200);
      for (const box of await one.locator('input[type=password]').all()) {
        await box.fill('wet-stones-under-the-bridge');
      }
    }
    const over = 'This link no longer works';
    await page.locator('main button, form button').last().click();
    await page.waitForURL(({ pathname }) => !pathname.startsWith('/welcome'));
    // The form that is still open says so when it is sent, and not that the server "could not save the form".
    await other.locator('main button, form button').last().click();
    await other.getByText(over).first().waitFor();
    expect(await other.getByText('could not save the form').count()).toBe(0);
    for (const one of [other, page]) {
      expect((await one.goto(link))?.status()).toBe(410);
      await one.getByText(over).first().waitFor();
    }
    await Promise.all(windows.map((window) => window.close()));
  });

  test('that sets the server up says all that is missing, as often as it is sent, and opens one firm', async () => {
    const own = await ownDatabase();
    const { url } = await startTestServer({ databaseUrl: own });
    const link = `/setup?token=${await onDatabase(own, setupToken)}`;
    const windows = [await openWindow(url), await openWindow(url)] as const;
    const [{ page }, { page: other }] = windows;
    const field = (of: typeof page, name: string) => of.getByRole('textbox', { name, exact: true });
    const create = (of: typeof page) => of.getByRole('button', { name: 'Create firm' });
    await page.goto(link);
    await other.goto(link);
    const alert = page.getByRole('alert');
    const refused = async (...words: string[]) => {
      for (const _ of ['once', 'again']) {
        await create(page).click();
        await alert.and(page.locator(':focus')).waitFor();
        await alert.getByText('There is a problem').waitFor();
        await expectSoon(() => alert.getByRole('link').allTextContents(), words);
        await field(page, 'Email').focus();
      }
    };
    await refused(
      ...['Enter the name of the firm.', 'Enter your name.', 'Enter an email.'],
      'Enter a password.',
    );
    await expectAccessible(windows[0]);
    for (const one of [page, other]) {
      await field(one, 'Name of the firm').fill('Harrow & Lane');
      await field(one, 'Your name').fill('Ada Harrow');
      await field(one, 'Email').fill('ada@harrow.example');
      await one.locator('input[type=password]').fill('wet-stones-under-the-bridge');
    }
    await page.locator('input[type=password]').press('Enter');
    await page.getByText('Your firm is ready.').waitFor();
    // A second person with the same link makes no second firm.
    await create(other).click();
    await other.getByText('This link no longer works').first().waitFor();
    expect((await other.goto(link))?.status()).toBe(410);
    await other.getByText('there is a firm already').first().waitFor();
    expect(windows.flatMap(({ complaints }) => complaints)).toEqual([]);
    await Promise.all(windows.map((window) => window.close()));
  });
});
