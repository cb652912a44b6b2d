import { describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { ownDatabase } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { receiversAt, startReceiver } from '../support/receiver.ts';
import { visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const server = await startTestServer({ databaseUrl, environment: receiversAt });

describe.skipIf(!hasBrowser)('Settings, Webhooks', () => {
  test('makes a webhook, shows its secret once, tests it, pauses and resumes it, and shows what was delivered', async () => {
    const firm = await makeFirm(server);
    const receiver = startReceiver();
    const window = await openWindow(server.url);
    const { page, complaints } = window;
    await signIn(window, server, firm, owner);
    await page.goto('/settings/webhooks');
    await page.getByText('There are no webhooks yet.').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'webhooks-empty-1280');

    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Accounting');
    await dialog.getByLabel('Address').fill('https://10.0.0.1/');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('must lead to an address of the open internet').first().waitFor();
    await expectAccessible(window);
    await takePicture(window, 'webhooks-refused-1280');
    await dialog.getByLabel('Address').fill(receiver.url);
    await page.keyboard.press('Enter');
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
    await expectAccessible(window);
    await takePicture(window, 'webhooks-secret-1280');
    await page.getByRole('link', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'Accounting' }).waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('cell', { name: '204' }).waitFor();
    const [sent] = await receiver.until(1);
    expect(new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {})).toEqual(sent?.event);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Somebody paused the webhook.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await firm.owner.post('/v1/leads', { lastName: 'Roe' });
    await receiver.until(3);
    receiver.answer(() => new Response(null, { status: 503 }));
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('cell', { name: '503, refused' }).waitFor();
    await page.getByText('503, refused.', { exact: false }).first().waitFor();
    await expectAccessible(window);

    // Changed and sent again with the keyboard alone.
    await page.getByRole('button', { name: 'Change webhook' }).focus();
    await page.keyboard.press('Enter');
    const change = page.getByRole('dialog', { name: 'Change the webhook' });
    await expectSoon(() => change.getByLabel('Address').inputValue(), receiver.url);
    await change.getByLabel('lead.hired').waitFor({ state: 'hidden' });
    await change.getByLabel('Everything that you may see').focus();
    await page.keyboard.press('ArrowDown');
    await change.getByLabel('lead.hired').focus();
    await page.keyboard.press('Space');
    await expectAccessible(window);
    await takePicture(window, 'webhook-change-1280');
    await page.keyboard.press('Enter');
    await change.waitFor({ state: 'hidden' });
    await page.locator('#endpoint').getByText('lead.hired').waitFor();
    receiver.answer(() => new Response(null, { status: 204 }));
    const before = receiver.arrived.length;
    await firm.owner.post('/v1/leads', { lastName: 'Doe' });
    await page.getByRole('button', { name: 'Send again' }).focus();
    await page.keyboard.press('Enter');
    const again = page.getByRole('dialog', { name: 'Send again' });
    await again.getByLabel('What happened in the last hour').focus();
    await page.keyboard.press('ArrowUp');
    await expectSoon(() => again.getByLabel('Everything since the beginning').isChecked(), true);
    await expectAccessible(window);
    await takePicture(window, 'webhook-again-1280');
    await page.keyboard.press('Enter');
    await page.getByText('Sent again to Accounting: everything since the beginning.').waitFor();
    // No lead was hired.
    expect(receiver.arrived.length).toBe(before);
    await takePicture(window, 'webhook-1280');
    await page.goto('/settings/webhooks');
    await page.getByRole('rowheader', { name: 'Accounting' }).waitFor({ state: 'attached' });
    await expectAccessible(window);
    await takePicture(window, 'webhooks-1280');
    await page.emulateMedia({ colorScheme: 'dark' });
    await takePicture(window, 'webhooks-dark-1280');
    // The audit log tells apart what a pause changed: by a colleague, who pauses it once more.
    const { id } = (await firm.owner.get('/v1/webhook-endpoints')).body.data[0];
    const colleague = await visitorOf(server, firm, owner);
    for (const act of ['resume', 'pause']) {
      expect((await colleague.post(`/settings/webhooks/${id}/${act}`)).status).toBe(303);
    }
    await page.goto('/settings/audit?kind=webhook_endpoint');
    const [newest, ...others] = await page.locator('.deed summary').allTextContents();
    expect(newest?.split(', ').toSorted()).toEqual(['Reason', 'Status', 'Status since']);
    for (const words of others) {
      expect(words).toBe([...new Set(words.split(', '))].join(', '));
    }
    await takePicture(window, 'webhook-audit-1280-dark');
    expect(complaints).toEqual([]);

    const small = await openWindow(server.url, phone);
    await signIn(small, server, firm, owner);
    for (const [name, path] of [
      ['webhooks', '/settings/webhooks'],
      [
        'webhook',
        `/settings/webhooks/${(await firm.owner.get('/v1/webhook-endpoints')).body.data[0].id}`,
      ],
    ] as const) {
      await small.page.goto(path);
      await expectAccessible(small);
      await takePicture(small, `${name}-390`);
      await small.page.emulateMedia({ colorScheme: 'dark' });
      await takePicture(small, `${name}-dark-390`);
      expect(
        await small.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      ).toBe(true);
    }
    expect(small.complaints).toEqual([]);
    await small.close();
    await window.close();
  });
});
