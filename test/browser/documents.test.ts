/** The documents for integrators in a browser: read, searched and tried, by keys alone and without a script. */
import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  type Watched,
} from '../support/browser.ts';
import { type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
const kinds = [
  '/docs',
  '/docs/push-a-lead-exactly-once',
  '/docs/errors',
  '/docs/zapier',
  '/docs/contract',
  '/docs/reference',
  '/docs/reference/leads',
  '/docs/reference/leads/create-lead',
  '/docs/reference/events/list-events',
  '/docs/search?q=scope',
  '/docs/search?q=zyzzyva',
];

const open = async (options: Parameters<typeof openWindow>[1], work: (w: Watched) => unknown) => {
  const window = await openWindow(server.url, options);
  await work(window);
  expect(window.complaints).toEqual([]);
  await window.close();
};

const createLead = '/docs/reference/leads/create-lead';
const totalOf = async (firm: Firm) =>
  (await firm.owner.get('/v1/leads')).body.pagination.total as number;

describe.skipIf(!hasBrowser)('The documents', () => {
  test.each([
    ['a wide window', {}],
    ['a phone', phone],
  ] as const)('have no barrier and cut nothing off, in %s', async (_, options) => {
    await open(options, async (window) => {
      for (const path of kinds) {
        await window.page.goto(path);
        await expectAccessible(window);
        const beyond = await window.page.evaluate(
          () => document.documentElement.scrollWidth - innerWidth,
        );
        expect([path, beyond]).toEqual([path, 0]);
      }
    });
  });

  test('are read by keys alone: past the contents, to a search, and in the reader’s language', async () => {
    await open({}, async ({ page }) => {
      await page.goto('/docs/push-a-lead-exactly-once');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expectSoon(() => page.evaluate(() => document.activeElement?.id), 'main');
      const curl = page.getByRole('radio', { name: 'curl' }).first();
      while (!(await curl.evaluate((radio) => radio === document.activeElement)))
        await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.getByText('def push(submission_id, lead)').waitFor();
      await page.getByText('const push = async').waitFor({ state: 'hidden' });
      await page.keyboard.press('/');
      await page.keyboard.type('exactly once');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/search\?q=exactly\+once/);
      const first = page.locator('.found a').first();
      while (!(await first.evaluate((link) => link === document.activeElement)))
        await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL('/docs/push-a-lead-exactly-once');
      // The language stays, on the next page too.
      await page.goto(createLead);
      await page.getByText('urllib.request.Request(').waitFor();
    });
  });

  test('copy the sample that shows', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await open({ permissions }, async ({ page }) => {
      await page.goto('/docs/your-first-lead');
      const sample = page.locator('.sample', { hasText: 'first-lead' });
      await sample.getByRole('radio', { name: 'TypeScript' }).check();
      await sample.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied.').waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain("'idempotency-key': 'first-lead'");
      expect(copied).not.toContain('curl');
    });
  });

  test('have their contents behind a button on a phone, which keys open and close', async () => {
    await open(phone, async ({ page }) => {
      await page.goto('/docs/errors');
      const contents = page.getByRole('navigation', { name: 'Documentation' });
      await contents.waitFor({ state: 'hidden' });
      const button = page.getByRole('button', { name: 'Contents', exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      await contents.waitFor();
      await page.keyboard.press('Escape');
      await contents.waitFor({ state: 'hidden' });
      await button.and(page.locator(':focus')).waitFor();
      await button.click();
      await contents.getByRole('link', { name: 'Zapier' }).click();
      await page.waitForURL('/docs/zapier');
    });
  });

  test('are read, and searched, without a script', async () => {
    await open({ javaScriptEnabled: false }, async ({ page }) => {
      await page.goto(createLead);
      await page.getByRole('heading', { name: 'Try it' }).waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Copy' }).first().waitFor({ state: 'detached' });
      await page.getByRole('radio', { name: 'Python' }).check();
      await page.getByText('urllib.request.Request(').waitFor();
      await page.getByRole('searchbox').fill('wordpress');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'WordPress' }).last().click();
      await page.waitForURL('/docs/wordpress');
    });
  });
});

describe.skipIf(!hasBrowser)('A call that is tried', () => {
  test('stores nothing at first, then makes the lead, with a key that the page forgets', async () => {
    const firm = await makeFirm(server);
    await open({}, async ({ page }) => {
      await page.goto(createLead);
      const answered = page.locator('.answered');
      await page.getByLabel('API key').fill(firm.owner.key);
      // The example succeeds in every firm as it stands.
      await page.getByRole('button', { name: 'Send request' }).press('Enter');
      await answered.getByText(/^200/).waitFor();
      await expectSoon(
        () => answered.textContent(),
        expect.stringContaining('"name": "Zoe Quill"'),
      );
      await page
        .getByLabel('Body', { exact: true })
        .fill('{"lastName":"<img src=x onerror=alert(1)>"}');
      await page.getByRole('button', { name: 'Send request' }).press('Enter');
      await answered.getByText('onerror=alert(1)').waitFor();
      await expectSoon(
        () => answered.textContent(),
        expect.stringContaining('preference-applied: dry-run'),
      );
      expect(await totalOf(firm)).toBe(0);
      await page.getByLabel('Store nothing').press('Space');
      await page.getByRole('button', { name: 'Send request' }).press('Enter');
      await answered.getByText(/^201/).waitFor();
      await expectSoon(
        () => answered.textContent(),
        expect.stringContaining('"publicId": "L-0001"'),
      );
      // What comes back is text, whatever it is.
      await answered.locator('img').first().waitFor({ state: 'detached' });
      expect(await totalOf(firm)).toBe(1);
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
      );
      expect(kept).not.toContain('mh_');
      await page.reload();
      await expectSoon(() => page.getByLabel('API key').inputValue(), '');
    });
  });

  test('is the key’s and not of who is signed in, and says why it is refused', async () => {
    const firm = await makeFirm(server);
    await open({}, async (window) => {
      const { page } = window;
      await signIn(window, server, firm, owner);
      await page.goto(createLead);
      await page.getByLabel('API key').fill('mh_wrong');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.locator('.answered').getByText(/^401/).waitFor();
      await page.getByLabel('API key').fill('mh_\u{1f600}');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText('The key contains characters that no key has.').waitFor();
      expect(await totalOf(firm)).toBe(0);
    });
  });

  test('takes parameters of the path and the query', async () => {
    const firm = await makeFirm(server);
    const { id } = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
    await open({}, async ({ page }) => {
      await page.goto('/docs/reference/leads/read-lead');
      await page.getByLabel('API key').fill(firm.owner.key);
      await page.getByLabel('id', { exact: true }).fill(id);
      await page.getByLabel('include').fill('contact');
      await page.getByLabel('include').press('Enter');
      await page.locator('.answered').getByText(/^200/).waitFor();
      await expectSoon(
        () => page.locator('.answered').textContent(),
        expect.stringContaining('"phones": []'),
      );
    });
  });
});
