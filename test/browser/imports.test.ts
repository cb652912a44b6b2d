import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

const csv = `title,job_title,first_name,last_name,company,email_address,primary_phone
Ms,Partner,Zoe,Quill,Quill & Co.,zoe@quill.example,+1 555 010 0001

,,Adam,Moss,,adam@moss.example,
,,Ida,Rook,,not-an-email,
,Nobody,,,,nobody@x.example,
,,Zoe,Quill,,zoe@quill.example,`;

describe.skipIf(!hasBrowser)('A file and two contacts, in a browser', () => {
  test('are imported, and merged, without a barrier', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page, complaints } = window;
    await signIn(window, server, firm, owner);
    await page.goto('/settings/imports');
    await expectAccessible(window);
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    await expectAccessible(window);
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: 'clio.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This column is left out: job_title.').waitFor();
    for (const label of ['Separator', 'Date format']) await page.getByLabel(label).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'import-columns-1280');
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.getByRole('button', { name: 'Check the rows' }).click();
    await page.getByRole('region', { name: 'First 5 rows' }).waitFor();
    // The result is another step: it is read from its head.
    await page.locator('h1:focus').waitFor();
    await expectSoon(() => page.evaluate(() => scrollY), 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByText('This column is left out: job_title.').waitFor();
    await takePicture(window, 'import-left-out-1280');
    await page.getByRole('button', { name: 'Create a field for it' }).click();
    await page.getByText('This column is left out').waitFor({ state: 'detached' });
    await page.getByText('Row 5').waitFor();
    await page.getByText('Email must be an email address, for example').waitFor();
    const first = page.locator('#first-rows tbody tr').first();
    await expectSoon(() => first.textContent(), expect.stringContaining('Zoe Quill'));
    await expectSoon(() => first.textContent(), expect.stringContaining('Partner'));
    const begin = page.getByRole('button', { name: /2 contacts/ });
    await begin.waitFor();
    await page.goto(page.url());
    await expectAccessible(window);
    await takePicture(window, 'import-preview-1280');
    for (const scheme of ['light', 'dark'] as const) {
      await page.setViewportSize(phone.viewport);
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${new URL(page.url()).pathname}`);
      await takePicture(window, `import-preview-390-${scheme}`);
      await page.goto(`${new URL(page.url()).pathname}?step=columns`);
      await takePicture(window, `import-columns-390-${scheme}`);
      await page.goBack();
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    await begin.click();
    await page.getByRole('status').filter({ hasText: 'The import has started.' }).waitFor();
    // The page shows its end by itself.
    const taken = page.getByRole('button', { name: 'Undo the import' }).first();
    await taken.waitFor();
    await expectAccessible(window);
    const asks = page.getByRole('dialog', { name: 'Undo this import?' });
    for (const _ of ['once', 'again']) {
      await taken.click();
      await asks.getByRole('button', { name: 'Cancel', exact: true }).click();
      await asks.waitFor({ state: 'hidden' });
      await taken.and(page.locator(':focus')).waitFor();
    }
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(2);
    await takePicture(window, 'import-result-1280');
    await page.setViewportSize(phone.viewport);
    await page.emulateMedia({ colorScheme: 'dark' });
    await takePicture(window, 'import-result-390-dark');
    await page.setViewportSize({ width: 1280, height: 800 });

    const made = await firm.owner.post('/v1/leads', {
      firstName: 'Zoë',
      lastName: 'Quill',
      email: 'zoe@quill.example',
    });
    const { id } = made.body.data.contact;
    await page.goto(`/contacts/${id}`);
    await expectAccessible(window);
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Merge' }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'merge-1280-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(phone.viewport);
    await takePicture(window, 'merge-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Merge' }).click();
    const undo = page.getByRole('button', { name: 'Undo the merge of Zoe Quill' });
    await undo.waitFor();
    await expectAccessible(window);
    await takePicture(window, 'merged-1280');
    await undo.click();
    await undo.waitFor({ state: 'detached' });
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(3);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test('of leads assigns them, names the line of the spreadsheet, and the second time finds nothing new', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page, complaints } = window;
    await signIn(window, server, firm, owner);
    const lines = [
      'Last name;Email;Assigned to;Born;Remarks',
      'Quill;zoe@quill.example;Ben Lane;1980-02-29;Rang twice',
      'Moss;not-an-email;Ben Lane;;',
      'Rook;eve@rook.example;Nobody Here;;',
    ];
    const buffer = Buffer.from(lines.join('\n'));
    const figure = (name: string) => page.locator('.figures div').filter({ hasText: name });
    for (const [made, known] of [
      ['1', '0'],
      ['0', '1'],
    ] as const) {
      await page.goto('/settings/imports');
      await page.getByRole('button', { name: 'Import a file' }).click();
      const dialog = page.getByRole('dialog', { name: 'Import a file' });
      await dialog.getByRole('radio', { name: /^Leads/ }).check();
      await dialog
        .getByLabel('File')
        .setInputFiles({ name: 'leads.csv', mimeType: 'text/csv', buffer });
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('2 columns are left out: Born, Remarks.').waitFor();
      await page.getByRole('button', { name: 'Check the rows' }).click();
      await expectSoon(() => figure('Will be created').locator('dd').textContent(), made);
      await expectSoon(() => figure('Exists already').locator('dd').textContent(), known);
      await expectSoon(() => figure('Will be skipped').locator('dd').textContent(), '2');
      const row = (number: number) =>
        page.getByRole('listitem').filter({ hasText: `Row ${number}` });
      await row(3).getByText('The file has “not-an-email”.').waitFor();
      await row(4).getByText('The file has “Nobody Here”.').waitFor();
      expect(await page.getByText('The file has').count()).toBe(2);
      const begin = page.getByRole('button', { name: 'Import 1 lead' });
      if (known === '1') {
        await page.getByText('There is nothing new to import.').waitFor();
        expect(await begin.count()).toBe(0);
      } else {
        await begin.click();
        await page.getByText(/^1 lead imported/).waitFor();
      }
    }
    // It is Ben's, who is told nothing of it.
    const ben = await openWindow(server.url);
    await signIn(ben, server, firm, attorney);
    await ben.page.goto('/leads?view=list&assignee=me');
    await ben.page.getByRole('link', { name: 'Quill', exact: true }).waitFor();
    await ben.page.goto('/inbox');
    await ben.page.getByText('No notifications.').waitFor();
    expect([...complaints, ...ben.complaints]).toEqual([]);
    await Promise.all([window.close(), ben.close()]);
  });
});
