/** What becomes of a page, and of what is typed into it, when its session or its server ends. */
import { afterAll, describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  signIn,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { freePort, startInstance } from '../support/instances.ts';
import { visitorWith } from '../support/visitor.ts';

const server = await startTestServer();
const password = `wet-stones-${crypto.randomUUID()}`;

const open: Watched[] = [];
afterAll(() => Promise.all(open.map((window) => window.close())));

const windowOf = async (at: typeof server, firm: Firm, email: string) => {
  const window = await openWindow(at.url);
  open.push(window);
  await signIn(window, at, firm, email);
  return window;
};

const newLead = async (firm: Firm) => {
  const { body } = await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Quill' });
  return body.data.id as string;
};

const givePassword = async (firm: Firm, email: string) => {
  const { link } = await firm.command<{ link: string }>(['member', 'invite', '--member', email]);
  const set = await visitorWith(server.url, '').post(new URL(link).pathname, { password });
  expect(set.status).toBe(303);
};

const endSessions = async (firm: Firm, email: string) => {
  const elsewhere = await memberBrowser(server, firm, email);
  expect((await elsewhere.send('/settings/me/sessions/end-others', {})).status).toBe(303);
};

const noteIn = ({ page }: Watched) => page.getByRole('textbox', { name: 'Note', exact: true });
const save = ({ page }: Watched) => page.getByRole('button', { name: 'Save note' }).first();
const written = ({ page }: Watched, text: string) =>
  page.locator('.timeline .as-written', { hasText: text });

describe.skipIf(!hasBrowser)('A session that ends elsewhere', () => {
  test('is begun again over the form, by the same member only; what was typed is sent then', async () => {
    const firm = await makeFirm(server);
    await Promise.all([attorney, owner].map((email) => givePassword(firm, email)));
    const lead = await newLead(firm);
    const window = await windowOf(server, firm, attorney);
    const { page, complaints } = window;
    await page.goto(`/leads/${lead}`);
    await noteIn(window).fill('She called back at noon.');
    await endSessions(firm, attorney);
    await save(window).click();
    const dialog = page.getByRole('dialog', { name: 'You are signed out' });
    await dialog.waitFor();
    await expectSoon(() => dialog.getByRole('textbox', { name: 'Email' }).inputValue(), attorney);
    await expectAccessible(window);
    await takePicture(window, 'signed-out');
    await page.keyboard.type('not the right password');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('is not right').waitFor();
    await takePicture(window, 'signed-out-refused');
    await written(window, 'at noon').first().waitFor({ state: 'detached' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.keyboard.press('Enter');
    await written(window, 'at noon').waitFor();
    await dialog.first().waitFor({ state: 'detached' });
    await expectSoon(() => noteIn(window).inputValue(), '');

    // Somebody else signs in with the same browser. They must not send what this page contains.
    await noteIn(window).fill('Only Ben writes this.');
    await page.context().clearCookies();
    await signIn(window, server, firm, owner);
    await save(window).click();
    await dialog.waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('alert').getByText('You are signed out').waitFor();
    await expectSoon(() => noteIn(window).inputValue(), 'Only Ben writes this.');
    await save(window).click();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.keyboard.press('Enter');
    const note = page.locator('.timeline li', { hasText: 'Only Ben writes this.' });
    await note.getByText('Ben Lane').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('of a deactivated member shows the sign-in at the next click, and nothing on the way back', async () => {
    const firm = await makeFirm(server);
    const window = await windowOf(server, firm, bookkeeper);
    const { page, complaints } = window;
    await page.goto('/contacts');
    await page.goto('/');
    await firm.command(['member', 'deactivate', bookkeeper]);
    await page.getByRole('link', { name: 'Contacts' }).first().click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    for (let steps = 0; steps < 2; steps += 1) {
      await page.goBack();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      await page.getByText('Cy Moss').first().waitFor({ state: 'detached' });
    }
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('A server that is killed', () => {
  test('takes nothing of what is typed: it is there afterwards, and is saved then', async () => {
    const port = await freePort();
    let instance = await startInstance(server.databaseUrl, { port });
    const firm = await makeFirm(server);
    const lead = await newLead(firm);
    const window = await windowOf({ ...server, url: instance.url }, firm, attorney);
    const { page } = window;
    await page.goto(`/leads/${lead}`);
    const text = Array.from({ length: 500 }, (_, at) => `word${at}`).join(' ');
    await noteIn(window).focus();
    await page.keyboard.insertText(text.slice(0, text.length / 2));
    await instance.kill();
    await page.keyboard.insertText(text.slice(text.length / 2));
    await save(window).click();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    await page.reload().catch(() => {});
    instance = await startInstance(server.databaseUrl, { port });
    await page.goto(`/leads/${lead}`);
    await expectSoon(() => noteIn(window).inputValue(), text);
    await page.getByText('Not saved yet').waitFor();
    await takePicture(window, 'not-saved-yet');
    await save(window).click();
    await written(window, 'word499').waitFor();
    await expectSoon(() => noteIn(window).inputValue(), '');
    await page.reload();
    await page.getByText('Not saved yet').first().waitFor({ state: 'detached' });
    await instance.kill();
  });
});
