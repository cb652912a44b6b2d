import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  boxOf,
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { connect, movedBy } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
const reader = 'pat@harrow.example';
const stages = ['New', 'Contacted', 'Consultation', 'Fee proposal', 'Awaiting signature'];
let firm: Firm;

beforeAll(async () => {
  const { usualBlueprint } = await import('../support/firm.ts');
  firm = await makeFirm(server, {
    leadStages: stages,
    roles: [
      ...usualBlueprint.roles,
      { name: 'Paralegal', permissions: ['leads:read', 'contacts:read'] },
    ],
    members: [...usualBlueprint.members, { email: reader, name: 'Pat Reed', role: 'Paralegal' }],
  });
});

const windowOf = windowsAt(server, () => firm);

const makeLead = async (lastName: string, more: object = {}) => {
  const made = await firm.owner.post('/v1/leads', { firstName: 'Ada', lastName, ...more });
  expect(made.status).toBe(201);
  return made.body.data.id as string;
};

const stage = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, stageName: string, name: string) =>
  stage(page, stageName).getByRole('listitem').filter({ hasText: name });
const stageNow = async (id: string) => {
  const { body } = await firm.owner.get(`/v1/leads/${id}`);
  return Object.entries(firm.leadStages).find(
    ([, one]) => one === body.data.leadStageColumnId,
  )?.[0];
};

/** Opens the board, and waits until its script runs. */
const openBoard = async (page: Page) => {
  await page.goto('/leads');
  await page.waitForSelector('[draggable=true]', { state: 'attached' });
};

const drag = async (page: Page, lastName: string, from: string, to: string) => {
  await card(page, from, lastName).and(page.locator('[draggable=true]')).waitFor();
  const source = await boxOf(card(page, from, lastName));
  const target = await boxOf(stage(page, to));
  await page.mouse.move(source.x + 40, source.y + 60);
  await page.mouse.down();
  await page.mouse.move(source.x + 60, source.y + 70, { steps: 3 });
  await page.mouse.move(target.x + 80, target.y + 120, { steps: 5 });
};

