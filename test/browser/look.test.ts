/** How pages look where there is nothing, in lists with long names, and in small windows. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
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
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  const [attorneys] = usualBlueprint.roles;
  const permissions = ['contacts:read', 'leads:read', 'matters:read'];
  firm = await makeFirm(server, { roles: [attorneys, { name: 'Bookkeeper', permissions }] });
});
const windowOf = windowsAt(server, () => firm);

const matter = async (title: string, more: object = {}) =>
  (
    await firm.owner.post('/v1/matters', {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2019-03-03',
      title,
      ...more,
    })
  ).body.data.id as string;

/** A day so many days from now, `YYYY-MM-DD`. */
const inDays = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe.skipIf(!hasBrowser)('What is empty', () => {
  test('says what to do, in a list as on its board, to those who may', async () => {
    const window = await windowOf(attorney);
    const { page: reader } = await windowOf(bookkeeper);
    for (const [path, words, name] of [
      ['/leads', 'No active leads.', 'New lead'],
      ['/leads?view=list', 'There are no leads here yet.', 'New lead'],
      ['/matters?view=list', 'There are no matters here yet.', 'New matter'],
    ] as const) {
      const { page } = window;
      await page.goto(path);
      const empty = page.locator('.empty').filter({ hasText: words });
      const action = empty.getByRole('link', { name, exact: true });
      await expectSoon(() => action.getAttribute('href'), `${path.split('?')[0]}/new`, path);
      await expectAccessible(window);
      await reader.goto(path);
      await reader.locator('.empty').filter({ hasText: words }).waitFor();
      await reader
        .locator('main')
        .getByRole('link', { name, exact: true })
        .first()
        .waitFor({ state: 'detached' });
    }
  });

  test('leads to the practice areas where there is none yet, for those who may make one', async () => {
    const of = await makeFirm(server, { practiceAreas: [] });
    const window = await openWindow(server.url, phone);
    const { page } = window;
    const link = page
      .locator('.empty')
      .getByRole('link', { name: 'Practice areas in the settings' });
    for (const email of [attorney, owner]) {
      await signIn(window, server, of, email);
      await page.goto('/matters');
      await page.locator('.empty').getByRole('link', { name: 'Show the list' }).waitFor();
      expect(await link.count(), email).toBe(email === owner ? 1 : 0);
    }
    await page.goto('/reports/matters');
    await link.click();
    await page.getByRole('heading', { name: 'Practice areas', level: 1 }).waitFor();
    await window.close();
  });

  test('is one line in a panel, with the link that adds one', async () => {
    const id = await matter('Quill v. Rook');
    for (const options of [{}, phone]) {
      const window = await windowOf(attorney, options);
      const { page, complaints } = window;
      await page.goto(`/matters/${id}`);
      for (const [panel, words, path] of [
        ['Tasks', 'No tasks yet.', `/tasks/new?matter=${id}`],
        ['Events', 'No events yet.', `/calendar/new?matter=${id}`],
      ] as const) {
        const none = page.getByRole('region', { name: panel }).locator('.none');
        expect(await none.textContent()).toStartWith(words);
        const [height] = await boxesOf(none, 'height');
        expect(height).toBeLessThanOrEqual(64);
        await expectSoon(() => none.getByRole('link').getAttribute('href'), path);
      }
      await page.getByText('Add a description').waitFor();
      await expectAccessible(window);
      await takePicture(window, `matter-empty-${options === phone ? 390 : 1280}`);
      expect(complaints).toEqual([]);
    }
    const { page: reader } = await windowOf(bookkeeper);
    await reader.goto(`/matters/${id}`);
    await reader.getByText('No tasks yet.').waitFor();
    await reader
      .getByRole('link', { name: /Add one/ })
      .first()
      .waitFor({ state: 'detached' });
    await reader.getByText('Add a description').first().waitFor({ state: 'detached' });
  });
});

