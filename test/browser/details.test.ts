import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;

const names = (of: string) => Array.from({ length: 20 }, (_, at) => `${of} fact ${at + 1}`);

beforeAll(async () => {
  firm = await makeFirm(server, {
    leadStages: ['New', 'Contacted'],
    practiceAreas: [{ name: 'Personal injury', stages: ['Pre-action'] }],
    customFields: [
      ...names('Lead').map((name) => ({ on: 'lead' as const, name, type: 'TEXT' as const })),
      ...names('Matter').map((name) => ({ on: 'matter' as const, name, type: 'TEXT' as const })),
      ...names('Contact').map((name) => ({ on: 'contact' as const, name, type: 'TEXT' as const })),
    ],
  });
});

const windowOf = windowsAt(server, () => firm);

const make = async (path: string, body: object): Promise<string> =>
  (await firm.owner.post(path, body)).body.data.id;

const details = (page: Page) => page.locator('#details');
const fold = (page: Page) => details(page).locator('details', { has: page.locator('.values') });

/** The labels that are seen among the details. */
const labels = (page: Page) =>
  details(page).locator('dt').filter({ visible: true }).allTextContents();

const shownAt = (page: Page, label: string) =>
  details(page)
    .locator('.values > div', { has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) })
    .locator('dd');

