import { beforeAll, describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
const hostile = `</script><img src=x onerror=alert(1)>"'<!-- Quill`;
let firm: Firm;
let contactId: string;

beforeAll(async () => {
  firm = await makeFirm(server);
  const made = await firm.owner.post('/v1/contacts', {
    firstName: 'Zoë',
    lastName: 'Brontë-Whitfield',
    emails: ['zoe@bronte.example'],
    phones: ['+44 20 7946 0100'],
  });
  contactId = made.body.data.id;
  await firm.owner.post('/v1/contacts', { type: 'COMPANY', companyName: hostile });
  await firm.owner.post('/v1/leads', { firstName: 'Łukasz', lastName: 'Żak' });
});

const windowOf = windowsAt(server, () => firm);

describe.skipIf(!hasBrowser)('The frame', () => {
  test('shows what the role reads, and nothing else', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.goto('/');
    const main = page.getByRole('navigation', { name: 'Main', exact: true });
    await main.getByRole('link', { name: 'Contacts' }).waitFor({ state: 'attached' });
    const clerk = await windowOf(bookkeeper);
    await clerk.page.goto('/contacts');
    await clerk.page
      .getByRole('link', { name: 'New contact' })
      .first()
      .waitFor({ state: 'detached' });
    await clerk.page.goto(`/contacts/${contactId}`);
    expect(await clerk.page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Zoë Brontë-Whitfield',
    );
    await clerk.page.locator('details.edit').first().waitFor({ state: 'detached' });
    await clerk.page.goto('/contacts/new');
    expect(await clerk.page.getByRole('alert').textContent()).toBe(
      'Your role does not include this page.Ada Harrow can give you access.',
    );
    expect([...complaints, ...clerk.complaints]).toEqual([]);
  });

  test('says on paper whose page it is, who printed it and when, and not on the screen', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.clock.install({ time: new Date('2026-03-02T10:00:00Z') });
    await page.goto(`/contacts/${contactId}`);
    const line = page.getByText(/Printed by Ada Harrow/);
    expect(await line.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await line.waitFor();
    const top = await line.evaluate((one) => one.getBoundingClientRect().bottom);
    const title = await page
      .getByRole('heading', { level: 1 })
      .evaluate((one) => one.getBoundingClientRect().top);
    expect(top).toBeLessThanOrEqual(title);
    const said = () => line.textContent();
    // As the server wrote it, and hours later, on the page that stayed open.
    const form = /^Firm .* · Printed by Ada Harrow, \w{3} \d{1,2} \w{3} \d{4}, \d\d:\d\d$/;
    expect(await said()).toMatch(form);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const { text: zone } = await page
      .locator('.printed time')
      .evaluate(({ dataset }: HTMLElement) => ({ text: dataset.zone ?? '' }));
    const hour = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit' });
    const then = new Date('2026-03-02T10:00:00Z');
    expect(await said()).toEndWith(`Ada Harrow, Mon 2 Mar 2026, ${hour.format(then)}:00`);
    const written = async (order: string, clock: string) => {
      await page.locator('.printed time').evaluate(
        (one: HTMLElement, words) => {
          Object.assign(one.dataset, words);
          dispatchEvent(new Event('beforeprint'));
        },
        { order, clock },
      );
      return (await said())?.split('Ada Harrow, ')[1];
    };
    expect(await written('YMD', '24')).toBe(`Mon 2026-03-02, ${hour.format(then)}:00`);
    expect(await written('MDY', '12')).toMatch(/^Mon Mar 2, 2026, \d{1,2}:00 [AP]M$/);
    expect(complaints).toEqual([]);
  });

  test('has no barriers, in light and dark, wide and on a phone; names are inert', async () => {
    for (const [size, options] of [
      ['1280', {}],
      ['800', { viewport: { width: 800, height: 900 } }],
      ['390', phone],
    ] as const) {
      const window = await windowOf(owner, options);
      const paths = {
        home: '/',
        inbox: '/inbox',
        contacts: '/contacts',
        contact: `/contacts/${contactId}`,
        'contact-new': '/contacts/new',
        search: '/search?q=quill',
        nowhere: '/nowhere',
      };
      for (const [name, path] of Object.entries(paths)) {
        await window.page.goto(path);
        await expectAccessible(window);
        await window.page.emulateMedia({ colorScheme: 'light' });
        await takePicture(window, `${name}-${size}`);
        await window.page.emulateMedia({ colorScheme: 'dark' });
        await takePicture(window, `${name}-${size}-dark`);
        const wide = await window.page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, `${path} at ${size}`).toBeLessThanOrEqual(Number(size));
      }
      expect(window.complaints).toEqual([]);
    }
  });

  test('brings at most 60 kB of scripts and styles at the first visit, and nothing at the next', async () => {
    const { page } = await windowOf(owner);
    const loaded = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.includes('/assets/'))
          .map((entry) => {
            const { name, encodedBodySize, transferSize } = entry as PerformanceResourceTiming;
            return { name, encodedBodySize, transferSize };
          }),
      );
    const first = new Map<string, number>();
    for (const path of ['/', '/leads', '/leads/new']) {
      await page.goto(path);
      for (const { name, encodedBodySize } of await loaded()) first.set(name, encodedBodySize);
    }
    const bytes = [...first.values()].reduce((sum, size) => sum + size, 0);
    expect(first.size).toBeGreaterThan(2);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes, [...first].join('\n')).toBeLessThanOrEqual(60_000);
    await page.goto('/leads/new');
    // What a page asks for late may not have been there when the page was left.
    const isAgain = ({ name, transferSize }: { name: string; transferSize: number }) =>
      first.has(name) && transferSize > 0;
    expect((await loaded()).filter(isAgain)).toEqual([]);
  });

  test('opens its menus and its keys without a mouse, and gives the focus back', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto('/inbox');
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.waitFor();
    await expectAccessible(window);
    await takePicture(window, 'keys-1280');
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    const account = page.getByRole('button', { name: 'Ben Lane: your account' });
    await account.focus();
    await page.keyboard.press('Enter');
    const dark = page.getByRole('menuitemradio', { name: 'Dark' });
    await dark.waitFor();
    await expectAccessible(window);
    await takePicture(window, 'account-1280');
    await dark.click();
    await page.waitForURL('**/inbox');
    await expectSoon(() => page.getAttribute('html', 'data-theme'), 'dark');
    expect(complaints).toEqual([]);
  });

  test('finds by three letters and Enter', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto('/');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.waitFor();
    await page.keyboard.type('bro');
    await page.getByRole('option', { name: /Zoë Brontë-Whitfield/ }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'palette-1280');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/contacts/${contactId}`);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('An edit', () => {
  test('in place is kept, refused beside its field, and asks where another was faster', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.goto(`/contacts/${contactId}`);
    const edit = page.locator('details.edit', { hasText: 'Edit First name' });
    await edit.locator('summary').click();
    await page.getByRole('textbox', { name: 'First name' }).fill('Zoe');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Zoe Brontë-Whitfield' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/contacts/${contactId}`);

    await edit.locator('summary').click();
    await page.getByRole('textbox', { name: 'First name' }).fill('x'.repeat(200));
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    await expectSoon(
      () => alert.textContent(),
      expect.stringContaining('First name must have at most 128 characters.'),
    );
    const field = page.getByRole('textbox', { name: 'First name' });
    await expectSoon(() => field.getAttribute('aria-invalid'), 'true');
    await expectSoon(() => field.inputValue(), 'x'.repeat(200));
    await expectAccessible(window);
    await takePicture(window, 'refused-1280');

    await firm.owner.patch(`/v1/contacts/${contactId}`, { firstName: 'Zoltan' });
    await field.fill('Zora');
    await page.keyboard.press('Enter');
    await page.getByText('API key changed this to Zoltan').waitFor();
    await takePicture(window, 'conflict-1280');
    await page.getByRole('button', { name: "Use API key's" }).waitFor({ state: 'attached' });
    await page.getByRole('textbox', { name: 'First name' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Zora Brontë-Whitfield' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('works without a script', async () => {
    const { page } = await windowOf(owner, { javaScriptEnabled: false });
    await page.goto(`/contacts/new`);
    await page.getByRole('textbox', { name: 'First name' }).fill('Ieuan');
    await page.getByRole('textbox', { name: 'Last name' }).fill('ap Rhys');
    await page.getByRole('button', { name: 'Create contact' }).click();
    await expectSoon(() => page.getByRole('heading', { level: 1 }).textContent(), 'Ieuan ap Rhys');
  });

  test('that is not saved is still there after the browser was closed', async () => {
    const { page } = await windowOf(owner);
    await page.goto('/contacts/new');
    await page.waitForSelector('form[data-kept-at]');
    await page.getByRole('textbox', { name: 'Last name' }).fill('Unsaved');
    await page.reload();
    await page.getByText(/^You have an unfinished contact from .*: Unsaved\.$/).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectSoon(
      () => page.getByRole('textbox', { name: 'Last name' }).inputValue(),
      'Unsaved',
    );
  });
});