test.skipIf(!hasBrowser)('The rows of a list have one height, however long a name is', async () => {
  const long = 'Whitcombe Vale Farms and all who belong to them against the county of Kestrel';
  for (const title of [long, 'Short', `${long}, and others`]) await matter(title);
  // Long ago, soon, and far away; the last one is met.
  for (const solDate of ['2020-11-24', inDays(20), '2091-11-24']) await matter(long, { solDate });
  const met = await matter('Met', { solDate: inDays(9) });
  const ben = await visitorOf(server, firm, attorney);
  expect((await ben.post(`/matters/${met}/limitation/met`, { metOn: inDays(0) })).status).toBe(303);
  for (const [lastName, ...nextTouch] of [
    ['Overdue', '2020-11-24', '14:30'],
    ['Later', '2091-11-24', '14:30'],
    [long],
  ] as const) {
    const { id } = (await firm.owner.post('/v1/leads', { lastName })).body.data;
    expect((await ben.post(`/leads/${id}`, { nextTouch })).status).toBe(303);
  }
  const window = await windowOf(attorney);
  const { page } = window;
  for (const path of ['/leads?view=list', '/matters?view=list']) {
    await page.goto(path);
    const heights = await page.evaluate(() =>
      [...document.querySelectorAll('main tbody tr')].map((row) =>
        Math.round(row.getBoundingClientRect().height),
      ),
    );
    expect(heights.length, path).toBeGreaterThan(2);
    expect(Math.max(...heights) - Math.min(...heights), path).toBeLessThanOrEqual(1);
    expect(Math.max(...heights), path).toBeLessThanOrEqual(38);
    await takePicture(window, `one-line${path.slice(1, 4)}`);
  }
  const soon = page.locator('td.away', { hasText: 'in 20 days' });
  await expectSoon(() => soon.textContent(), expect.stringMatching(/^in 20 days, .*\d{4}$/));
  await page.setViewportSize({ width: 390, height: 844 });
  // A long title has two lines there.
  const ofShort = page.locator('main tbody tr').filter({ hasText: /Met|Short/ });
  const onPhone = await boxesOf(ofShort, 'height');
  expect(onPhone).toHaveLength(2);
  expect(Math.max(...onPhone) - Math.min(...onPhone)).toBeLessThanOrEqual(1);
  await takePicture(window, 'matters-one-line-390');
  await page.setViewportSize({ width: 1280, height: 800 });
  const name = page.getByRole('link', { name: long, exact: true }).first();
  await expectSoon(() => name.getAttribute('title'), long);
  await takePicture(window, 'matters-one-line-1280');
});

