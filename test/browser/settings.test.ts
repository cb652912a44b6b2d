import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'.repeat(2).slice(0, 100);

describe.skipIf(!hasBrowser)('The settings', () => {
  test('show names of 100 letters without scrolling sideways', async () => {
    const firm = await makeFirm(server);
    const stages = [{ name: longName }, { name: 'Intake' }];
    const made = await firm.owner.post('/v1/practice-areas', { name: longName, stages });
    expect(made.status).toBe(201);
    const area = made.body.data.id;
    const types = { name: longName, practiceAreaId: area };
    expect((await firm.owner.post('/v1/matter-types', types)).status).toBe(201);
    const window = await openWindow(server.url);
    await signIn(window, server, firm, owner);
    for (const width of [1280, 768, 390]) {
      await window.page.setViewportSize({ width, height: 800 });
      for (const path of ['/settings/practice-areas', `/settings/practice-areas/${area}`]) {
        await window.page.goto(path);
        const wide = await window.page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('main :not(.sections)')]
            .filter((one) => one.scrollWidth > one.clientWidth + 1)
            .filter((one) => /auto|scroll|visible/.test(getComputedStyle(one).overflowX))
            .filter((one) => one.matches('html, .table-box, .panel, .page'))
            .map(({ className }) => className || 'page'),
        );
        expect([path, width, wide]).toEqual([path, width, []]);
      }
    }
    await window.close();
  });

  test('show one role on a phone, and store the changes of those that are not shown', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url, phone);
    const { page } = window;
    await signIn(window, server, firm, owner);
    await page.goto('/settings/roles');
    const box = (role: string) =>
      page.getByRole('checkbox', { name: `${role}: Read matter types`, exact: true });
    await box('Attorney').click();
    await box('Bookkeeper').waitFor({ state: 'hidden' });
    await page.getByLabel('Role', { exact: true }).selectOption('Bookkeeper');
    await box('Attorney').waitFor({ state: 'hidden' });
    await box('Bookkeeper').click();
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Undo' }).click();
    await loaded;
    await box('Bookkeeper').waitFor();
    await expectSoon(() => box('Bookkeeper').isChecked(), false);
    await page.getByLabel('Role', { exact: true }).selectOption('Attorney');
    await box('Attorney').click();
    await page.getByLabel('Role', { exact: true }).selectOption('Bookkeeper');
    await box('Bookkeeper').click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**saved**');
    await box('Bookkeeper').waitFor();
    await expectSoon(() => box('Bookkeeper').isChecked(), true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectSoon(() => box('Attorney').isChecked(), true);
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  test('ask for the name of a new field first, and for its options if it is a choice', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    await signIn(window, server, firm, owner);
    await window.page.goto('/settings/fields');
    await window.page.getByRole('button', { name: 'New field' }).click();
    const dialog = window.page.getByRole('dialog');
    await dialog.getByLabel('Name').waitFor();
    await window.page.keyboard.type('Court');
    await expectSoon(() => dialog.getByLabel('Name').inputValue(), 'Court');
    await dialog.getByLabel('Options').waitFor({ state: 'hidden' });
    await dialog.getByLabel('Type').selectOption('Choice');
    await dialog.getByLabel('Options').fill('High Court\nCounty Court');
    await dialog.getByRole('button', { name: 'Create field' }).click();
    await window.page.getByText('Choice: High Court, County Court').waitFor();
    await window.close();
  });

  test('are used by keys and pointer, without a barrier, and show a key once', async () => {
    const firm = await makeFirm(server);
    const lead = await firm.owner.post('/v1/leads', { lastName: 'Gone' });
    await firm.owner.delete(`/v1/leads/${lead.body.data.id}`);
    const window = await openWindow(server.url);
    const { page, complaints } = window;
    await signIn(window, server, firm, owner);

    await page.goto('/settings/lead-stages');
    await page.getByLabel('New stage').fill('Consulted');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Move Consulted up' }).click();
    const last = page.getByRole('button', { name: 'Move Contacted up' });
    await last.waitFor();

    await page.goto('/settings/numbering');
    await page.getByLabel('Number of leads').fill('N{###}');
    await page.getByRole('button', { name: 'Preview' }).first().click();
    await page.getByText('N002, N003, N004').waitFor();

    await page.goto('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Website form');
    await page.getByLabel('Read leads').check();
    await expectAccessible(window);
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByText(/^mh_\w{36}$/).textContent()) ?? '';
    expect(key).toStartWith('mh_');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('status').getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await expectAccessible(window);
    await takePicture(window, 'settings-key-1280');
    await page.reload();
    expect(await page.content()).not.toContain(key);
    await page.goto('/settings/keys');
    await page.getByRole('rowheader', { name: 'Website form' }).waitFor({ state: 'attached' });
    await page.goBack();
    expect(await page.content()).not.toContain(key);

    const paths = [
      ...[
        'firm',
        'numbering',
        'date-rules',
        'task-lists',
        'holidays',
        'reminders',
        'lead-stages',
        'practice-areas',
        'fields',
        'members',
        'roles',
      ],
      ...['keys', 'audit', 'audit?verify=yes', 'deleted', 'system'],
      `practice-areas/${firm.practiceAreas.Family?.id}`,
    ];
    for (const path of [...paths, `members/${firm.members[attorney]}`]) {
      await page.goto(`/settings/${path}`);
      await expectAccessible(window);
      await page.emulateMedia({ colorScheme: path === 'roles' ? 'dark' : 'light' });
      await takePicture(window, `settings-${path.replace(/[/?].*/, '-one')}-1280`);
    }
    expect(complaints).toEqual([]);
    await window.close();

    const small = await openWindow(server.url, phone);
    await signIn(small, server, firm, owner);
    for (const path of ['members', 'roles', 'keys', 'lead-stages', 'reminders']) {
      await small.page.goto(`/settings/${path}`);
      await takePicture(small, `settings-${path}-390`);
    }
    await small.close();
  });
});
