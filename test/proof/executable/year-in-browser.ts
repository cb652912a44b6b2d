/**
 * Plays an administrator's year again, in a browser: a firm is set up, people join and leave, its settings
 * change, files come in, backups are made, the audit log is verified. Only installing and restoring are
 * done in a terminal. `bun test/proof/executable/year-in-browser.ts EXECUTABLE`; prints what it saw, ends with 1 where
 * something is wrong. Needs Chromium.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../support/chromium.ts';
import { check, placeAlone } from '../../support/executable.ts';
import * as does from './administrator.ts';
import { complaints, job, signIn, startServer, untilIn, windowIn } from './window.ts';

const placed = await placeAlone(process.argv[2] ?? 'dist/matterhorn', 'year-in-browser');
const { folder, executable, environment } = placed;
const backups = join(folder, 'backups');
await mkdir(backups);

/** The server has the key that encrypts backups; the one that opens them is kept elsewhere. */
const pair = (await Bun.$`${executable} backup key --json`.env(environment).json()) as {
  recipient: string;
  identity: string;
};
const identityFile = join(folder, 'backup.key');
await Bun.write(identityFile, pair.identity);

/** Serves this data; the same port as before, so that browsers stay where they are. */
const serve = (data: string, port = '0') =>
  startServer(
    {
      ...placed,
      environment: { ...environment, BACKUP_DIR: backups, BACKUP_RECIPIENT: pair.recipient },
    },
    ['serve', '--port', port, '--data', data],
  );

const password = 'a horse that counts to ten';
const rita = { name: 'Rita Roe', email: 'rita@roe.example' };
const max = { name: 'Max Ward', email: 'max@roe.example', role: 'Administrator' };
const ben = { name: 'Ben Lane', email: 'ben@roe.example', role: 'Attorney' };
const iris = { name: 'Iris Vale', email: 'iris@roe.example', role: 'Intake' };

let server = await serve('data');
const { url, setupLink } = server.greeting;
const port = new URL(url).port;
const browser = await launchChromium();
const [owner, admin, lawyer, clerk] = (await Promise.all(
  [1, 2, 3, 4].map(async () => (await windowIn(browser, url)).page),
)) as [Page, Page, Page, Page];