test.skipIf(!hasBrowser)(
  'At 400 % the bars scroll away, and leave the window to the page',
  async () => {
    const id = await matter('Zoomed');
    const window = await windowOf(attorney, { viewport: { width: 320, height: 256 } });
    const { page } = window;
    for (const path of [`/matters/${id}`, '/matters?view=list']) {
      await page.goto(path);
      await page.mouse.wheel(0, 200);
      await page.waitForFunction(() => scrollY > 100);
      const inSight = await page.evaluate(() =>
        [...document.querySelectorAll('.bar, .dock')].map((bar) => {
          const { top, bottom } = bar.getBoundingClientRect();
          return Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
        }),
      );
      expect(inSight, path).toEqual([0, 0]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(320);
    }
    await page.getByRole('navigation', { name: 'Main, phone' }).getByRole('link').last().focus();
    await page.waitForFunction(() => {
      const { bottom = 0 } = document.querySelector('.dock')?.getBoundingClientRect() ?? {};
      return bottom > 0 && bottom <= innerHeight + 1;
    });
    await takePicture(window, 'zoomed-320');
  },
);

test.skipIf(!hasBrowser)('A list that goes on beyond its edge is shaded there', async () => {
  const window = await windowOf(attorney, { viewport: { width: 800, height: 700 } });
  await window.page.goto('/matters?view=list');
  await takePicture(window, 'edge-800');
  const box = window.page.locator('.table-box');
  await box.evaluate((one) => one.scrollTo(10_000, 0));
  await takePicture(window, 'edge-800-end');
  expect(await box.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
  expect(await box.evaluate((one) => getComputedStyle(one).backgroundAttachment)).toBe(
    'local, scroll',
  );
});

test.skipIf(!hasBrowser)('Each offer of the palette has the icon of its place', async () => {
  await firm.owner.post('/v1/contacts', { firstName: 'Ivo', lastName: 'Lindqvist' });
  for (const options of [{}, phone]) {
    const window = await windowOf(attorney, options);
    const { page, complaints } = window;
    await page.goto('/');
    await page.keyboard.press('Control+k');
    const offers = page.locator('.palette [role=option]');
    for (const words of ['', 'lindq', 'new']) {
      await page.keyboard.type(words);
      await offers
        .filter({ hasText: { '': 'Home', lindq: 'Lindqvist', new: 'New lead' }[words] ?? '' })
        .first()
        .waitFor();
      const widths = await offers.evaluateAll((all) =>
        all.map((one) => one.querySelector('use')?.getBBox().width ?? 0),
      );
      expect(widths.length).toBeGreaterThan(0);
      expect(
        widths.every((width) => width > 0),
        words,
      ).toBe(true);
      await takePicture(window, `palette-${words || 'empty'}-${options === phone ? 390 : 1280}`);
      await page.keyboard.press('Control+a');
    }
    await expectAccessible(window);
    expect(complaints).toEqual([]);
  }
});

/** What of a page's words matches a pattern and is cut by the end of a line. */
const cutIn = (page: Page, pattern: RegExp) =>
  page.locator('main').evaluate((main, source) => {
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const cut: string[] = [];
    let found = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { 0: words, index } of node.nodeValue?.matchAll(new RegExp(source, 'g')) ?? []) {
        const range = new Range();
        range.setStart(node, index);
        range.setEnd(node, index + words.length);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        found += 1;
        if (tops.size > 1) cut.push(words);
      }
    }
    return { cut, isFound: found > 0 };
  }, pattern.source);

test.skipIf(!hasBrowser)(
  'No day or phone number is cut by the end of a line on a phone',
  async () => {
    const of = await makeFirm(server);
    const ada = await visitorOf(server, of, owner);
    const rule = { amount: '20', unit: 'workingDays', direction: 'after', trigger: 'opened' };
    const made = { name: 'Answer', ...rule, rolling: 'next', makes: 'task' };
    const { location } = await ada.post('/settings/date-rules', made);
    for (const firstName of ['Zoe', 'Zoe Anne', 'Zoe Anne Whitcombe']) {
      const person = { firstName, lastName: 'Quill', phone: '+44 20 7946 0621' };
      const practiceAreaId = of.practiceAreas.Estates?.id;
      expect((await of.owner.post('/v1/leads', { ...person, practiceAreaId })).status).toBe(201);
    }
    const { page, close } = await openWindow(server.url, phone);
    await signIn({ page, complaints: [], close }, server, of, owner);
    for (const [path, pattern] of [
      ['/settings/date-rules', /\w{3}\s\d+\s\w{3}\s\d{4}/],
      [location ?? '', /\w{3}\s\d+\s\w{3}\s\d{4}/],
      ['/search?q=quill', /\+44[\s\d]{12}/],
    ] as const) {
      for (const width of [390, 360, 320]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto(path);
        expect([path, width, await cutIn(page, pattern)]).toEqual([
          path,
          width,
          { cut: [], isFound: true },
        ]);
      }
    }
    await close();
  },
);

