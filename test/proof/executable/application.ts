/**
 * Uses the application of the executable as a firm's people do, in a real browser: the demonstration and a
 * new installation. `bun test/proof/executable/application.ts EXECUTABLE`; prints what it saw and ends with
 * 1 where something is wrong. Needs Chromium.
 */
import { rm } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../support/chromium.ts';
import { check, placeAlone } from '../../support/executable.ts';
import { complaints, type Greeting, job, startServer, untilIn, windowIn } from './window.ts';

const placed = await placeAlone(process.argv[2] ?? 'dist/matterhorn', 'application');
const { folder, executable, environment } = placed;
const start = (word: 'demo' | 'serve') =>
  startServer(placed, [word, '--port', '0', '--data', word]);

/** The way of the link that lets a member in, as the administrator gets it. */
const invitationOf = async (email: string) => {
  const words = ['member', 'invite', '--member', email, '--json', '--data', 'demo'];
  const ran = Bun.spawn([executable, ...words], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new URL((JSON.parse(await ran.stdout.text()) as { link: string }).link).pathname;
};

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first().textContent();
const stage = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, stageName: string, name: string) =>
  stage(page, stageName).getByRole('listitem').filter({ hasText: name });
const openBoard = async (page: Page) => {
  await page.goto('/leads');
  await page.waitForSelector('[draggable=true]', { state: 'attached' });
};

const over = 'This link no longer works';
const password = 'a horse that counts to ten';
const caller = { first: 'Wilhelmina', last: 'Quillfeather', email: 'wil@quillfeather.example' };
const name = `${caller.first} ${caller.last}`;

const setUpFirm = async (browser: Browser, { url, setupLink }: Greeting) => {
  const { context, page } = await windowIn(browser, url);
  await page.goto(setupLink);
  await page.getByLabel('Name of the firm').fill('Roe & Roe');
  await page.getByLabel('Your name').fill('Rita Roe');
  await page.getByLabel('Email').fill('rita@roe.example');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create firm' }).click();
  await untilIn(page);
  await page.goto('/leads');
  const hasStages = (await stage(page, 'New').count()) === 1;
  await page.goto(setupLink);
  const isOver = (await heading(page)) === over;
  await context.close();
  return hasStages && isOver;
};

const openDemonstration = async (page: Page, { signInLink }: Greeting) => {
  await page.goto(signInLink);
  await page.getByRole('button', { name: 'Open the demonstration' }).click();
  await untilIn(page);
  const again = await fetch(signInLink, { headers: { accept: 'text/html' } });
  return (await again.text()).includes(over);
};

const acceptInvitation = async (page: Page) => {
  await page.goto(await invitationOf('iris@harrow.example'));
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await untilIn(page);
  return (await page.getByRole('link', { name: 'Settings' }).count()) <= 1;
};

/** Types a new lead by keys alone, up to what it is about. */
const typeCaller = async (page: Page, first: string) => {
  await page.goto('/');
  await page.keyboard.press('n');
  await page.waitForURL('**/leads/new');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'firstName');
  for (const typed of [first, caller.last, '', '', caller.email]) {
    await page.keyboard.type(typed);
    await page.keyboard.press('Tab');
  }
};

const noteCaller = async (page: Page) => {
  const started = performance.now();
  await typeCaller(page, caller.first);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const isQuick = performance.now() - started < 25_000;
  const isMine = (await page.locator('dd', { hasText: 'Iris Vale' }).count()) > 0;
  await openBoard(page);
  const firstCard = await stage(page, 'New').getByRole('listitem').first().textContent();
  return isQuick && isMine && (firstCard ?? '').includes(name);
};

const knowCaller = async (page: Page) => {
  await typeCaller(page, 'Will');
  await page.getByText('The firm may know this person').waitFor();
  return (await page.getByRole('link', { name, exact: true }).count()) === 1;
};

/** The path of the caller's lead. */
const pathOfLead = async (page: Page) => {
  await openBoard(page);
  return (await page.getByRole('link', { name, exact: true }).getAttribute('href')) ?? '';
};

