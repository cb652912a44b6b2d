/** A browser over HTTPS that the server speaks itself, with a certificate made for it. */
import { afterAll, describe, expect, test } from 'bun:test';
import { hasBrowser, openWindow } from '../support/browser.ts';
import { certificateFiles } from '../support/certificate.ts';
import { ask } from '../support/every-door.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer({ environment: certificateFiles().environment });
const password = `wet-stones-${crypto.randomUUID()}`;

describe.skipIf(!hasBrowser)('Over HTTPS', () => {
  test('a member chooses a password, signs in with it, and an open page shows what others do', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url, { ignoreHTTPSErrors: true });
    afterAll(window.close);
    const { page, complaints } = window;
    const { link } = await firm.command<{ link: string }>(['member', 'invite', '--member', owner]);
    await page.goto(new URL(link).pathname);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New leads' }).waitFor();
    await page.context().clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('textbox', { name: 'Email' }).fill(owner);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New leads' }).waitFor();
    const live = page.waitForResponse((answer) => answer.url().startsWith(`${server.url}/live?`));
    await page.goto('/leads');
    expect((await live).status()).toBe(200);
    const made = await ask(`${server.url}/v1/leads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${firm.owner.key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ firstName: 'Zoe', lastName: 'Quill' }),
    });
    expect(made.status).toBe(201);
    await page.getByText('Zoe Quill').first().waitFor();
    expect(complaints).toEqual([]);
  });
});