describe.skipIf(!hasBrowser)('The board of leads', () => {
  test('moves a card by dragging, at once and for good, and back by Undo; Escape leaves it where it was', async () => {
    const id = await makeLead('Dragged');
    const { page, complaints } = await windowOf(attorney);
    await openBoard(page);
    await drag(page, 'Dragged', 'New', 'Contacted');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await card(page, 'New', 'Dragged').waitFor({ state: 'attached' });
    expect(await stageNow(id)).toBe('New');
    await drag(page, 'Dragged', 'New', 'Contacted');
    await takePicture({ page, complaints, close: async () => {} }, 'board-drag-1280');
    await page.mouse.up();
    await card(page, 'Contacted', 'Dragged').waitFor();
    await page.getByRole('status').filter({ hasText: 'Ada Dragged moved to Contacted.' }).waitFor();
    expect(await stageNow(id)).toBe('Contacted');
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await card(page, 'New', 'Dragged').waitFor();
    await page.getByRole('status').filter({ hasText: 'Ada Dragged moved to New.' }).waitFor();
    expect(await stageNow(id)).toBe('New');
    // It has the focus then, and again when the page is another: a colleague has made a lead.
    const link = page.getByRole('link', { name: 'Ada Dragged', exact: true });
    await link.and(page.locator(':focus')).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await makeLead('Newcomer');
    await card(page, 'New', 'Newcomer').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: 'Dragged moved to Contacted.' }).waitFor();
    await link.and(page.locator(':focus')).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: 'Dragged moved to New.' }).waitFor();
    await page.reload();
    await card(page, 'New', 'Dragged').waitFor({ state: 'attached' });
    expect(complaints).toEqual([]);
  });

  test('drops a card on Not hired and on Hire to decide it', async () => {
    const last = `Decided${crypto.randomUUID().slice(0, 4)}`;
    const id = await makeLead(last);
    const { page } = await windowOf(attorney);
    await openBoard(page);
    await drag(page, last, 'New', 'Contacted');
    // The places are shown once the browser has begun to drag.
    const place = await boxOf(page.locator('[data-decides="not-hired"]'));
    await page.mouse.move(place.x + 40, place.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(`**/leads/${id}?do=not-hired`);
    expect(await stageNow(id)).toBe('New');
  });

  test('Undo gives a card back how long it was there, on the board and on its page', async () => {
    const own = await makeFirm(server, { leadStages: stages });
    const made = await own.owner.post('/v1/leads', { firstName: 'Ada', lastName: 'Kept' });
    const { id } = made.body.data;
    const sql = connect(server.databaseUrl);
    await sql`update lead set created_at = ${movedBy(sql, 'created_at', '-8 days')}
      where firm_id = ${own.id} and id = ${id}`;
    const { page, complaints, close } = await windowsAt(server, () => own)(attorney);
    await openBoard(page);
    await card(page, 'New', 'Kept').getByText('8 days here').waitFor();
    await page.getByRole('link', { name: 'Ada Kept', exact: true }).focus();
    await page.keyboard.press('m');
    await page.getByRole('menu', { name: 'Move Ada Kept to' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'moved to Contacted' }).waitFor();
    await card(page, 'Contacted', 'Kept').getByText('under a minute here').waitFor();
    await page.keyboard.press('z');
    await page.getByRole('status').filter({ hasText: 'moved to New' }).waitFor();
    await card(page, 'New', 'Kept').getByText('8 days here').waitFor();
    await page.goto(`/leads/${id}`);
    await page.getByRole('button', { name: 'Move to Contacted' }).click();
    await page.getByRole('status').filter({ hasText: 'Moved to Contacted.' }).waitFor();
    await page.keyboard.press('z');
    await page.getByRole('status').filter({ hasText: 'Moved back.' }).waitFor();
    await page.goto('/leads');
    await card(page, 'New', 'Kept').getByText('8 days here').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('moves a card by keys that come faster than the menu says that it is open', async () => {
    const last = `Swift${crypto.randomUUID().slice(0, 4)}`;
    const id = await makeLead(last);
    const window = await windowOf(attorney);
    const { page } = window;
    await openBoard(page);
    await page.getByRole('link', { name: `Ada ${last}`, exact: true }).focus();
    await page.evaluate(async () => {
      for (const key of ['m', 'ArrowDown']) {
        const pressed = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(pressed);
      }
      await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown, 100)));
    });
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'moved to Consultation' }).waitFor();
    expect(await stageNow(id)).toBe('Consultation');
    await window.close();
  });

  test('is walked through, and its cards moved and assigned, by keys alone', async () => {
    // A name of this attempt's own, and focus that is waited for: a renewal may come between.
    const last = `Keyed${crypto.randomUUID().slice(0, 4)}`;
    const id = await makeLead(last);
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await openBoard(page);
    const link = page.getByRole('link', { name: `Ada ${last}`, exact: true });
    await link.focus();
    await page.keyboard.press('m');
    const menu = page.getByRole('menu', { name: `Move Ada ${last} to` });
    await menu.waitFor();
    await expectAccessible(window);
    await takePicture(window, 'board-menu-1280-dark');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    await link.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('m');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await card(page, 'Consultation', last).waitFor();
    await link.and(page.locator(':focus')).waitFor();
    await page.getByRole('status').filter({ hasText: 'moved to Consultation' }).waitFor();
    expect(await stageNow(id)).toBe('Consultation');

    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: `Assign Ada ${last}` });
    await dialog.waitFor();
    await expectAccessible(window);
    await takePicture(window, 'board-assign-1280-dark');
    await dialog.getByRole('checkbox', { name: 'Ada Harrow' }).check();
    await page.keyboard.press('Enter');
    await card(page, 'Consultation', last).getByRole('img', { name: 'Ada Harrow' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    expect(
      await page.evaluate(() => document.activeElement?.closest('section')?.ariaLabel),
    ).not.toBe('Consultation');
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/leads/${id}`);
    expect(complaints).toEqual([]);
  });

  test('a question that came with its page is answered once, and leaves its card to the keys', async () => {
    const last = `Early${crypto.randomUUID().slice(0, 4)}`;
    const id = await makeLead(last);
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    // Where a key that is pressed before the board's script has come leads.
    await page.goto(`/leads?do=assign:${id}`);
    const dialog = page.getByRole('dialog', { name: `Assign Ada ${last}` });
    await dialog.waitFor();
    await page.locator('.board[data-moves]').waitFor();
    await dialog.getByRole('checkbox', { name: 'Ada Harrow' }).check();
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: `Assigned Ada ${last} to` })
      .waitFor();
    await dialog.first().waitFor({ state: 'detached' });
    await expectSoon(async () => new URL(page.url()).search, '');
    const link = page.getByRole('link', { name: `Ada ${last}`, exact: true });
    await link.and(page.locator(':focus')).waitFor();

    await page.goto(`/leads?do=assign:${id}`);
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await link.and(page.locator(':focus')).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
    await window.close();
  });

  test('two people see the same within five seconds; focus stays', async () => {
    const [id, other] = [await makeLead('Shared'), await makeLead('Watched')];
    const [one, two] = [await windowOf(attorney), await windowOf(owner)];
    for (const { page } of [one, two]) {
      await openBoard(page);
    }
    const watched = two.page.getByRole('link', { name: 'Ada Watched', exact: true });
    await watched.focus();
    await card(one.page, 'New', 'Shared').getByRole('button', { name: 'Move Ada Shared' }).click();
    await one.page.getByRole('menuitemradio', { name: 'Fee proposal' }).click();
    await card(two.page, 'Fee proposal', 'Shared').waitFor();
    await watched.and(two.page.locator(':focus')).waitFor();
    expect(await stageNow(id)).toBe('Fee proposal');
    expect(await stageNow(other)).toBe('New');
  });

  test('who moves a card that another has moved is told by whom and where to, and chooses', async () => {
    const id = await makeLead('Overtaken');
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.route('**/live*', (route) => route.fulfill({ status: 204 }));
    const begin = async () => {
      await openBoard(page);
      await firm.owner.patch(`/v1/leads/${id}`, { leadStageColumnId: firm.leadStages.Contacted });
      await card(page, 'New', 'Overtaken').getByRole('button', { name: 'Move' }).click();
      await page.getByRole('menuitemradio', { name: 'Awaiting signature' }).click();
    };
    await begin();
    const dialog = page.getByRole('dialog', { name: 'Ada Overtaken was moved in the meantime' });
    await dialog.waitFor();
    expect(await dialog.getByRole('alert').textContent()).toMatch(
      /^Ada Harrow \(through key .+\) moved this lead to Contacted \(.+\)\. You wanted it in Awaiting signature\.$/,
    );
    await expectAccessible(window);
    await takePicture(window, 'board-overtaken-1280-dark');
    await dialog.getByRole('button', { name: 'Leave it in Contacted' }).click();
    await card(page, 'Contacted', 'Overtaken').waitFor({ state: 'attached' });
    expect(await stageNow(id)).toBe('Contacted');

    await firm.owner.patch(`/v1/leads/${id}`, { leadStageColumnId: firm.leadStages.New });
    await begin();
    await page.getByRole('button', { name: 'Move it to Awaiting signature' }).click();
    await card(page, 'Awaiting signature', 'Overtaken').waitFor();
    expect(await stageNow(id)).toBe('Awaiting signature');
    expect(complaints).toEqual([]);
  });

  test('a card returns where the server cannot move it, says so, and is tried again', async () => {
    const id = await makeLead('Unlucky');
    const window = await windowOf(attorney);
    const { page } = window;
    await openBoard(page);
    let refusals = 0;
    await page.route('**/leads**', (route) => {
      if (route.request().method() !== 'POST' || refusals > 0) return route.continue();
      refusals += 1;
      return route.fulfill({ status: 503, body: 'busy' });
    });
    await drag(page, 'Unlucky', 'New', 'Contacted');
    await page.mouse.up();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    await expectSoon(
      () => alert.textContent(),
      'Ada Unlucky is still in New. The server is busy.Retry',
    );
    await card(page, 'New', 'Unlucky').waitFor({ state: 'attached' });
    await expectAccessible(window);
    await takePicture(window, 'board-refused-1280-dark');
    // A colleague's new lead renews the board: why the card went back stays, and so does the focus.
    const retry = alert.getByRole('button', { name: 'Retry' });
    await retry.focus();
    await makeLead('Meanwhile');
    await card(page, 'New', 'Meanwhile').waitFor({ state: 'attached' });
    await retry.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await card(page, 'Contacted', 'Unlucky').waitFor();
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'moved to Contacted' }).waitFor();
    expect(await stageNow(id)).toBe('Contacted');
  });

  test('has no barriers, in light and dark, wide, on a phone and without a right to write', async () => {
    await makeLead('Nguyễn Thị Minh Khai', { value: 'MEDIUM', isPrivate: true });
    await makeLead('Abdul-Rahman al-Qahtani-Szczepańska-Wiśniewska', { value: 'HIGHEST' });
    for (const [name, email, options] of [
      ['board-1280', owner, {}],
      ['board-800', owner, { viewport: { width: 800, height: 900 } }],
      ['board-390', owner, phone],
      ['board-reader-1280', reader, {}],
    ] as const) {
      const window = await windowOf(email, options);
      const { page } = window;
      await page.goto('/leads');
      await expectAccessible(window);
      await takePicture(window, `${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
      await takePicture(window, name);
      expect(window.complaints).toEqual([]);
      const mayMove = email === owner;
      expect((await page.getByRole('button', { name: /^Move/ }).count()) > 0).toBe(mayMove);
      const hidden = page.getByRole('link', { name: 'Ada Nguyễn Thị Minh Khai', exact: true });
      await expectSoon(() => hidden.count(), mayMove ? 1 : 0);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    }
  });

  test('shows one stage on a phone, which is in the address', async () => {
    const { page } = await windowOf(attorney, phone);
    await openBoard(page);
    await stage(page, 'New').waitFor();
    await stage(page, 'Contacted').waitFor({ state: 'hidden' });
    await page.getByRole('combobox', { name: 'Stage' }).selectOption({ index: 1 });
    await stage(page, 'Contacted').waitFor();
    await page.reload();
    await stage(page, 'Contacted').waitFor();
    const first = stage(page, 'Contacted').getByRole('button', { name: /^Move/ }).first();
    await first.tap();
    await page.getByRole('menuitemradio', { name: 'New' }).waitFor();
    await takePicture({ page, complaints: [], close: async () => {} }, 'board-menu-390');
  });

  test('moves cards without a script', async () => {
    const id = await makeLead('Plain');
    const { page } = await windowOf(attorney, { javaScriptEnabled: false });
    await page.goto('/leads');
    await card(page, 'New', 'Plain').getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move Ada Plain to…' });
    await dialog.getByRole('button', { name: 'Contacted' }).click();
    await card(page, 'Contacted', 'Plain').waitFor({ state: 'attached' });
    expect(await stageNow(id)).toBe('Contacted');
  });

  test('draws a ring in the card that has the focus, in light, dark and forced colours', async () => {
    const last = `Ringed${crypto.randomUUID().slice(0, 4)}`;
    await makeLead(last);
    const window = await windowOf(attorney);
    const { page } = window;
    await openBoard(page);
    const link = page.getByRole('link', { name: `Ada ${last}`, exact: true });
    const here = card(page, 'New', last);
    for (const [name, media] of [
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['forced', { forcedColors: 'active' }],
    ] as const) {
      await page.emulateMedia(media);
      await link.focus();
      await page.keyboard.press('Shift');
      await takePicture(window, `board-focus-1280-${name}`);
      const focused = await here.screenshot();
      await link.blur();
      expect(focused.equals(await here.screenshot()), name).toBe(false);
    }
  });
});
