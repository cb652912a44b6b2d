/** The application where something around it differs: the time zone, the colours, the finger, the role. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectSoon, hasBrowser, phone, takePicture } from '../support/browser.ts';
import { connect } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let matter: string;
let lead: string;

beforeAll(async () => {
  firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  await ada.post('/settings/firm', { name: firm.firm.name, timeZone: 'America/Los_Angeles' });
  const opened = await firm.owner.post('/v1/matters', {
    title: 'Quill v. Rook',
    openDate: '2026-01-01',
    practiceAreaId: firm.practiceAreas.Family?.id,
    team: [{ memberId: firm.members[attorney] }],
  });
  matter = opened.body.data.id;
  const made = await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Quill' });
  lead = made.body.data.id;
});

const windowOf = windowsAt(server, () => firm);

const textOf = (page: Page) => page.getByRole('main').textContent();

describe.skipIf(!hasBrowser)('A browser in Tokyo', () => {
  test('shows and sends the days of a firm in Los Angeles', async () => {
    const { page, complaints } = await windowOf(attorney, { timezoneId: 'Asia/Tokyo' });
    await page.goto(`/matters/${matter}?do=limitation-date`);
    await page.getByRole('dialog').locator('[name=solDate]').fill('2031-12-15');
    await page.getByRole('dialog').locator('button:not([formmethod])').last().click();
    await page.locator('.limitation', { hasText: 'Mon 15 Dec 2031' }).waitFor();
    const stored = await firm.owner.get(`/v1/matters/${matter}`);
    expect(stored.body.data.solDate).toBe('2031-12-15');
    await page.goto(`/tasks/new?matter=${matter}`);
    await page.locator('[name=title]').fill('File the answer');
    await page.locator('[name=dueOn]').fill('2031-12-15');
    await page.getByRole('main').getByRole('button').last().click();
    await page.waitForURL(`**/matters/${matter}`);
    for (const path of [
      ...['/matters?view=list', '/tasks?show=all', `/matters/${matter}`],
      '/calendar?view=agenda&day=2031-12-10',
    ]) {
      await page.goto(path);
      const text = await textOf(page);
      expect([path, /15 Dec 2031/.test(text ?? ''), /1[46] Dec 2031/.test(text ?? '')]).toEqual([
        path,
        true,
        false,
      ]);
    }
    await page.goto(`/calendar/new?matter=${matter}`);
    expect(await textOf(page)).toContain('Los Angeles time');
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('A page', () => {
  const paths = () => [
    ...['/', '/leads', '/leads?view=list', `/leads/${lead}`, '/matters?view=list'],
    ...[`/matters/${matter}`, '/tasks', '/calendar', '/settings/members', '/sign-in'],
  ];

  test('on a touch screen has nothing to press that is under 40 pixels', async () => {
    const { page } = await windowOf(owner, phone);
    const small: string[] = [];
    for (const path of paths()) {
      await page.goto(path);
      const found = await page.evaluate(() => {
        const pressed =
          'button, summary, select, input:not([type=hidden]), [role=button], a.button, nav a';
        return [...document.querySelectorAll<HTMLElement>(pressed)]
          .filter((one) => one.checkVisibility({ visibilityProperty: true }))
          .filter((one) => !one.closest('.hide, .skip, .crumbs'))
          .map((one) => {
            const label = one.closest('label');
            const boxes = [one, ...(label ? [label] : [])].map((it) => it.getBoundingClientRect());
            const max = (side: 'width' | 'height') => Math.max(...boxes.map((box) => box[side]));
            return {
              html: one.outerHTML.slice(0, 120),
              width: max('width'),
              height: max('height'),
            };
          })
          .filter(({ width, height }) => width > 1 && (width < 39.5 || height < 39.5));
      });
      small.push(...found.map((one) => `${path} ${one.width}×${one.height} ${one.html}`));
    }
    expect(small).toEqual([]);
  });

  test('with a mouse has nothing to press that is under 24 pixels, and stands still where that is wished', async () => {
    const { page } = await windowOf(owner);
    const faults: string[] = [];
    for (const path of paths()) {
      await page.goto(path);
      const found = await page.evaluate(() => {
        const pressed =
          'button, summary, select, input:not([type=hidden]), [role=button], a.button';
        const small = [...document.querySelectorAll<HTMLElement>(pressed)]
          .filter((one) => one.checkVisibility({ visibilityProperty: true }))
          .filter((one) => !one.closest('.hide, .skip'))
          .filter((one) => {
            const parts = [one, ...(one.closest('label') ? [one.closest('label') as Element] : [])];
            const boxes = parts.map((part) => part.getBoundingClientRect());
            const [width, height] = (['width', 'height'] as const).map((side) =>
              Math.max(...boxes.map((box) => box[side])),
            );
            return (width ?? 0) > 1 && ((width ?? 0) < 23.5 || (height ?? 0) < 23.5);
          });
        const moving = [...document.querySelectorAll('*')].filter((one) => {
          const { transitionDuration, animationName } = getComputedStyle(one);
          return animationName !== 'none' || !/^(0s(, )?)+$/.test(transitionDuration);
        });
        return [
          ...small.map(({ outerHTML }) => `small ${outerHTML.slice(0, 120)}`),
          ...moving.map(({ outerHTML }) => `moves ${outerHTML.slice(0, 120)}`),
        ];
      });
      faults.push(...found.map((one) => `${path} ${one}`));
    }
    expect(faults).toEqual([]);
  });

  test('in forced colours shows every control and every tone by more than colour', async () => {
    const { page, complaints } = await windowOf(owner, { forcedColors: 'active' });
    for (const path of paths()) {
      await page.goto(path);
      const faults = await page.evaluate(() => {
        const shown = (one: Element) => one.checkVisibility({ visibilityProperty: true });
        const all = [...document.querySelectorAll<HTMLElement>('main *')].filter(shown);
        const edgeless = all
          .filter((one) => one.matches('button.button, input[type=text], select, textarea, .tag'))
          .filter((one) => getComputedStyle(one).borderTopWidth === '0px');
        const unseen = all.filter((one) => {
          const { color, backgroundColor } = getComputedStyle(one);
          return (
            one.childElementCount === 0 && one.textContent?.trim() && color === backgroundColor
          );
        });
        return [...edgeless, ...unseen].map(({ outerHTML }) => outerHTML.slice(0, 120));
      });
      expect([path, faults]).toEqual([path, []]);
    }
    for (const path of ['/', '/matters?view=list', `/matters/${matter}`, '/calendar']) {
      await page.goto(path);
      const alike = await page.evaluate(() => {
        const lookOf = (one: Element) => {
          const { backgroundColor, borderBottomColor } = getComputedStyle(one);
          return `${backgroundColor} ${borderBottomColor}`;
        };
        const peersOf = (one: Element) =>
          [...(one.closest('nav, ol, .split')?.querySelectorAll('a, button, .step') ?? [])].filter(
            (peer) => !peer.matches('[aria-current]') && peer.checkVisibility(),
          );
        const here = ':is(nav, ol, .split) [aria-current]';
        return [...document.querySelectorAll(here)]
          .filter((one) => one.checkVisibility())
          .filter((one) => peersOf(one).some((peer) => lookOf(peer) === lookOf(one)))
          .map(({ outerHTML }) => outerHTML.slice(0, 120));
      });
      expect([path, alike]).toEqual([path, []]);
    }
    const edgeOf = (selector: string) =>
      page.locator(selector).evaluate((one) => getComputedStyle(one).borderTopWidth);
    await page.goto(`/leads/${lead}?do=hire`);
    await page.getByRole('dialog').waitFor();
    expect(await edgeOf('dialog[open]')).toBe('1px');
    await page.goto('/');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    expect(await edgeOf('#new-menu')).toBe('1px');
    await page.goto(`/matters/${matter}`);
    await takePicture({ page, complaints, close: async () => {} }, 'forced-colours-matter');
    await page.goto('/leads');
    await takePicture({ page, complaints, close: async () => {} }, 'forced-colours-leads');
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('A role that loses a right', () => {
  test('is refused in words in a page that is open, and then reads only', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto(`/leads/${lead}`);
    const note = page.getByRole('textbox', { name: 'Note', exact: true });
    await note.fill('She called back at noon.');
    const sql = connect(server.databaseUrl);
    await sql`update role set permissions = array_remove(permissions, 'leads:write')
      where firm_id = ${firm.id} and name = 'Attorney'`;
    await sql.end();
    await page.getByRole('button', { name: 'Save note' }).first().click();
    const refused = page.getByRole('alert');
    await refused
      .getByText('Your role does not include this change. Ada Harrow can give you access.')
      .waitFor();
    await expectSoon(() => note.inputValue(), 'She called back at noon.');
    await takePicture(window, 'role-lost');
    await page.reload();
    const buttons = page.getByRole('main').getByRole('button');
    for (const name of [/note/i, /hire/i, /assign/i, /archive/i, /delete/i, /move/i]) {
      await buttons.filter({ hasText: name }).first().waitFor({ state: 'detached' });
    }
    // The contact is still theirs to change; of the lead nothing is.
    await page
      .locator(`[name=text], form[action="/leads/${lead}"]`)
      .first()
      .waitFor({ state: 'detached' });
    expect(await textOf(page)).toContain('Zoe Quill');
    expect(await textOf(page)).not.toContain('She called back');
    expect(complaints).toEqual([]);
  });
});