/** Calls the API as a program of the firm does. */
const call = async (key: string, path: string, body?: object) => {
  const answer = await fetch(`${url}/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
};

const setUp = async () => {
  await owner.goto(setupLink);
  await owner.getByLabel('Name of the firm').fill('Roe & Roe');
  await owner.getByRole('radio', { name: 'General practice' }).check();
  await owner.getByLabel('Your name').fill(rita.name);
  await owner.getByLabel('Email').fill(rita.email);
  await owner.getByLabel('Password').fill(password);
  await owner.getByRole('button', { name: 'Create firm' }).click();
  await untilIn(owner);
  return true;
};

/** Lets somebody in by a link, in their own browser. */
const join_ = async (page: Page, link: string, word = password) => {
  await page.goto(new URL(link).pathname);
  await page.getByLabel('Password').fill(word);
  await page.keyboard.press('Enter');
  await untilIn(page);
};

const peopleJoin = async () => {
  await join_(admin, await does.invite(owner, max));
  await join_(lawyer, await does.invite(admin, ben));
  await join_(clerk, await does.invite(admin, iris));
  const offered = admin.getByLabel('Role').getByRole('option', { name: 'Owner' });
  await admin.goto('/settings/members?do=invite');
  await clerk.goto('/settings/members');
  const mayNot = await clerk.getByRole('button', { name: 'Invite' }).count();
  return (await offered.count()) === 0 && mayNot === 0;
};

const settleFirm = async () => {
  await admin.goto('/settings/firm');
  await admin.getByLabel('Time zone', { exact: true }).selectOption('America/New_York');
  await does.save(admin, 'Name and time zone', 'The firm’s name and time zone are changed.');
  await admin.goto('/settings/numbering');
  await admin.getByLabel('Number of leads').fill('P-{###}');
  await does.save(admin, 'Leads', 'The numbering of leads is changed.');
  await admin.getByText('The next three: P-001, P-002, P-003').waitFor();
  return true;
};

const changeStages = async () => {
  await admin.goto('/settings/lead-stages');
  await does.addNames(admin, 'stage', ['Conflict check']);
  await admin.getByRole('button', { name: 'Move Conflict check up' }).click();
  await admin
    .getByRole('button', { name: 'Move Engagement sent down' })
    .waitFor({ state: 'detached' });
  await does.renameOne(admin, 'Contacted', 'Called back');
  await does.removeOne(admin, 'Engagement sent');
  await does.addNames(admin, 'reason', ['Went to another firm']);
  await clerk.goto('/leads');
  const columns = await does.partOf(clerk, 'Conflict check').count();
  const names = await does.namesIn(admin, 'Stages');
  return columns === 1 && names.join() === 'New,Called back,Consultation booked,Conflict check';
};

const makeArea = async () => {
  await does.makeArea(admin, 'Immigration', ['Intake', 'Documents', 'Filed']);
  await does.addNames(admin, 'stage', ['Decision']);
  await does.removeOne(admin, 'Documents');
  await does.addNames(admin, 'matter type', ['Work visa']);
  await admin.getByRole('button', { name: 'Expect a limitation date' }).click();
  await admin.getByRole('button', { name: 'Do not expect a limitation date' }).waitFor();
  return (await does.namesIn(admin, 'Stages')).join() === 'Intake,Filed,Decision';
};

const makeFields = async () => {
  const options = ['Radio', 'A friend'];
  await does.makeField(admin, { on: 'Leads', name: 'Heard of us', type: 'Choice', options });
  await does.makeField(admin, { on: 'Matters', name: 'Court', type: 'Text' });
  await admin.goto('/settings/firm');
  await admin.getByLabel('Source field').selectOption('Heard of us');
  await does.save(admin, 'Where leads come from', 'The source field is changed.');
  return true;
};

const changeRoles = async () => {
  await does.makeRole(admin, 'Front desk', ['Read leads', 'Change leads, hire', 'Read contacts']);
  await does.giveRole(admin, iris.name, 'Front desk');
  const refused = await clerk.goto('/matters');
  const allowed = await clerk.goto('/leads');
  return refused?.status() === 403 && allowed?.status() === 200;
};

const keys = { form: '', lent: '' };
const makeKeys = async () => {
  keys.form = await does.makeKey(admin, 'Website form', ['Read leads', 'Change leads, hire']);
  keys.lent = await does.makeKey(admin, 'Lent to a contractor', ['Read leads']);
  const made: number[] = [];
  for (let nth = 1; nth <= 20; nth += 1) {
    const body = { lastName: `Prospect ${nth}`, email: `p${nth}@prospect.example` };
    made.push((await call(keys.form, '/leads', body)).status);
  }
  const forbidden = await call(keys.lent, '/leads', { lastName: 'Nobody' });
  return made.every((status) => status === 201) && forbidden.status === 403;
};

const importFiles = async () => {
  const people = ['First name,Last name,Email', 'Zoe,Quill,zoe@quill.example', 'Adam,Moss,'];
  const contacts = { kind: 'contact', name: 'people.csv', lines: [...people, ',,nobody'] };
  const brought = await does.importFile(admin, contacts);
  const refused = await does.download(admin, () =>
    admin.getByRole('link', { name: 'Download skipped rows' }).click(),
  );
  const matters = ['Title,Practice area,Client,Opened,Number'];
  const one = 'Quill: visa,Immigration,Zoe Quill,2026-03-02,OLD-7';
  const files = await does.importFile(admin, {
    kind: 'matter',
    name: 'files.csv',
    lines: [...matters, one],
  });
  const wrong = ['First name,Last name', 'Wrong,List', 'Other,List'];
  await does.importFile(admin, { kind: 'lead', name: 'wrong.csv', lines: wrong });
  const undone = await does.undoImport(admin);
  const isBrought =
    brought.Created === '2' && brought.Skipped === '1' && refused.includes('nobody');
  return isBrought && files.Created === '1' && undone === '2';
};

const hire = async () => {
  await lawyer.goto('/leads?view=list');
  await lawyer.getByRole('link', { name: 'Prospect 7', exact: true }).click();
  await lawyer.getByRole('button', { name: 'Hire', exact: true }).click();
  const dialog = lawyer.getByRole('dialog', { name: 'Hire and open a matter' });
  await dialog.getByRole('combobox', { name: 'Practice area' }).selectOption('Immigration');
  await dialog.getByRole('button', { name: 'Hire', exact: true }).click();
  // A new area expects a limitation date: it is asked for once.
  await dialog.getByLabel('There is no limitation date yet').check();
  await dialog.getByRole('button', { name: 'Hire', exact: true }).click();
  await lawyer.waitForURL('**/matters/*');
  await lawyer.getByRole('heading', { level: 1, name: 'Prospect 7' }).waitFor();
  return true;
};

/** The matter of the file is deleted by mistake, and a lead too. */
const restoreRecords = async () => {
  await lawyer.goto('/matters?view=list');
  await lawyer.getByRole('link', { name: 'Quill: visa', exact: true }).click();
  const path = new URL(lawyer.url()).pathname;
  await lawyer.getByRole('button', { name: 'More actions' }).click();
  await lawyer.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = lawyer.getByRole('dialog', { name: /^Delete / });
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await lawyer.waitForURL((at) => at.pathname !== path);
  const isGone = (await lawyer.goto(path))?.status() === 404;
  await admin.goto('/settings/deleted?kind=matters');
  const label = await admin.getByRole('button', { name: /^Restore / }).getAttribute('aria-label');
  await does.restore(admin, 'matters', (label ?? '').replace('Restore ', ''));
  return isGone && (await lawyer.goto(path))?.status() === 200;
};

const changeKeys = async () => {
  const rotated = await does.rotateKey(admin, 'Website form');
  const both = await Promise.all([rotated, keys.form].map((key) => call(key, '/leads?limit=1')));
  await does.revokeKey(admin, 'Lent to a contractor');
  const lent = await call(keys.lent, '/leads?limit=1');
  return both.every(({ status }) => status === 200) && lent.status === 401;
};

const backUp = async () => {
  await admin.goto('/settings/system');
  const isInOrder = await admin.getByText('Everything is as it should be.').count();
  await admin.getByRole('button', { name: 'Back up now' }).click();
  await admin.getByText('The backup is complete.').waitFor();
  const listed = await admin.getByRole('cell', { name: 'By hand' }).count();
  return isInOrder === 1 && listed === 1;
};

const crash = async () => {
  await clerk.goto('/leads/new');
  await clerk.getByLabel('Last name').fill('Kept through a crash');
  server.child.kill('SIGKILL');
  await server.child.exited;
  server = await serve('data', port);
  await clerk.getByRole('button', { name: 'Create lead' }).click();
  await clerk.getByRole('heading', { level: 1, name: 'Kept through a crash' }).waitFor();
  return (await admin.goto('/settings/members'))?.status() === 200;
};

const resetPassword = async () => {
  const link = await does.resetPassword(owner, ben.name);
  const changed = 'twelve other letters';
  await join_(lawyer, link, changed);
  const { context, page } = await windowIn(browser, url);
  await signIn(page, ben.email, password);
  await page.getByRole('alert').waitFor();
  await signIn(page, ben.email, changed);
  await untilIn(page);
  await admin.goto(new URL(link).pathname);
  const isOver = await admin.getByRole('heading', { name: 'This link no longer works' }).count();
  await context.close();
  return isOver === 1;
};

const memberLeaves = async () => {
  await does.letGo(admin, ben.name, rita.name);
  await lawyer.goto('/matters');
  const isOut = new URL(lawyer.url()).pathname === '/sign-in';
  await owner.goto('/matters?view=list');
  await owner.getByRole('link', { name: 'Prospect 7', exact: true }).click();
  const team = owner.getByRole('group', { name: 'Team' });
  await team.getByText(rita.name).first().waitFor();
  const isHis = await team.getByText(ben.name).filter({ visible: true }).count();
  return isOut && isHis === 0;
};

const renameFirm = async () => {
  await admin.goto('/settings/firm');
  await admin.getByLabel('Name', { exact: true }).fill('Roe, Ward & Partners');
  await does.save(admin, 'Name and time zone', 'The firm’s name and time zone are changed.');
  await clerk.goto('/leads');
  return (await clerk.getByText('Roe, Ward & Partners').count()) > 0;
};

const proveLog = async () => {
  const isWhole = await does.verifyLog(admin);
  const mayExport = await admin.getByRole('button', { name: 'Export', exact: true }).count();
  const entries = (await does.exportLog(owner)).trim().split('\n');
  const named = entries.filter((line) => line.includes('Roe, Ward & Partners'));
  return isWhole && mayExport === 0 && entries.length > 100 && named.length > 0;
};

/** On another machine: the newest backup, by the terminal; then its people sign in. */
const restoreElsewhere = async () => {
  await admin.goto('/settings/system');
  await admin.getByRole('button', { name: 'Back up now' }).click();
  await admin.getByText('The backup is complete.').waitFor();
  server.child.kill('SIGTERM');
  const isOrderly = (await server.child.exited) === 0;
  const newest = (await readdir(backups)).sort().at(-1) ?? '';
  const words = ['restore', join(backups, newest), '--data', 'new', '--identity', identityFile];
  const restoring = Bun.spawn([executable, ...words], {
    cwd: folder,
    env: { ...environment, MATTERHORN_LOG: 'quiet' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isRestored = (await restoring.exited) === 0;
  server = await serve('new');
  const { context, page } = await windowIn(browser, server.greeting.url);
  await signIn(page, max.email, password);
  await untilIn(page);
  await page.goto('/leads?view=list');
  const isThere =
    (await page.getByRole('link', { name: 'Prospect 20', exact: true }).count()) === 1;
  const isWhole = await does.verifyLog(page);
  await context.close();
  return isOrderly && isRestored && isThere && isWhole;
};

const started = performance.now();
try {
  await job('a firm is set up', setUp);
  await job('people join, and nobody gives more than they have', peopleJoin);
  await job('time zone and numbers are settled', settleFirm);
  await job('the stages of leads are changed', changeStages);
  await job('a practice area is made', makeArea);
  await job('custom fields are made, one says the source', makeFields);
  await job('a new role counts at the next click', changeRoles);
  await job('keys are made, and push leads', makeKeys);
  await job('files are brought in, a wrong one is undone', importFiles);
  await job('a lead is hired', hire);
  await job('a deleted matter is restored', restoreRecords);
  await job('a key is rotated, another revoked', changeKeys);
  await job('a backup is made', backUp);
  await job('a crash signs nobody out and loses no text', crash);
  await job('a password is chosen anew', resetPassword);
  await job('a member leaves, another takes over', memberLeaves);
  await job('the firm is renamed', renameFirm);
  await job('the audit log is verified and exported', proveLog);
  await job('the newest backup is a firm elsewhere', restoreElsewhere);
  check(
    `no script failed and the policy was kept ${complaints.join('; ')}`,
    complaints.length === 0,
  );
  console.log(`${((performance.now() - started) / 1000).toFixed(0)} s in all`);
} finally {
  await browser.close();
  server.child.kill('SIGTERM');
  await server.child.exited;
  await rm(folder, { recursive: true, force: true });
}
process.exit();
