/** Where the focus is in the dialogs of a full firm: what happens if somebody only presses Enter. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectSoon, hasBrowser } from '../support/browser.ts';
import { startTestServer } from '../support/firm.ts';
import { fullOwner, makeFullFirm } from '../support/full-firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Awaited<ReturnType<typeof makeFullFirm>>;
beforeAll(async () => {
  firm = await makeFullFirm(server);
});
const windowOf = windowsAt(server, () => firm);

const settings = ['audit', 'date-rules', 'event-kinds', 'fields', 'keys', 'members'].concat(
  ...['practice-areas', 'roles', 'task-lists', 'webhooks'],
);

/** The dialogs that something on the page opens: of several that differ only in the record, the first. */
const dialogsOn = async (page: Page) => {
  const buttons = page.locator('main [data-opens]');
  const ids = await buttons.evaluateAll((found) =>
    found.map((button) => button.getAttribute('data-opens') ?? ''),
  );
  const kinds = new Map(ids.toReversed().map((id) => [id.replace(/[\da-f]{8}-.*/, ''), id]));
  return [...kinds.values()];
};

/** Presses the button of a dialog, also one in a menu that is closed. */
const open = (page: Page, id: string) =>
  page
    .locator(`main [data-opens="${id}"]`)
    .first()
    .evaluate((button: HTMLElement) => button.click());

/** What has the focus: `a field`, or the words of a button. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    const isField = one?.matches('input, select, textarea');
    return isField ? 'a field' : one?.closest('button')?.textContent;
  });

/** Whether the focus is on the button of a dialog, or on that of the menu in which it stands. */
const isBackAt = (page: Page, id: string) =>
  page.evaluate((name) => {
    const { activeElement: one } = document;
    const menu = document.getElementById(one?.getAttribute('popovertarget') ?? '');
    return (
      (one?.matches('button') &&
        (menu ?? one).matches(`[data-opens="${name}"], :has([data-opens="${name}"])`)) ??
      false
    );
  }, id);

describe.skipIf(!hasBrowser)('A dialog', () => {
  test('begins at its first field, or, if it only asks, at the button that does nothing', async () => {
    const { page, complaints } = await windowOf(fullOwner);
    const [matter] = (await firm.api.get('/v1/matters')).body.data as { id: string }[];
    const [lead] = (await firm.api.get('/v1/leads')).body.data as { contact: { id: string } }[];
    const paths = [
      ...[`/leads/${firm.leads.noted}`, `/leads/${firm.leads.hired}`],
      ...[`/matters/${matter?.id}`, `/contacts/${lead?.contact.id}`],
      ...settings.map((name) => `/settings/${name}`),
    ];
    const begun = { atField: 0, atCancel: 0 };
    for (const path of paths) {
      await page.goto(path);
      for (const id of await dialogsOn(page)) {
        const said = `${path} ${id}`;
        await open(page, id);
        const dialog = page.locator(`dialog[id="${id}"]`);
        const fields = dialog.locator('.body :is(input:not([type=hidden]), select, textarea)');
        const hasField = (await fields.count()) > 0;
        const [cancel] = await dialog.locator(`.body [form="${id}-close"]`).allTextContents();
        expect(await focused(page), said).toBe(hasField ? 'a field' : cancel);
        begun[hasField ? 'atField' : 'atCancel'] += 1;
        await page.keyboard.press('Escape');
        await expectSoon(() => isBackAt(page, id), true, said);
      }
    }
    expect(begun.atField).toBeGreaterThan(10);
    expect(begun.atCancel).toBeGreaterThan(8);
    expect(complaints).toEqual([]);
  });

  test('that only asks does nothing by Enter, and what it asks by Tab and Enter', async () => {
    const { page, complaints } = await windowOf(fullOwner);
    const { id } = (await firm.api.post('/v1/leads', { lastName: 'Asked' })).body.data;
    await page.goto(`/leads/${id}`);
    const asks = page.locator('dialog#delete');
    for (const key of ['Enter', 'Escape', 'Space']) {
      await page.getByRole('button', { name: 'More actions' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.menu button', { hasText: 'Delete' }).press('Enter');
      await asks.waitFor();
      await page.keyboard.press(key);
      await asks.waitFor({ state: 'hidden' });
      await expectSoon(() => isBackAt(page, 'delete'), true, key);
      expect((await firm.api.get(`/v1/leads/${id}`)).status, key).toBe(200);
    }
    await page.keyboard.press('Enter');
    await page.locator('.menu button', { hasText: 'Delete' }).press('Enter');
    await page.keyboard.press('Tab');
    await expectSoon(() => focused(page), 'Delete');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/deleted');
    expect((await firm.api.get(`/v1/leads/${id}`)).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  test('that only asks is gone if it is refused, and the page says why', async () => {
    const { page, complaints } = await windowOf(fullOwner);
    await page.goto('/settings/roles');
    const asks = page.getByRole('dialog', { name: 'Remove Paralegal?' });
    await page.getByRole('button', { name: 'Remove Paralegal' }).press('Enter');
    await asks.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    const alert = page.getByRole('alert').and(page.locator(':focus'));
    await alert.filter({ hasText: 'members' }).waitFor();
    await asks.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Remove Paralegal' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
