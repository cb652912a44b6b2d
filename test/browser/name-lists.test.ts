/** Lists of names in the settings, by the keyboard alone: what a second press of a key does. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectAccessible, expectSoon, hasBrowser, takePicture } from '../support/browser.ts';
import { type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server);
});
const windowOf = windowsAt(server, () => firm);

const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    return (one?.ariaLabel ?? one?.textContent ?? '').trim();
  });

const names = async (page: Page) =>
  (await page.locator('main .rows > li summary').allTextContents()).map((text) =>
    text.replace('Rename ', '').trim(),
  );

describe.skipIf(!hasBrowser)('A list of names', () => {
  test('is written and ordered by keys; where a move ends, the next press moves and removes nothing else', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.goto('/settings/event-kinds');
    await page.getByLabel('New kind').focus();
    const kinds = ['Hearing', 'Deadline', 'Call', 'Visit'];
    for (const [nth, kind] of kinds.entries()) {
      await page.keyboard.type(kind);
      await page.keyboard.press('Enter');
      await expectSoon(() => names(page), kinds.slice(0, nth + 1));
      await page.getByLabel('New kind').and(page.locator(':focus')).waitFor();
    }
    await page.getByRole('button', { name: 'Move Call down' }).focus();
    await page.keyboard.press('Enter');
    const moved = ['Hearing', 'Deadline', 'Visit', 'Call'];
    await expectSoon(() => names(page), moved);
    const said = page.getByRole('status');
    await said.getByText('Kind moved down: Call.', { exact: true }).waitFor();
    // The last one cannot go down: the focus is on its name, and Enter changes that.
    await expectSoon(() => focused(page), 'Rename Call');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of Call').and(page.locator(':focus')).waitFor();
    await takePicture(window, 'name-list-1280');
    await expectAccessible(window);
    await page.keyboard.press('Escape');
    await expectSoon(() => focused(page), 'Rename Call');
    expect(await names(page)).toEqual(moved);
    expect(complaints).toEqual([]);
  });

  test('leads to the name that another one has already, and marks it', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.goto('/settings/lead-stages');
    await page.getByLabel('New stage').fill('Contacted');
    await page.keyboard.press('Enter');
    const words = 'Another lead stage of the firm has this name already.';
    const link = page.getByRole('alert').getByRole('link', { name: words });
    await link.waitFor();
    await page.getByRole('textbox', { name: 'New stage', description: words }).waitFor();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('New stage').and(page.locator(':focus')).waitFor();
    expect(await page.getByLabel('New stage').getAttribute('aria-invalid')).toBe('true');
    expect(complaints).toEqual([]);
  });

  test('asks before it loses a name, and the focus stands at the next one', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.goto('/settings/event-kinds');
    await page.getByRole('button', { name: 'Remove Visit' }).focus();
    await page.keyboard.press('Enter');
    const asks = page.getByRole('dialog', { name: 'Remove Visit?' });
    await asks.getByText('Events keep this kind.').waitFor();
    await takePicture(window, 'name-list-asks-1280');
    await expectAccessible(window);
    await page.keyboard.press('Escape');
    await expectSoon(() => focused(page), 'Remove Visit');
    expect(await names(page)).toHaveLength(4);
    await page.keyboard.press('Enter');
    await asks.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await expectSoon(() => names(page), ['Hearing', 'Deadline', 'Call']);
    await page.getByRole('status').getByText('Kind removed: Visit.', { exact: true }).waitFor();
    await expectSoon(() => focused(page), 'Rename Call');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of Call').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    expect(await names(page)).toEqual(['Hearing', 'Deadline', 'Call']);
    // A name that is renamed keeps the focus, too.
    await page.locator('summary', { hasText: 'Deadline' }).press('Enter');
    await page.getByLabel('Name of Deadline').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Closing date');
    await page.keyboard.press('Enter');
    await expectSoon(() => names(page), ['Hearing', 'Closing date', 'Call']);
    await expectSoon(() => focused(page), 'Rename Closing date');
    expect(complaints).toEqual([]);
  });
});
