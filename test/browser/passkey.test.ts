import { afterAll, describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  hasBrowser,
  openWindow,
  signIn,
  takePicture,
  type Watched,
} from '../support/browser.ts';
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

describe.skipIf(!hasBrowser)('A passkey', () => {
  test('is made in the settings, and signs in without a password', async () => {
    const window = await openWindow(server.url);
    open.push(window);
    const { page, complaints } = window;
    await giveDevice(window);
    await signIn(window, server, await makeFirm(server), owner);
    await page.goto('/settings/me');
    await page.getByRole('textbox', { name: 'Name of the new passkey' }).fill('This laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'This laptop' });
    await row.getByText('not used yet').waitFor();
    await expectAccessible(window);
    await row.scrollIntoViewIfNeeded();
    await takePicture(window, 'passkeys');
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
    expect(await row.getByText('not used yet').count()).toBe(0);
    await page.getByRole('button', { name: 'Remove This laptop' }).click();
    await row.waitFor({ state: 'detached' });

    await page.context().clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('passkey');
    await takePicture(window, 'passkey-sign-in-refused');
    expect(complaints).toEqual([]);
  });
});
