import { describe, expect, test } from 'bun:test';
import {
  boxesOf,
  boxOf,
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

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

  test('say what was saved, or what is missing, where one looks, however far down the page', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    await signIn(window, server, firm, attorney);
    const { page } = window;
    await page.goto('/settings/me#absence');
    const absence = page.getByRole('region', { name: 'Absence and deputy', exact: true });
    const title = absence.getByRole('heading');
    await expectSoon(async () => (await boxOf(title)).y >= 48, true);
    const save = absence.getByRole('button', { name: 'Save' });
    for (const [given, other, ask] of [
      ['Away from', 'Until', 'Enter the last day away.'],
      ['Until', 'Away from', 'Enter the first day away.'],
    ] as const) {
      await absence.getByLabel(given).fill('2091-11-24');
      await absence.getByLabel(other).fill('');
      await save.click();
      await absence.getByRole('alert').getByRole('link', { name: ask, exact: true }).waitFor();
    }
    await absence.getByLabel('Away from').fill('2091-11-23');
    await save.click();
    const said = page.getByRole('status').filter({ hasText: 'absence and deputy are changed.' });
    await expectSoon(async () => {
      const boxes = await boxesOf(said, 'top');
      return boxes.some((top) => top >= 0 && top < 800);
    }, true);
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  test('say by name what was removed, moved, revoked or changed', async () => {
    const firm = await makeFirm(server);
    const ada = await visitorOf(server, firm, owner);
    const window = await openWindow(server.url);
    await signIn(window, server, firm, owner);
    const { page } = window;
    const said = (words: string) => page.getByRole('status').getByText(words, { exact: true });
    const remove = async (button: string, verb: string) => {
      await page.getByRole('button', { name: button, exact: true }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
    };

    await ada.post('/settings/roles/new', { name: 'Clerk' });
    await page.goto('/settings/roles');
    await page.getByRole('checkbox', { name: 'Clerk: Read leads', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said('Permissions changed: Clerk.').waitFor();
    await remove('Remove Clerk', 'Remove');
    await said('Role removed: Clerk.').waitFor();

    const key = { name: 'Website form', expires: '30', scopes: 'leads:write' };
    await ada.post('/settings/keys', key);
    await page.goto('/settings/keys');
    const row = page.getByRole('row').filter({ hasText: 'Website form' });
    await row.getByRole('cell', { name: 'You', exact: true }).waitFor();
    const lefts = await Promise.all(
      [page.getByRole('columnheader', { name: 'Change' }), row.getByText('Rotate')].map((one) =>
        one.evaluate((part) => {
          const { left } = part.getBoundingClientRect();
          return Math.round(left + Number.parseFloat(getComputedStyle(part).paddingLeft));
        }),
      ),
    );
    expect(Math.abs((lefts[0] ?? 0) - (lefts[1] ?? 99))).toBeLessThan(12);
    expect(await row.locator('.button.quiet:visible').count()).toBe(0);
    await takePicture(window, 'settings-keys-member-1280');
    const wide = page.viewportSize();
    await page.setViewportSize(phone.viewport);
    for (const words of ['Scopes:', 'leads:write', 'Last used:', 'Expires:']) {
      await row.getByText(words).waitFor();
    }
    await takePicture(window, 'settings-keys-member-390');
    if (wide) await page.setViewportSize(wide);
    await remove('Revoke Website form', 'Revoke');
    await said('Key revoked: Website form.').waitFor();

    const { body } = await firm.owner.post('/v1/practice-areas', {
      name: 'Tax',
      stages: [{ name: 'Intake' }, { name: 'Return' }],
    });
    await page.goto(`/settings/practice-areas/${body.data.id}`);
    await page.getByRole('button', { name: 'Move Return up' }).click();
    await said('Stage moved up: Return.').waitFor();
    await remove('Remove Return', 'Remove');
    await said('Stage removed: Return.').waitFor();
    // One button of the page is its first: Save. What adds and what removes are others.
    await expectSoon(
      () => page.locator('main .panel .button.primary:visible').allTextContents(),
      ['Save'],
    );
    const ends = page.getByRole('button', { name: 'Remove practice area Tax' });
    const saves = page.getByRole('button', { name: 'Save', exact: true });
    const looks = (part: Element) => [part.clientWidth < 240, getComputedStyle(part).color];
    const [isNatural, colour] = await ends.evaluate(looks);
    expect([isNatural, colour]).toEqual([true, 'rgb(179, 38, 30)']);
    expect((await saves.first().evaluate(looks))[0]).toBe(true);
    await takePicture(window, 'settings-area-1280');
    await remove('Remove practice area Tax', 'Remove practice area');
    await said('Practice area removed: Tax.').waitFor();

    for (const name of ['Court', 'Judge'])
      await ada.post('/settings/fields', { appliesTo: 'LEAD', name, type: 'TEXT', options: '' });
    await page.goto('/settings/fields');
    await page.getByRole('button', { name: 'Move Court down' }).click();
    await said('Field moved down: Court.').waitFor();
    await page.getByRole('link', { name: 'Court', exact: true }).click();
    await remove('Remove', 'Remove field');
    await said('Field removed: Court.').waitFor();

    await page.goto('/settings/lead-stages');
    await page.getByRole('heading', { name: 'Lead stages and reasons', level: 1 }).waitFor();
    const here = page.getByRole('navigation', { name: 'Settings' }).locator('[aria-current]');
    await expectSoon(() => here.textContent(), 'Lead stages and reasons');
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  test('show the scope below each permission only if they are asked, also without a script', async () => {
    const firm = await makeFirm(server);
    for (const javaScriptEnabled of [true, false]) {
      const window = await openWindow(server.url, { javaScriptEnabled });
      const { page } = window;
      await signIn(window, server, firm, owner);
      await page.goto('/settings/roles');
      const scope = page.getByText('contacts:read', { exact: true });
      await page.getByText('Show scopes').waitFor();
      expect(await scope.isVisible()).toBe(false);
      await page.getByText('Show scopes').click();
      await scope.waitFor();
      await page.getByText('Show scopes').click();
      await scope.waitFor({ state: 'hidden' });
      await window.close();
    }
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