describe.skipIf(!hasBrowser)('The details of a record', () => {
  test('begin with what is filled; what is empty is folded, and says how much it is', async () => {
    const filled = Object.fromEntries(
      [3, 7, 11, 15, 19].map((at) => [`Lead fact ${at}`, `Known ${at}`]),
    );
    const full = await make('/v1/leads', { lastName: 'Okafor', customFields: filled });
    const bare = await make('/v1/leads', { lastName: 'Bare' });
    for (const [size, options] of [
      ['1280', {}],
      ['390', phone],
    ] as const) {
      const window = await windowOf(attorney, options);
      const { page } = window;
      await page.goto(`/leads/${full}`);
      await expectSoon(
        () => labels(page),
        [
          ...['Practice area', 'Value', 'Next step', 'Assigned', 'Private'],
          ...[3, 7, 11, 15, 19].map((at) => `Lead fact ${at}`),
        ],
      );
      await expectSoon(
        () => shownAt(page, 'Assigned').textContent(),
        expect.stringContaining('Nobody'),
      );
      await expectSoon(() => shownAt(page, 'Value').textContent(), expect.stringContaining('None'));
      await takePicture(window, `details-folded-${size}`);
      await page.getByText('15 empty fields', { exact: true }).click();
      await expectSoon(async () => (await labels(page)).length, 25);
      // From the top, nothing is half behind the bars of a phone.
      await page.evaluate(() => scrollTo(0, 0));
      await expectSoon(
        () => shownAt(page, 'Lead fact 1').textContent(),
        expect.stringContaining('None'),
      );
      await expectAccessible(window);
      await takePicture(window, `details-open-${size}`);
      await page.goto(`/leads/${bare}`);
      await page.getByText('20 empty fields', { exact: true }).waitFor();
      await expectSoon(
        () => labels(page),
        ['Practice area', 'Value', 'Next step', 'Assigned', 'Private'],
      );
      expect(window.complaints).toEqual([]);
    }
  });

  test('keep the focus on what folds when the page is renewed before it is opened', async () => {
    const id = await make('/v1/leads', { lastName: 'Folded' });
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${id}`);
    const folded = page.getByText('20 empty fields', { exact: true });
    await folded.focus();
    const change = { customFields: { 'Lead fact 9': 'Theirs' } };
    await firm.owner.patch(`/v1/leads/${id}`, change);
    await page.getByText('19 empty fields', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await shownAt(page, 'Lead fact 1').locator('summary').waitFor();
    expect(complaints).toEqual([]);
  });

  test('keep the focus on a note when the page is renewed', async () => {
    const id = await make('/v1/leads', { lastName: 'Noted' });
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${id}`);
    await page.getByRole('textbox', { name: 'Note' }).fill('Called.');
    await page.getByRole('button', { name: 'Save note' }).click();
    const note = page.locator('details.edit.stays > summary');
    await note.focus();
    const change = { customFields: { 'Lead fact 9': 'Theirs' } };
    await firm.owner.patch(`/v1/leads/${id}`, change);
    await page.getByText('19 empty fields', { exact: true }).waitFor();
    await note.and(page.locator(':focus')).waitFor();
    expect(complaints).toEqual([]);
  });

  test('keep the fold open while one after the other is filled, also by a colleague', async () => {
    const id = await make('/v1/leads', { lastName: 'Filled' });
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${id}`);
    await page.getByText('20 empty fields', { exact: true }).press('Enter');
    for (const at of [1, 2]) {
      const label = `Lead fact ${at}`;
      await shownAt(page, label).locator('summary').press('Enter');
      await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
      await page.keyboard.type(`Said ${at}`);
      await page.keyboard.press('Enter');
      await page.getByText(`${20 - at} empty fields`, { exact: true }).waitFor();
      await expectSoon(
        () => shownAt(page, label).locator('summary').textContent(),
        expect.stringContaining(`Said ${at}`),
      );
      await expectSoon(
        () => page.evaluate(() => document.activeElement?.textContent),
        expect.stringContaining(label),
      );
      await expectSoon(() => fold(page).getAttribute('open'), '');
    }
    // A refused one is shown where it is.
    await shownAt(page, 'Lead fact 3').locator('summary').click();
    await page.getByRole('textbox', { name: 'Lead fact 3' }).fill('x'.repeat(70_000));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Lead fact 3' }).waitFor();
    await page.getByRole('textbox', { name: 'Lead fact 3' }).fill('Short');
    await page.keyboard.press('Enter');
    await page.getByText('17 empty fields', { exact: true }).waitFor();
    const rest = names('Lead').slice(3);
    const most = Object.fromEntries(rest.slice(1).map((name) => [name, 'Theirs']));
    await firm.owner.patch(`/v1/leads/${id}`, { customFields: most });
    await page.getByText('1 empty field', { exact: true }).waitFor();
    await expectSoon(() => fold(page).getAttribute('open'), '');
    await firm.owner.patch(`/v1/leads/${id}`, { customFields: { [rest[0] ?? '']: 'Last' } });
    await fold(page).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('close what was saved, also if the page of the save before comes while it is sent', async () => {
    const id = await make('/v1/leads', { lastName: 'Quick' });
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${id}`);
    const held = { page: Promise.withResolvers<void>(), form: Promise.withResolvers<void>() };
    const begun = { page: Promise.withResolvers<void>(), form: Promise.withResolvers<void>() };
    let sent = 0;
    await page.route(`**/leads/${id}`, async (route) => {
      const isForm = route.request().method() === 'POST';
      sent += isForm ? 1 : 0;
      if (isForm && sent === 1) return route.continue();
      const kind = isForm ? 'form' : 'page';
      const response = await route.fetch();
      begun[kind].resolve();
      await held[kind].promise;
      await route.fulfill({ response });
    });
    const save = async (label: string) => {
      await shownAt(page, label).locator('summary').press('Enter');
      await page.getByRole('textbox', { name: label, exact: true }).fill(`Said of ${label}`);
      await page.keyboard.press('Enter');
    };
    await page.getByText('20 empty fields', { exact: true }).press('Enter');
    await save('Lead fact 1');
    await begun.page.promise;
    await save('Lead fact 2');
    await begun.form.promise;
    held.page.resolve();
    // What has come to the page is shown when this is answered.
    for (let turn = 0; turn < 3; turn += 1)
      await page.evaluate(async () => void (await (await fetch('/healthz')).text()));
    held.form.resolve();
    await page.getByText('18 empty fields', { exact: true }).waitFor();
    for (const label of ['Lead fact 1', 'Lead fact 2'])
      await shownAt(page, label).getByText(`Said of ${label}`).waitFor();
    expect(await page.locator('details.edit[open]').count()).toBe(0);
    await expectSoon(
      () => page.evaluate(() => document.activeElement?.textContent),
      expect.stringContaining('Lead fact 2'),
    );
    await page.unrouteAll({ behavior: 'wait' });
    expect(complaints).toEqual([]);
  });

  test('are folded for matters and contacts too, and without a script', async () => {
    const person = await make('/v1/contacts', { firstName: 'Ola', lastName: 'Nowak' });
    const company = await make('/v1/contacts', { type: 'COMPANY', companyName: 'Rook Ltd' });
    const matter = await make('/v1/matters', {
      title: 'Nowak against Rook',
      openDate: '2026-03-03',
      practiceAreaId: firm.practiceAreas['Personal injury']?.id,
    });
    for (const javaScriptEnabled of [true, false]) {
      const { page, complaints } = await windowOf(owner, { javaScriptEnabled });
      await page.goto(`/matters/${matter}`);
      expect((await labels(page)).slice(0, 2)).toEqual(['Title', 'Practice area']);
      await expectSoon(() => labels(page), expect.not.arrayContaining(['Matter fact 1']));
      await page.getByText(/^2\d empty fields$/).click();
      await expectSoon(() => labels(page), expect.arrayContaining(['Matter fact 20']));
      await page.goto(`/contacts/${person}`);
      await expectSoon(() => labels(page), ['First name', 'Last name', 'Emails', 'Phone numbers']);
      await page.getByText('25 empty fields', { exact: true }).click();
      await expectSoon(() => labels(page), expect.arrayContaining(['Middle name']));
      await page.goto(`/contacts/${company}`);
      await expectSoon(() => labels(page), ['Company', 'Emails', 'Phone numbers']);
      await page.getByText('22 empty fields', { exact: true }).click();
      await expectSoon(() => labels(page), expect.not.arrayContaining(['First name']));
      expect(complaints).toEqual([]);
    }
  });
});
