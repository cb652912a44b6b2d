import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInstallationKey } from '../../src/base/installation-key.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import {
  boxOf,
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { sharedDatabase } from '../support/database.ts';
import { makeFirm, owner } from '../support/firm.ts';
import { startMailServer } from '../support/mail.ts';
import { giveNotices } from '../support/notices.ts';
import { environmentOf } from '../support/roles.ts';
import { windowsAt } from '../support/windows.ts';

const databaseUrl = await sharedDatabase();
const folder = mkdtempSync(join(tmpdir(), 'matterhorn-mail-'));
const settings = readSettings({ DRAIN_SECONDS: '0', ...environmentOf(databaseUrl) });
const started = startServer(
  settings.database ?? '',
  settings,
  { host: '127.0.0.1', port: 0 },
  { key: makeInstallationKey(join(folder, 'installation.key')) },
);
const server = { url: started.url, databaseUrl };
afterAll(async () => {
  await started.stop();
  rmSync(folder, { recursive: true });
});

describe.skipIf(!hasBrowser)('Mail', () => {
  test('is set up by an owner, refused, tested and seen, on a computer and on a phone in the dark', async () => {
    const firm = await makeFirm(server);
    const post = await startMailServer({ user: { name: 'office', password: 'Tall-Pine-7' } });
    const windowOf = windowsAt(server, () => firm);
    const ada = await windowOf(owner);
    const { page } = ada;
    await page.goto('/settings/mail');
    await expectAccessible(ada);
    await takePicture(ada, 'mail-empty');
    await page.getByRole('textbox', { name: 'Mail server' }).fill('127.0.0.1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').first().waitFor();
    await expectAccessible(ada);
    await takePicture(ada, 'mail-refused');
    await page.getByRole('textbox', { name: 'Port' }).fill(String(post.port));
    await page.getByLabel('Address that mails come from').fill('office@harrow.example');
    await page.getByRole('textbox', { name: 'User name' }).fill('office');
    await page.locator('input[name=password]').fill('Tall-Pine-7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Mails go to 127.0.0.1').waitFor();
    await page.getByText('The mail server is saved.').first().waitFor();
    await page.locator('main :focus').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('has accepted a test').waitFor();
    await takePicture(ada, 'mail-tested');
    expect(post.mails.map(({ to }) => to)).toEqual([[owner]]);
    await giveNotices(databaseUrl, firm, owner, [1, 3]);
    await expectAccessible(ada);
    await page.goto('/settings/mail');
    await takePicture(ada, 'mail-full');
    // A button by itself is as wide as its words.
    const removes = page.getByRole('button', { name: 'Remove this mail server' });
    expect((await boxOf(removes)).width).toBeLessThan(160);
    const small = await windowOf(owner, { ...phone, colorScheme: 'dark' });
    await small.page.goto('/settings/mail');
    await expectAccessible(small);
    await takePicture(small, 'mail-phone');
    await small.page.goto('/settings/me#notifications');
    await small.page.getByLabel('Limitation date near').selectOption('digest');
    await expectAccessible(small);
    await takePicture(small, 'mail-choices');
    await small.page
      .getByRole('region', { name: 'Notifications' })
      .getByRole('button', { name: 'Save' })
      .click();
    await small.page
      .getByRole('status')
      .filter({ hasText: 'Your notifications are changed.' })
      .first()
      .waitFor();
    await small.page.goto('/settings/me');
    await expectSoon(() => small.page.getByLabel('Limitation date near').inputValue(), 'digest');
  });
});
