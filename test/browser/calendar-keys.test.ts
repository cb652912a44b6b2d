/** The calendar by the keyboard alone. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { addDays } from '../../src/base/calendar-date.ts';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let matterNumber: string;
beforeAll(async () => {
  firm = await makeFirm(server);
  const opened = await firm.owner.post('/v1/matters', {
    title: 'Quill v. Rook',
    openDate: '2026-01-01',
    practiceAreaId: firm.practiceAreas.Family?.id,
  });
  matterNumber = opened.body.data.publicId;
});
const windowOf = windowsAt(server, () => firm);

const open = async (page: Page, path: string) => {
  await page.goto(path);
  await page.locator('.scripted').waitFor({ state: 'attached' });
};

/** The day, and the hour, of the link that has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const href = document.activeElement?.getAttribute('href') ?? '';
    const query = new URLSearchParams(href.split('?')[1]);
    return [query.get('day'), query.get('begins')].filter(Boolean).join(' ');
  });

const heading = (page: Page) => page.locator('.calendar-bar h2').textContent();

const add = async (page: Page, title: string) => {
  await page.getByLabel('Title').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(title);
  await page.keyboard.press('Tab');
  await page.keyboard.type(matterNumber);
  await page.keyboard.press('Tab');
  if (!(await page.getByLabel('Starts').inputValue())) await page.getByLabel('All day').press(' ');
  await page.keyboard.press('Control+Enter');
  await page.getByText(`Event added: ${title}.`).waitFor();
};

describe.skipIf(!hasBrowser)('The calendar', () => {
  test('shows other days by the arrows, and today by T, as often as they are pressed', async () => {
    const { page, complaints } = await windowOf(owner);
    for (const view of ['month', 'week', 'agenda']) {
      await open(page, `/calendar?view=${view}&day=2031-03-12`);
      const first = await heading(page);
      for (const press of ['once', 'again']) {
        const before = await heading(page);
        await page.keyboard.press('ArrowRight');
        await expectSoon(async () => (await heading(page)) !== before, true, `${view} ${press}`);
        await page.locator('.scripted').waitFor({ state: 'attached' });
      }
      for (const press of ['once', 'again']) {
        const before = await heading(page);
        await page.keyboard.press('ArrowLeft');
        await expectSoon(async () => (await heading(page)) !== before, true, `${view} ${press}`);
        await page.locator('.scripted').waitFor({ state: 'attached' });
      }
      expect(await heading(page)).toBe(first);
      await page.keyboard.press('t');
      await page.waitForURL((url) => !url.searchParams.has('day'));
    }
    expect(complaints).toEqual([]);
  });

  test('of a month is gone through from day to day, and Enter adds an event on the day: one, and another', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await open(page, '/calendar?whose=all&day=2031-03-12');
    const first = '2031-02-24';
    await page.keyboard.press('j');
    await expectSoon(() => focused(page), first);
    for (const [key, days] of [
      ['ArrowRight', 1],
      ['ArrowDown', 8],
      ['j', 15],
      ['ArrowUp', 8],
      ['ArrowLeft', 7],
      // There is no day before the first of a week.
      ['ArrowLeft', 7],
    ] as const) {
      await page.keyboard.press(key);
      await expectSoon(() => focused(page), addDays(first, days), key);
    }
    await takePicture(window, 'calendar-keys-1280');
    await expectAccessible(window);
    for (const title of ['Hearing', 'Second hearing']) {
      await page.keyboard.press('Enter');
      await page.waitForURL('**/calendar/new*');
      await expectSoon(() => page.getByLabel('Day', { exact: true }).inputValue(), '2031-03-03');
      await add(page, title);
      // One is back on the day that one left.
      await expectSoon(() => focused(page), '2031-03-03', title);
    }
    const events = page.getByRole('link', { name: /^Event: .*earing/ });
    await expectSoon(() => events.count(), 2);
    // Who leaves the form is back there as well, also on the day for which 'New event' adds one.
    await open(page, '/calendar?whose=all&day=2031-03-04');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowRight');
    await expectSoon(() => focused(page), '2031-03-04');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/calendar/new*');
    await page.waitForSelector('form[data-kept-at]');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/calendar');
    await page.locator('.adds[href$="2031-03-04"]:focus').waitFor();
    expect(complaints).toEqual([]);
  });

  test('of a week is gone through from hour to hour, and begins at today', async () => {
    const { page, complaints } = await windowOf(owner);
    await open(page, '/calendar?view=week');
    const today = await page.evaluate(() =>
      new URLSearchParams(
        document.querySelector('.week [aria-current=date]')?.getAttribute('href')?.split('?')[1],
      ).get('day'),
    );
    await page.keyboard.press('j');
    await expectSoon(() => focused(page), `${today} 08:00`);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expectSoon(() => focused(page), `${today} 10:00`);
    await page.keyboard.press('Enter');
    await expectSoon(() => page.getByLabel('Starts').inputValue(), '10:00');
    await add(page, 'Signing');
    await expectSoon(() => focused(page), `${today} 10:00`);
    for (const press of [1, 2, 3, 4]) {
      await page.keyboard.press('ArrowUp');
      expect(press).toBeLessThan(5);
    }
    // Above the hours stands the whole day.
    await expectSoon(() => focused(page), String(today));
    expect(complaints).toEqual([]);
  });

  test('of a phone goes from day to day, too', async () => {
    const window = await windowOf(owner, phone);
    const { page, complaints } = window;
    await open(page, '/calendar?day=2031-03-12');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowRight');
    await expectSoon(() => focused(page), '2031-02-25');
    await takePicture(window, 'calendar-keys-390');
    await page.keyboard.press('Enter');
    await page.waitForURL('**day=2031-02-25*');
    expect(complaints).toEqual([]);
  });
});
