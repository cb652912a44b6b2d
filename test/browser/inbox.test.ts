import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import { openStage, people } from '../support/burst.ts';
import { giveNotices } from '../support/notices.ts';
import { visitorOf } from '../support/visitor.ts';

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

  test('says once who assigned how many leads together, and nothing of what one does oneself', async () => {
    const firm = await stage.newFirm();
    const names: string[] = [];
    for (const { contact } of await firm.leads(9)) names.push(contact.name);
    const windowOf = async (email: string, path: string) => {
      const window = await openWindow(url);
      await signIn(window, server, firm, email);
      await window.page.goto(path);
      return window;
    };
    const ada = await windowOf(people.O, '/leads?view=list');
    const ben = await windowOf(people.C, '/inbox');
    await ben.page.getByText('No notifications.').waitFor();
    const bar = ada.page.getByRole('region', { name: 'For the selected leads' });
    const add = async (leads: readonly string[], to: readonly string[], words: string) => {
      for (const name of leads) {
        await ada.page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
      }
      await bar.getByText(`${leads.length} selected`).waitFor();
      await bar.getByRole('button', { name: 'Add assignee' }).click();
      const dialog = ada.page.getByRole('dialog', { name: 'Add assignee' });
      for (const name of to) await dialog.getByRole('checkbox', { name }).check();
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await ada.page.getByRole('status').filter({ hasText: words }).waitFor();
      await bar.getByRole('button', { name: 'Clear' }).click();
      await bar.waitFor({ state: 'hidden' });
    };
    /** The notices as they stand, the newest first. */
    const toldTo = (window: Watched) => () =>
      window.page
        .getByRole('main')
        .getByRole('listitem')
        .filter({ has: window.page.getByRole('button', { name: /^Mark as/ }) })
        .evaluateAll((lines) =>
          lines.map((line) => line.querySelector('.sub')?.textContent.trim()),
        );
    const [first, second, third] = [names.slice(0, 3), names.slice(3, 5), names.slice(5)];
    await add(first, ['Ben Lane'], 'Assigned 3 leads to Ben Lane.');
    // As long as it can be undone unnoticed, nobody is told.
    await firm.goTo(9);
    expect(await toldTo(ben)()).toEqual([]);
    await firm.goTo(11);
    const one = 'Ada Harrow assigned you 3 leads';
    await expectSoon(toldTo(ben), [one]);
    await ben.page.getByRole('link', { name: 'Inbox 1 unread' }).first().waitFor();
    await add(second, ['Ben Lane'], 'Assigned 2 leads to Ben Lane.');
    await firm.goTo(15);
    await add(third, ['Ben Lane', 'Ada Harrow'], 'Assigned 4 leads to Ada Harrow and Ben Lane.');
    await firm.goTo(30);
    const all = [4, 2].map((count) => `Ada Harrow assigned you ${count} leads`);
    await expectSoon(toldTo(ben), [...all, one]);
    await ben.page.getByRole('link', { name: 'Inbox 3 unread' }).first().waitFor();
    await takePicture(ben, 'inbox-assigned-1280');
    await ben.page.getByRole('link', { name: 'Leads assigned to you' }).first().click();
    for (const name of names) {
      await ben.page.getByRole('link', { name, exact: true }).waitFor();
    }
    await ada.page.goto('/inbox');
    await ada.page.getByText('No notifications.').waitFor();
    expect([...ada.complaints, ...ben.complaints]).toEqual([]);
    await Promise.all([ada.close(), ben.close()]);
  });

  test('says on which day a task or an event is, beside “I have it”, wide and on a phone', async () => {
    const firm = await stage.newFirm();
    const { body } = await firm.owner.post('/v1/matters', {
      title: 'Szczepańska-Wiśniewska v Northgate Logistics Ltd',
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      team: [{ memberId: firm.members[people.C] }],
    });
    const ada = await visitorOf(server, firm, people.O);
    const matter = body.data.publicId as string;
    const assigneeId = firm.members[people.C] ?? '';
    const to = { matter, colleagues: people.C };
    for (const [path, fields] of [
      ['/tasks/new', { title: 'File the answer', dueOn: '2035-05-04', matter, assigneeId }],
      ['/tasks/new', { title: 'Think about it', matter, assigneeId }],
      ['/calendar/new', { title: 'Trial', isWhole: 'on', day: '2035-05-07', ...to }],
      [
        '/calendar/new',
        { title: 'Call with Achterberg', day: '2035-05-08', begins: '14:30', ...to },
      ],
    ] as const) {
      expect((await ada.post(path, fields)).status).toBe(303);
    }
    for (const [options, width] of [
      [{}, 1280],
      [phone, 390],
    ] as const) {
      const window = await openWindow(url, options);
      await signIn(window, server, firm, people.C);
      const { page, complaints } = window;
      for (const [path, name] of [
        ['/inbox', 'inbox-days'],
        ['/', 'home-days'],
      ] as const) {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(path);
        const call = page.getByRole('button', {
          name: /^I have it: Tue 8 May 2035, 14:30: Call with Achterberg/,
        });
        await call.evaluate((one) => one.scrollIntoView({ block: 'center' }));
        await page.getByText('Fri 4 May 2035: File the answer').waitFor();
        await takePicture(window, `${name}-${width}`);
        await expectAccessible(window);
        await takePicture(window, `${name}-${width}-dark`);
      }
      expect(complaints).toEqual([]);
      await window.close();
    }
  });
});