test.skipIf(!hasBrowser)(
  'Names and words beside each other do not run into each other',
  async () => {
    const of = await makeFirm(server, {
      roles: ['Administrator', 'Attorney', 'Bookkeeper', 'Intake', 'Paralegal', 'Secretary'].map(
        (name) => ({ name, permissions: ['contacts:read'] }),
      ),
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Dana Whitcombe-Ashgrove', role: 'Attorney' },
      ],
    });
    const { body } = await of.owner.post('/v1/leads', { lastName: 'Quill' });
    const leadId = body.data.id;
    const assigneeId = of.members[attorney];
    await of.owner.post('/v1/tasks', { leadId, title: 'Call', assigneeId });
    const url = 'https://hooks.harrow-web.example/matterhorn/leads/from-the-website';
    const endpoint = await of.owner.post('/v1/webhook-endpoints', { url, types: ['lead.created'] });
    const window = await openWindow(server.url);
    const { page } = window;
    await signIn(window, server, of, owner);

    await page.goto(`/settings/webhooks/${endpoint.body.data.id}`);
    const apart = await page.locator('#endpoint dl > div').evaluateAll((rows) =>
      rows.map((row) => {
        const [left, right] = ['dt', 'dd'].map((part) => {
          const range = new Range();
          range.selectNodeContents(row.querySelector(part) as Element);
          const { top, height } = range.getClientRects()[0] as DOMRect;
          return top + height / 2;
        });
        return Math.abs((left ?? 0) - (right ?? 99));
      }),
    );
    expect(apart).toHaveLength(5);
    expect(Math.max(...apart)).toBeLessThanOrEqual(3);
    await page.goto('/settings/webhooks');
    expect((await boxesOf(page.locator('tbody th code'), 'height'))[0]).toBeLessThanOrEqual(20);
    await page.goto('/settings/roles');
    const named = await boxesOf(page.locator('.matrix tbody th[scope=row]'), 'width');
    expect(Math.min(...named)).toBeGreaterThanOrEqual(190);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/reports/workload');
    const edges = await page.locator('.loads tbody tr').evaluateAll((rows) =>
      rows.map((row) => {
        const [name, load] = [...row.children].map((cell) => cell.getBoundingClientRect());
        return (load?.left ?? 0) - (name?.right ?? 0);
      }),
    );
    expect(edges.length).toBeGreaterThan(0);
    expect(Math.min(...edges)).toBeGreaterThanOrEqual(8);
    await window.close();
  },
);

test.skipIf(!hasBrowser)(
  'A long form in a dialog keeps its buttons in sight, and they cover no field that has the focus',
  async () => {
    for (const options of [{}, phone]) {
      const window = await openWindow(server.url, options);
      const { page } = window;
      await signIn(window, server, firm, owner);
      await page.goto('/settings/keys?do=new-key');
      const dialog = page.getByRole('dialog', { name: 'New key' });
      const sends = dialog.getByRole('button', { name: 'Create key' });
      await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor();
      const height = page.viewportSize()?.height ?? 0;
      const body = dialog.locator('.body');
      expect(await body.evaluate((one) => one.scrollHeight > one.clientHeight + 100)).toBe(true);
      const { y, height: tall } = await boxOf(sends);
      expect(y + tall).toBeLessThanOrEqual(height);
      const hidden = await page.evaluate(async () => {
        const foot = document.querySelector('dialog[open] .row.end') as HTMLElement;
        const covered: string[] = [];
        for (const field of document.querySelectorAll<HTMLElement>(
          'dialog[open] .body :is(input, select)',
        )) {
          if (!field.checkVisibility()) continue;
          field.focus();
          await new Promise(requestAnimationFrame);
          const { bottom } = field.getBoundingClientRect();
          if (bottom > foot.getBoundingClientRect().top) covered.push(field.id);
        }
        return covered;
      });
      expect(hidden).toEqual([]);
      await expectAccessible(window);
      await takePicture(window, `long-dialog-${options === phone ? 390 : 1280}`);
      await window.close();
    }
  },
);

test.skipIf(!hasBrowser)(
  'A summary of what is wrong has a ring, also where it was pressed for',
  async () => {
    const { page } = await windowOf(attorney);
    await page.goto('/tasks/new');
    await page.getByRole('button', { name: 'Add task' }).click();
    const summary = page.getByRole('alert').and(page.locator(':focus'));
    await summary.waitFor();
    expect(await summary.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe('solid');
  },
);
