import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { openStage, people } from '../support/burst.ts';
import { giveNotices } from '../support/notices.ts';

const stage = await openStage(1);
const url = stage.servers[0]?.url ?? '';
const server = { url, databaseUrl: stage.databaseUrl };

describe.skipIf(!hasBrowser)('The inbox', () => {
  test('tells by itself of a burst, once, and keeps what was read and what was not', async () => {
    const firm = await stage.newFirm();
    const window = await openWindow(url);
    await signIn(window, server, firm, people.C);
    const { page, complaints } = window;
    await page.goto('/');
    const link = page.getByRole('banner').getByRole('link', { name: /^Inbox/ });
    expect((await link.textContent())?.trim()).toContain('Inbox');
    await link.locator('[data-unread]').waitFor({ state: 'hidden' });
    await firm.leads(5);
    await firm.goTo(61);
    await page.getByRole('link', { name: 'Inbox 1 unread' }).first().waitFor();
    await link.click();
    // By the name of the key that the leads came through, not by a word for programmers.
    const notice = page.getByRole('link', { name: /^5 new leads from / });
    await notice.waitFor();
    await notice.waitFor({ state: 'attached' });
    await expectSoon(() => notice.getAttribute('href'), '/leads?view=list');
    const line = page.getByRole('listitem').filter({ has: notice });
    expect(await line.textContent()).not.toContain('through the API');
    await expectAccessible(window);
    await takePicture(window, 'inbox-burst-1280');
    await page.getByRole('button', { name: /^Mark as read/ }).click();
    const said = page.getByRole('status').filter({ hasText: 'Marked as read: 5 new leads from ' });
    await said.getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByRole('button', { name: /^Mark as unread/ }).waitFor();
    await link.locator('[data-unread]').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Mark as unread/ }).click();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByRole('button', { name: /^Mark as unread/ }).waitFor();
    expect(complaints).toEqual([]);

    const other = await openWindow(url);
    await signIn(other, server, firm, people.N);
    await other.page.goto('/inbox');
    await other.page.getByText('No notifications.').waitFor({ state: 'attached' });
    await Promise.all([window.close(), other.close()]);
  });

  test('renews itself while it is open, also when more is unread than is counted', async () => {
    const firm = await stage.newFirm();
    await giveNotices(stage.databaseUrl, firm, people.C, [1, 150]);
    const windows = await Promise.all([openWindow(url), openWindow(url)]);
    for (const window of windows) {
      await signIn(window, server, firm, people.C);
      await window.page.goto('/inbox');
    }
    const [first, second] = windows.map(({ page }) => page);
    if (!first || !second) throw new Error('There are two windows.');
    await first.getByRole('link', { name: 'Inbox 99+ unread' }).first().waitFor();
    await first.getByRole('link', { name: 'Notice 150' }).waitFor();
    await giveNotices(stage.databaseUrl, firm, people.C, [151, 151]);
    await first.getByRole('link', { name: 'Notice 151' }).waitFor();
    await second.getByRole('link', { name: 'Notice 151' }).waitFor();
    await first.getByRole('button', { name: 'Mark as read: Notice 149' }).click();
    await second.getByRole('button', { name: 'Mark as unread: Notice 149' }).waitFor();
    expect(await second.getByRole('link', { name: 'Inbox 99+ unread' }).count()).toBeGreaterThan(0);
    expect(windows.flatMap(({ complaints }) => complaints)).toEqual([]);
    await Promise.all(windows.map((window) => window.close()));
  });
});
