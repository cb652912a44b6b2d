/**
 * Takes the pictures of the documents. It starts the demonstration and a new installation for this:
 * `bun test/browser/pictures.ts [FOLDER]`. Prints what it took; ends with 1 if a page complained.
 */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';

const repository = join(import.meta.dir, '../..');
const folder = process.argv[2] ?? join(repository, 'docs/pictures');
const data = await mkdtemp(join(tmpdir(), 'matterhorn-pictures-'));
// Root's Postgres runs as another user, who must get in.
await chmod(data, 0o755);
await mkdir(folder, { recursive: true });

type Greeting = { url: string; signInLink: string; setupLink: string };

/** Starts the program on data of its own, and gives what it prints when it is ready. */
const start = async (word: 'demo' | 'serve') => {
  const words = [word, '--json', '--port', '0', '--data', join(data, word)];
  const child = Bun.spawn(['bun', join(repository, 'src/main.ts'), ...words], {
    env: { PATH: process.env.PATH ?? '', MATTERHORN_LOG: 'quiet', MATTERHORN_TEST_FSYNC: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { value } = await child.stdout.getReader().read();
  const greeting = JSON.parse(new TextDecoder().decode(value)) as Greeting;
  return { child, greeting };
};

const browser = await launchChromium();
const context = await browser.newContext({
  viewport: { width: 1280, height: 800 },
  reducedMotion: 'reduce',
  timezoneId: 'Europe/London',
});

const complaints: string[] = [];
const take = async (page: Page, name: string, fullPage = false) => {
  await page.waitForLoadState('load');
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, fullPage });
  console.log(`${path}: ${Math.round(Bun.file(path).size / 1024)} kB`);
};

/** Somebody enters a caller whom the firm knows. */
const takeNewLead = async (page: Page, url: string) => {
  await page.goto(`${url}/leads/new`);
  await page.getByLabel('First name').fill('Rowena');
  await page.getByLabel('Last name').fill('Sparrow');
  await page.getByRole('textbox', { name: 'Phone' }).fill('+44 20 7946 0815');
  await page.getByText('The firm may know this person').waitFor();
  await take(page, 'new-lead');
};

/** A lead's page, and the dialog that makes a matter of it. */
const takeHire = async (page: Page, url: string) => {
  await page.goto(`${url}/leads`);
  await page.getByRole('link', { name: 'Isolde Farrow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Isolde Farrow' }).waitFor();
  await take(page, 'lead');
  await page.getByRole('button', { name: 'Hire', exact: true }).click();
  await page.getByRole('dialog', { name: 'Hire and open a matter' }).waitFor();
  await take(page, 'hire');
};

/** The page of a matter that has clients, a team and a past. */
const takeMatter = async (page: Page, url: string) => {
  await page.goto(`${url}/matters`);
  await page.locator('.card > a').first().click();
  await page.getByRole('group', { name: 'Clients' }).waitFor();
  await take(page, 'matter');
};

const [demo, serve] = [await start('demo'), await start('serve')];
try {
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(serve.greeting.setupLink);
  await page.getByLabel('Name of the firm').fill('Roe & Roe');
  await page.getByLabel('Your name').fill('Rita Roe');
  await take(page, 'setup', true);

  const { url, signInLink } = demo.greeting;
  await page.goto(signInLink);
  await page.getByRole('button', { name: 'Open the demonstration' }).click();
  await page.waitForURL(`${url}/`);
  // The burst is told of within moments of the start.
  await page.goto(`${url}/inbox`);
  await page.getByText('5 new leads').waitFor({ timeout: 20_000 });
  await take(page, 'inbox');
  await page.goto(`${url}/leads`);
  await take(page, 'leads');
  await takeNewLead(page, url);
  await takeHire(page, url);
  await takeMatter(page, url);
  for (const [name, path] of Object.entries({
    home: '/',
    list: '/leads?view=list',
    report: '/reports/intake',
    calendar: '/calendar?whose=all',
  })) {
    await page.goto(`${url}${path}`);
    await take(page, name);
  }
} finally {
  await browser.close();
  for (const { child } of [demo, serve]) child.kill('SIGTERM');
  await Promise.all([demo, serve].map(({ child }) => child.exited));
  await rm(data, { recursive: true, force: true });
}
for (const complaint of complaints) console.error(complaint);
process.exit(complaints.length === 0 ? 0 : 1);
