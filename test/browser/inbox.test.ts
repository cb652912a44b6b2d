import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  hasBrowser,
  openWindow,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { openStage, people } from '../support/burst.ts';

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
    expect(await link.locator('[data-unread]').isVisible()).toBe(false);
    await firm.leads(5);
    await firm.goTo(61);
    await page.getByRole('link', { name: 'Inbox 1 unread' }).first().waitFor({ timeout: 15_000 });
    await link.click();
    const notice = page.getByRole('link', { name: 'New leads from the API' });
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
    expect(await notice.getAttribute('href')).toBe('/leads?view=list');
    await expectAccessible(window);
    await takePicture(window, 'inbox-burst-1280');
    await page.getByRole('button', { name: /^Mark as read/ }).click();
    await page.getByRole('button', { name: /^Mark as unread/ }).waitFor();
    await link.locator('[data-unread]').waitFor({ state: 'hidden', timeout: 15_000 });
    await page.getByRole('button', { name: /^Mark as unread/ }).click();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByRole('button', { name: /^Mark as unread/ }).waitFor();
    expect(complaints).toEqual([]);

    const other = await openWindow(url);
    await signIn(other, server, firm, people.N);
    await other.page.goto('/inbox');
    expect(await other.page.getByText('Nothing has happened yet.').count()).toBe(1);
    await Promise.all([window.close(), other.close()]);
  });
});
