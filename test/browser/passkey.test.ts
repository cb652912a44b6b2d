import { afterAll, describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  signIn,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import { connect } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';

const started = await startTestServer();
const server = { ...started, url: started.url.replace('127.0.0.1', 'localhost') };

const open: Watched[] = [];
afterAll(() => Promise.all(open.map((window) => window.close())));

/** Gives a browser a device that keeps passkeys, and whose holder it knows. */
const giveDevice = async ({ page }: Watched) => {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
};

/** Adds a passkey in the settings, and gives its line there. */
const addPasskey = async ({ page }: Watched) => {
  await page.goto('/settings/me');
  await page.getByRole('textbox', { name: 'Name of the new passkey' }).fill('This laptop');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'This laptop' });
  await row.getByText('not used yet').waitFor();
  return row;
};

describe.skipIf(!hasBrowser)('A passkey', () => {
  test('is made in the settings, and signs in without a password', async () => {
    const window = await openWindow(server.url);
    open.push(window);
    const { page, complaints } = window;
    await giveDevice(window);
    await signIn(window, server, await makeFirm(server), owner);
    const row = await addPasskey(window);
    await expectAccessible(window);
    await row.evaluate((one) => one.scrollIntoView());
    await takePicture(window, 'passkeys');
    // The page has many forms of one weight.
    expect(await page.locator('main .button.primary:visible').allTextContents()).toEqual([]);
    await page.getByRole('textbox', { name: 'Name of the new passkey' }).fill('Once more');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('alert').getByText('has a passkey for you already').waitFor();
    await takePicture(window, 'passkeys-refused');

    await page.context().clearCookies();
    await page.goto('/inbox');
    await expectAccessible(window);
    await takePicture(window, 'passkey-sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/inbox');
    await page.goto('/settings/me');
    await row.getByText('not used yet').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove This laptop' }).click();
    const asks = page.getByRole('dialog', { name: 'Remove This laptop?' });
    await asks.getByRole('button', { name: 'Remove', exact: true }).click();
    await row.waitFor({ state: 'detached' });

    await page.context().clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('alert').waitFor();
    await expectSoon(
      () => page.getByRole('alert').textContent(),
      expect.stringContaining('passkey'),
    );
    await takePicture(window, 'passkey-sign-in-refused');
    expect(complaints).toEqual([]);
  });

  test('proves who a member is before an important change, which is then made', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    open.push(window);
    const { page, complaints } = window;
    await giveDevice(window);
    await signIn(window, server, firm, owner);
    await addPasskey(window);
    const sql = connect(server.databaseUrl);
    await sql`update session set proven_at = moment() - interval '1 hour' where firm_id = ${firm.id}`;
    await sql.end();
    await page.goto('/settings/keys?do=new-key');
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Website');
    await dialog.getByRole('checkbox', { name: 'Read leads' }).check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'passkey-proof');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Copy the key “Website” now' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