const hireAndUndo = async (page: Page) => {
  const path = await pathOfLead(page);
  await page.goto(path);
  await page.getByRole('button', { name: 'Hire', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Hire and open a matter' });
  await dialog.getByRole('combobox', { name: 'Practice area' }).selectOption('Family');
  await dialog.getByRole('button', { name: 'Hire', exact: true }).click();
  await page.waitForURL('**/matters/*');
  const matterPath = new URL(page.url()).pathname;
  const isThere = (await page.goto(matterPath))?.status() === 200;
  await page.goto(path);
  await page.getByRole('button', { name: 'Undo hire' }).click();
  await page
    .getByRole('dialog', { name: 'Undo the hire?' })
    .getByRole('button', { name: 'Undo hire' })
    .click();
  await page.getByRole('button', { name: 'Hire', exact: true }).waitFor();
  return isThere && (await page.goto(matterPath))?.status() === 404;
};

const declineWithReason = async (page: Page) => {
  const path = await pathOfLead(page);
  await page.goto(path);
  const open = () => page.getByRole('button', { name: 'Not hired' }).first().click();
  await open();
  const dialog = page.getByRole('dialog', { name: 'Not hired' });
  await dialog.getByRole('button', { name: 'Not hired' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('combobox', { name: 'Reason' }).selectOption('Fees');
  await dialog.getByRole('button', { name: 'Not hired' }).click();
  await page.getByText('marked the lead not hired: Fees').waitFor();
  await page.goto('/leads?status=NOT_HIRED&view=list');
  const isListed = (await page.getByText(name).count()) > 0;
  await page.goto(path);
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByRole('button', { name: 'Hire', exact: true }).waitFor();
  return isListed;
};

const dragBeforeAnother = async (one: Page, two: Page) => {
  await openBoard(one);
  await openBoard(two);
  const source = await card(one, 'New', name).boundingBox();
  const target = await stage(one, 'Contacted').boundingBox();
  if (!source || !target) return false;
  await one.mouse.move(source.x + 40, source.y + 60);
  await one.mouse.down();
  await one.mouse.move(source.x + 60, source.y + 70, { steps: 3 });
  await one.mouse.move(target.x + 80, target.y + 120, { steps: 5 });
  await one.mouse.up();
  await card(one, 'Contacted', name).waitFor();
  await card(two, 'Contacted', name).waitFor({ timeout: 6_000 });
  return (await card(two, 'New', name).count()) === 0;
};

const hideLead = async (ada: Page, iris: Page) => {
  const path = await pathOfLead(ada);
  await ada.goto(path);
  const assigned = ada.locator('details.edit', { hasText: 'Edit Assigned' }).locator('summary');
  await assigned.click();
  await ada.getByRole('checkbox', { name: 'Iris Vale' }).uncheck();
  await ada.getByRole('checkbox', { name: /Ada Harrow/ }).check();
  await ada.keyboard.press('Enter');
  await assigned.getByTitle('Ada Harrow').waitFor();
  await ada.locator('details.edit', { hasText: 'Edit Private' }).locator('summary').click();
  // The focus goes to the choice once it is open.
  await ada.waitForFunction(() => document.activeElement?.tagName === 'SELECT');
  await ada.getByRole('combobox', { name: 'Private' }).selectOption('yes');
  await ada.keyboard.press('Enter');
  await ada.locator('.timeline').getByText('Private').first().waitFor();
  const seen: number[] = [];
  for (const at of ['/leads', '/leads?view=list', '/contacts', `/search?q=${caller.last}`, '/']) {
    await iris.goto(at);
    // A search without a result offers to make a lead of what was searched for.
    seen.push(await iris.getByRole('link', { name: new RegExp(name) }).count());
  }
  await ada.goto('/contacts');
  seen.push((await ada.getByRole('link', { name }).count()) - 1);
  const answer = await iris.goto(path);
  return answer?.status() === 404 && seen.every((count) => count === 0);
};

const forge = async (context: BrowserContext, page: Page, url: string) => {
  const path = await pathOfLead(page);
  const cookies = await context.cookies();
  const cookie = cookies.map((one) => `${one.name}=${one.value}`).join('; ');
  const answer = await fetch(`${url}${path}/delete`, {
    method: 'POST',
    body: new URLSearchParams(),
    redirect: 'manual',
    headers: { cookie, 'sec-fetch-site': 'cross-site', accept: 'text/html' },
  });
  return answer.status === 403 && (await page.goto(path))?.status() === 200;
};

const signOut = async (page: Page) => {
  // Of the caller who was known already a text is left that was not saved: it is asked about first.
  let asked = '';
  page.once('dialog', async (dialog) => {
    asked = dialog.message();
    await dialog.accept();
  });
  await page.goto('/contacts');
  await page.getByRole('button', { name: 'Iris Vale: your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await page.goBack();
  await page.waitForURL('**/sign-in**');
  await page.getByLabel('Email').fill('iris@harrow.example');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await untilIn(page);
  return asked.includes('1 unsaved text');
};

const [demo, serve] = [await start('demo'), await start('serve')];
const browser = await launchChromium();
try {
  const { url } = demo.greeting;
  const [ada, iris] = [await windowIn(browser, url), await windowIn(browser, url)];
  await job('a new installation is set up in a browser', () => setUpFirm(browser, serve.greeting));
  await job('the demonstration is opened by its link, once', () =>
    openDemonstration(ada.page, demo.greeting),
  );
  await job('an invitation lets a member in', () => acceptInvitation(iris.page));
  await job('a caller is noted by keys', () => noteCaller(iris.page));
  await job('a known email is named while it is typed', () => knowCaller(iris.page));
  await job('a lead is not hired only for a reason', () => declineWithReason(ada.page));
  await job('a card that is dragged is moved in another browser', () =>
    dragBeforeAnother(ada.page, iris.page),
  );
  await job('a private lead is gone for others', () => hideLead(ada.page, iris.page));
  await job('a lead is hired, and the hire taken back', () => hireAndUndo(ada.page));
  await job('a forged form is refused', () => forge(ada.context, ada.page, url));
  await job('who signs out sees nothing by going back', () => signOut(iris.page));
  check(
    `no script failed and the policy was kept ${complaints.join('; ')}`,
    complaints.length === 0,
  );
} finally {
  await browser.close();
  for (const { child } of [demo, serve]) child.kill('SIGTERM');
  await Promise.all([demo, serve].map(({ child }) => child.exited));
  await rm(folder, { recursive: true, force: true });
}
process.exit();
