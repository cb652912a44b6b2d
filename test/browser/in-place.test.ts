/** Choices that are edited in place save by themselves; of two who edit, the second one is asked in one line. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  barriersOf,
  boxOf,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;

beforeAll(async () => {
  firm = await makeFirm(server, {
    customFields: [{ on: 'lead', name: 'Employer', type: 'TEXT' }],
  });
});

const windowOf = windowsAt(server, () => firm);

const makeLead = async (more: object = {}): Promise<string> => {
  const made = await firm.owner.post('/v1/leads', { firstName: 'Ada', lastName: 'Byron', ...more });
  expect(made.status).toBe(201);
  return made.body.data.id;
};

const leadNow = async (id: string) => (await firm.owner.get(`/v1/leads/${id}`)).body.data;
const edit = (page: Page, label: string) =>
  page.locator('summary', { hasText: `Edit ${label}` }).click();
const value = (page: Page) => page.getByRole('combobox', { name: 'Value' });
const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });

/** The addresses of the forms that a page sends. */
const sentBy = (page: Page): string[] => {
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  return sent;
};

describe.skipIf(!hasBrowser)('A choice that is edited in place', () => {
  test('is saved once by arrow keys through its list, a moment after the last; Escape in time saves nothing', async () => {
    const id = await makeLead({ value: 'MEDIUM' });
    const { page, complaints } = await windowOf(attorney);
    const sent = sentBy(page);
    const valueNow = async () => (await leadNow(id)).value;
    // The page's timers stand still until the test moves them: however late a key comes, it is in time.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    await page.goto(`/leads/${id}`);
    await edit(page, 'Value');
    await value(page).press('ArrowDown');
    await page.clock.runFor(500);
    await page.keyboard.press('ArrowUp');
    await page.clock.runFor(500);
    await page.keyboard.press('ArrowUp');
    await page.clock.runFor(500);
    expect(sent).toHaveLength(0);
    await page.clock.runFor(100);
    await said(page, 'Value changed to ').waitFor();
    const chosen = await valueNow();
    expect(chosen).not.toBe('MEDIUM');
    expect(sent).toHaveLength(1);
    await expectSoon(
      () => page.locator('*:focus').textContent(),
      expect.stringContaining('Edit Value'),
    );
    await page.keyboard.press('Enter');
    await value(page).press('ArrowDown');
    await page.keyboard.press('Escape');
    await value(page).waitFor({ state: 'hidden' });
    await page.clock.runFor(5_000);
    expect(await valueNow()).toBe(chosen);
    await edit(page, 'Value');
    await value(page).press('ArrowDown');
    await page.keyboard.press('Enter');
    await expectSoon(async () => (await valueNow()) !== chosen, true);
    await page.clock.runFor(5_000);
    expect(sent).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  test('is saved at once when it is left, by a key or the pointer, and only then; left as it was, nothing is sent', async () => {
    const id = await makeLead({ value: 'MEDIUM' });
    const { page, complaints } = await windowOf(attorney);
    const sent = sentBy(page);
    const valueNow = async () => (await leadNow(id)).value;
    // Less than the moment after which a choice saves itself.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    await page.goto(`/leads/${id}`);
    const ways = [
      () => page.keyboard.press('Shift+Tab'),
      () => page.getByRole('heading', { level: 1 }).click(),
    ];
    for (const [at, leave] of ways.entries()) {
      const before = await valueNow();
      await edit(page, 'Value');
      await value(page).press('ArrowDown');
      await page.clock.runFor(100);
      expect(sent).toHaveLength(at);
      await leave();
      await page.clock.runFor(100);
      await expectSoon(async () => (await valueNow()) !== before, true);
      await value(page).waitFor({ state: 'hidden' });
      await page.clock.runFor(5_000);
      expect(sent).toHaveLength(at + 1);
    }
    for (const leave of ways) {
      await edit(page, 'Value');
      await value(page).and(page.locator(':focus')).waitFor();
      await leave();
      await page.clock.runFor(100);
      await value(page).waitFor({ state: 'hidden' });
    }
    expect(sent).toHaveLength(2);
    // A name that is ticked, too; and not over what a colleague chose meanwhile.
    await edit(page, 'Assigned');
    await page.getByRole('checkbox', { name: 'Ben Lane' }).check();
    await page.getByRole('heading', { level: 1 }).click();
    await page.clock.runFor(100);
    await said(page, 'Assigned Ada Byron to Ben Lane').waitFor();
    expect(sent).toHaveLength(3);
    await page.goto(`/leads/${id}`);
    await edit(page, 'Value');
    await value(page).press('ArrowUp');
    expect((await firm.owner.patch(`/v1/leads/${id}`, { value: 'HIGHEST' })).status).toBe(200);
    await page.getByRole('heading', { level: 1 }).click();
    await page.clock.runFor(100);
    await page.getByRole('alert').filter({ hasText: 'changed this to Highest' }).waitFor();
    expect(await valueNow()).toBe('HIGHEST');
    expect(complaints).toEqual([]);
  });

  test('of an area with its stages is saved too, stays open for the stage, and comes back by Undo', async () => {
    const { Family: family, Estates: estates } = firm.practiceAreas;
    const sent = { title: 'Byron', practiceAreaId: estates?.id, openDate: '2026-03-03' };
    const { id } = (await firm.owner.post('/v1/matters', sent)).body.data;
    const now = async () => {
      const { practiceArea, stage } = (await firm.owner.get(`/v1/matters/${id}`)).body.data;
      return [practiceArea.name, stage.name];
    };
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/matters/${id}`);
    await edit(page, 'Practice area');
    const area = page.getByRole('combobox', { name: 'Practice area' });
    await area.selectOption(family?.id ?? '');
    await said(page, 'Practice area changed to Family').waitFor();
    await area.and(page.locator(':focus')).waitFor();
    expect(await now()).toEqual(['Family', 'Intake']);
    const stage = page.getByRole('combobox', { name: 'Stage' });
    await stage.selectOption(family?.stages.Filed ?? '');
    await said(page, 'Practice area changed to Family, Filed.').waitFor();
    expect(await now()).toEqual(['Family', 'Filed']);
    await page.keyboard.press('Escape');
    await stage.waitFor({ state: 'hidden' });
    await edit(page, 'Practice area');
    await area.selectOption(estates?.id ?? '');
    await said(page, 'Practice area changed to Estates').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Practice area is as it was before.').waitFor();
    expect(await now()).toEqual(['Family', 'Filed']);
    expect(complaints).toEqual([]);
  });

  test('of names to tick stays open for the next, and each is kept', async () => {
    const id = await makeLead();
    const { page, complaints } = await windowOf(owner);
    await page.goto(`/leads/${id}`);
    await edit(page, 'Assigned');
    const box = (name: string) => page.getByRole('checkbox', { name });
    await box('Ben Lane').check();
    await said(page, 'Assigned Ada Byron to Ben Lane.').waitFor();
    await box('Ben Lane').and(page.locator(':focus')).waitFor();
    await box('Ada Harrow').check();
    await said(page, 'Assigned Ada Byron to Ada Harrow and Ben Lane.').waitFor();
    await page.keyboard.press('Escape');
    await box('Ben Lane').waitFor({ state: 'hidden' });
    await page
      .locator('summary', { hasText: 'Ada Harrow' })
      .filter({ hasText: 'Ben Lane' })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test('that is refused stays open with the focus in it', async () => {
    const id = await makeLead({ isPrivate: true });
    const { page } = await windowOf(owner);
    await page.goto(`/leads/${id}`);
    await edit(page, 'Assigned');
    const box = page.getByRole('checkbox', { name: 'Ben Lane' });
    await box.check();
    await said(page, 'Assigned Ada Byron to').waitFor();
    await box.and(page.locator(':focus')).waitFor();
    await page
      .locator('[name=assigneeIds]:checked')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).click()));
    await page.getByRole('alert').waitFor();
    await page.locator('details.edit[open] :focus').waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
  });
});

describe.skipIf(!hasBrowser)('Of two who edit the same value', () => {
  test('the second reads in one line who changed it, and uses theirs or keeps their own', async () => {
    const id = await makeLead({ value: 'LOW' });
    const [ada, ben] = [await windowOf(owner), await windowOf(attorney)];
    const begin = async () => {
      await ben.page.goto(`/leads/${id}`);
      await edit(ben.page, 'Value');
      await ada.page.goto(`/leads/${id}`);
      await edit(ada.page, 'Value');
    };
    // It is saved by itself.
    const choose = (page: Page, to: string) => value(page).selectOption(to);
    await begin();
    await choose(ada.page, 'HIGHEST');
    await said(ada.page, 'Value changed to Highest.').waitFor();
    await choose(ben.page, 'MEDIUM');
    const line = ben.page.getByRole('alert').filter({ hasText: 'Ada changed this to Highest' });
    await line.waitFor();
    await line.and(ben.page.locator(':focus')).waitFor();
    const [wide, panel] = [
      await line.locator('..').boundingBox(),
      await ben.page.locator('#details').boundingBox(),
    ];
    expect((panel?.width ?? 0) - (wide?.width ?? 0)).toBeLessThan(60);
    await takePicture(ben, 'conflict-1280');
    expect(await barriersOf(ben, '#details')).toEqual([]);
    await ben.page.getByRole('button', { name: "Use Ada's" }).click();
    await line.waitFor({ state: 'detached' });
    expect((await leadNow(id)).value).toBe('HIGHEST');
    await begin();
    await choose(ada.page, 'LOWEST');
    await said(ada.page, 'Value changed to Lowest.').waitFor();
    await choose(ben.page, 'MEDIUM');
    await ben.page.getByRole('button', { name: 'Keep mine' }).click();
    await said(ben.page, 'Value changed to Medium.').waitFor();
    expect((await leadNow(id)).value).toBe('MEDIUM');
    expect([...ada.complaints, ...ben.complaints]).toEqual([]);
  });

  test('the second sees the line with both answers, however near the value is to the edge of the window', async () => {
    for (const [options, above] of [
      [{ viewport: { width: 1280, height: 800 } }, 80],
      [phone, 80],
      [phone, 20],
    ] as const) {
      const id = await makeLead({ value: 'LOW' });
      const window = await windowOf(attorney, options);
      const { page } = window;
      const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
      await page.goto(`/leads/${id}`);
      await edit(page, 'Value');
      expect((await firm.owner.patch(`/v1/leads/${id}`, { value: 'HIGHEST' })).status).toBe(200);
      const dock = page.getByRole('navigation', { name: 'Main, phone' });
      const bottom = (await dock.isVisible()) ? (await boxOf(dock)).y : height;
      // Above and below the page there is room for the value at any place.
      await value(page).evaluate((one, to) => {
        const app = document.querySelector<HTMLElement>('.app');
        if (app) app.style.paddingBlock = '1000px';
        scrollBy(0, one.getBoundingClientRect().bottom - to);
      }, bottom - above);
      await value(page).selectOption('MEDIUM');
      const line = page.getByRole('alert').filter({ hasText: 'changed this to Highest' });
      await line.and(page.locator(':focus')).waitFor({ timeout: 10_000 });
      await takePicture(window, `conflict-edge-${width}-${above}`);
      for (const part of [line, ...(await line.locator('..').getByRole('button').all())]) {
        const { y, height: tall } = await boxOf(part);
        expect(y, `${width}, ${above}`).toBeGreaterThanOrEqual(56);
        expect(y + tall, `${width}, ${above}`).toBeLessThanOrEqual(bottom);
      }
    }
  });
});
