/** A contact's page: notes, what happened, a new case of the same person; and a company's form. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  boxesOf,
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
beforeAll(async () => {
  firm = await makeFirm(server, { leadStages: ['New', 'Contacted'] });
});
const windowOf = windowsAt(server, () => firm);

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

const person = async (body: object): Promise<string> =>
  (await firm.owner.post('/v1/contacts', body)).body.data.id;

const leadsOf = async (id: string) =>
  (
    (await firm.owner.get('/v1/leads')).body.data as { id: string; contact: { id: string } }[]
  ).filter(({ contact }) => contact?.id === id);

describe.skipIf(!hasBrowser)('A contact', () => {
  test('shows its number in the list on a phone, also one that a colleague has just added; once where it has a column', async () => {
    const tag = `q${crypto.randomUUID().slice(0, 4)}`;
    const numbers = ['+44 20 7946 0992', '+44 20 7946 0993'];
    const email = 'somebody.with.a.long.name@chancery-lane.example';
    await person({ firstName: 'Ines', lastName: tag, emails: [email], phones: [numbers[0]] });
    const id = await person({ firstName: 'Otto', lastName: tag });
    for (const [options, name] of [
      [phone, '390'],
      [{}, '1280'],
    ] as const) {
      const window = await windowOf(attorney, options);
      const { page, complaints } = window;
      await page.goto(`/contacts?q=${tag}`);
      const [with1, without] = ['Ines', 'Otto'].map((one) =>
        page.locator('#list tr', { hasText: one }),
      );
      await with1
        ?.getByText(numbers[0] ?? '')
        .filter({ visible: true })
        .waitFor();
      expect(
        await with1
          ?.getByText(numbers[0] ?? '')
          .filter({ visible: true })
          .count(),
      ).toBe(1);
      if (name === '390') {
        // The name and what reaches the person have a line each; the long address is cut, not the number.
        const heights = await boxesOf(page.locator('#list tr'), 'height');
        expect(Math.max(...heights)).toBeLessThan(64);
        await without?.getByText('No email').waitFor();
        expect(await without?.getByText('·').count()).toBe(0);
        await firm.owner.patch(`/v1/contacts/${id}`, { phones: [numbers[1]] });
      }
      await without
        ?.getByText(numbers[1] ?? '')
        .filter({ visible: true })
        .waitFor();
      await expectAccessible(window);
      await takePicture(window, `contacts-list-${name}`);
      expect(complaints).toEqual([]);
    }
  });

  test('has notes and a timeline, which two people write in and both see', async () => {
    const id = await person({
      firstName: 'Wilma',
      lastName: 'Quill',
      emails: ['wilma@quill.example'],
      phones: ['020 7946 0991'],
    });
    const window = await windowOf(attorney);
    const { page: hers, complaints } = await windowOf(owner);
    const { page } = window;
    await page.goto(`/contacts/${id}`);
    await hers.goto(`/contacts/${id}`);
    await page.getByText('created the contact').waitFor();
    for (const [of, text] of [
      [page, 'Prefers to be called after six.'],
      [hers, 'Her brother is a judge.'],
      [page, 'Moved to Leeds.'],
    ] as const) {
      await field(of, 'Note').fill(text);
      await of.getByRole('button', { name: 'Save note' }).first().click();
      await page.locator('.timeline').getByText(text).first().waitFor();
      await hers.locator('.timeline').getByText(text).first().waitFor();
      await expectSoon(() => field(of, 'Note').inputValue(), '');
    }
    const own = page.getByRole('listitem').filter({ hasText: 'Moved to Leeds.' });
    await own.getByRole('button', { name: 'Delete this note' }).waitFor({ state: 'attached' });
    const others = page.getByRole('listitem').filter({ hasText: 'Her brother is a judge.' });
    await others
      .getByRole('button', { name: 'Delete this note' })
      .first()
      .waitFor({ state: 'detached' });
    const trail = page.getByRole('navigation', { name: 'Where this is' });
    const name = await page.getByRole('heading', { level: 1 }).textContent();
    await expectSoon(() => trail.textContent(), `Contacts${name}`);
    await expectAccessible(window);
    await takePicture(window, 'contact-notes-1280');
    expect(complaints).toEqual([]);
    expect(window.complaints).toEqual([]);
  });

  test('is the person of a new lead, again and again; its page tells what happened to each', async () => {
    const id = await person({
      firstName: 'Barnaby',
      lastName: 'Teasdale',
      emails: ['barnaby@teasdale.example'],
      phones: ['07700 900118'],
    });
    const window = await windowOf(attorney, phone);
    const { page, complaints } = window;
    for (const about of ['A dog bit him.', 'His neighbour built a wall.']) {
      await page.goto(`/contacts/${id}`);
      await page.getByRole('link', { name: 'New lead', exact: true }).click();
      await page.waitForSelector('form[data-kept-at]');
      await expectSoon(() => field(page, 'First name').inputValue(), 'Barnaby');
      await expectSoon(() => field(page, 'Last name').inputValue(), 'Teasdale');
      await expectSoon(() => field(page, 'Email').inputValue(), 'barnaby@teasdale.example');
      await expectSoon(() => field(page, 'Phone').inputValue(), '07700 900118');
      const same = page.getByRole('checkbox', { name: 'Same person, new case' });
      await expectSoon(() => same.isChecked(), true);
      await takePicture(window, 'contact-new-lead-390');
      await field(page, 'What is it about?').fill(about);
      await page.getByRole('button', { name: 'Create lead' }).dblclick();
      await page.getByRole('heading', { level: 1, name: 'Barnaby Teasdale' }).waitFor();
    }
    const made = await leadsOf(id);
    expect(made).toHaveLength(2);
    await page.goto(`/contacts/${id}`);
    const timeline = page.locator('.timeline');
    for (const lead of made) {
      await timeline.locator(`a[href="/leads/${lead.id}"]`).first().waitFor();
    }
    // The notes about all of them are here too, to read.
    await timeline.getByText('A dog bit him.').waitFor({ state: 'attached' });
    await expectAccessible(window);
    await takePicture(window, 'contact-390');
    await page.setViewportSize({ width: 1280, height: 900 });
    await takePicture(window, 'contact-1280');
    expect(complaints).toEqual([]);
  });

  test('lists its leads and matters with their stages, also after somebody has moved them', async () => {
    const { Family } = firm.practiceAreas;
    const made = await firm.owner.post('/v1/leads', { firstName: 'Nan', lastName: 'Stagg' });
    const lead = made.body.data;
    const matter = await firm.owner.post('/v1/matters', {
      title: 'Stagg and Stagg',
      openDate: '2026-03-03',
      practiceAreaId: Family?.id,
      clientContactIds: [lead.contact.id],
    });
    for (const size of [{}, phone]) {
      const window = await windowOf(attorney, size);
      const { page, complaints } = window;
      const { page: hers } = await windowOf(owner);
      const part = (name: string) => page.getByRole('region', { name, exact: true });
      const [before, next] = 'viewport' in size ? [1, 0] : [0, 1];
      const stages = [
        ['Leads', ['New', 'Contacted'], `/leads/${lead.id}`],
        ['Matters', ['Intake', 'Filed'], `/matters/${matter.body.data.id}`],
      ] as const;
      await page.goto(`/contacts/${lead.contact.id}`);
      for (const [name, names, path] of stages) {
        await part(name).getByText(`· ${names[before]}`).waitFor();
        await hers.goto(path);
        await hers.getByRole('button', { name: `Move to ${names[next]}` }).click();
        await part(name).getByText(`· ${names[next]}`).waitFor();
      }
      await takePicture(window, `contact-stages-${'viewport' in size ? 390 : 1280}`);
      await expectAccessible(window);
      expect(complaints).toEqual([]);
    }
  });

  test('is deleted only after a question, and comes back, again and again', async () => {
    const id = await person({ firstName: 'Gone', lastName: 'Today' });
    for (const options of [{}, phone]) {
      const window = await windowOf(attorney, options);
      const { page, complaints } = window;
      await page.goto(`/contacts/${id}`);
      const more = page.getByRole('button', { name: 'More actions' });
      const asks = page.getByRole('dialog', { name: 'Delete Gone Today?' });
      for (const verb of ['Cancel', 'Delete']) {
        await more.click();
        await page.locator('.menu').getByRole('button', { name: 'Delete' }).click();
        await asks.waitFor();
        await expectAccessible(window);
        await asks.getByRole('button', { name: verb }).click();
        await asks.waitFor({ state: 'hidden' });
      }
      await page.waitForURL('**/deleted');
      expect((await firm.owner.get(`/v1/contacts/${id}`)).status).toBe(404);
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('heading', { level: 1, name: 'Gone Today', exact: true }).waitFor();
      expect((await firm.owner.get(`/v1/contacts/${id}`)).status).toBe(200);
      expect(complaints).toEqual([]);
    }
  });

  test('is typed from the first key on, and so is the next one', async () => {
    const { page, complaints } = await windowOf(attorney);
    for (const name of ['Otto', 'Ida']) {
      await page.goto('/contacts/new');
      await page.locator('.scripted').waitFor({ state: 'attached' });
      await page.keyboard.type(name);
      await page.keyboard.press('Tab');
      await page.keyboard.type('Quandt');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: `${name} Quandt` }).waitFor();
    }
    // The choice before it is one key away.
    await page.goto('/contacts/new');
    await field(page, 'First name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('radio', { name: 'A company', checked: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('that is a company is asked for what a company has, and a person for what a person has', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const window = await windowOf(attorney, { javaScriptEnabled });
      const { page } = window;
      await page.goto('/contacts/new');
      const shown = async () =>
        (await page.locator('main .field label').filter({ visible: true }).allTextContents()).map(
          (text) => text.trim(),
        );
      const people = ['First name', 'Last name', 'Company', 'Emails', 'Phone numbers'];
      const companies = ['Company', 'Trades as', 'Kind of company', 'Emails', 'Phone numbers'];
      await expectSoon(shown, people);
      await field(page, 'First name').fill('Left');
      await page.getByRole('radio', { name: 'A company' }).check();
      await expectSoon(shown, companies);
      await takePicture(window, 'company-new-1280');
      if (javaScriptEnabled) await expectAccessible(window);
      await field(page, 'Company').fill('Rook Ltd');
      await field(page, 'Trades as').fill('Rook');
      await page.getByRole('button', { name: 'Create contact' }).click();
      await page.getByRole('heading', { level: 1, name: 'Rook Ltd' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1);
      const stored = (await firm.owner.get(`/v1/contacts/${id}`)).body.data;
      expect(stored).toMatchObject({ type: 'COMPANY', firstName: null, tradeName: 'Rook' });
      await page.goto('/contacts/new');
      await expectSoon(shown, people);
      await page.getByRole('radio', { name: 'A company' }).check();
      await page.getByRole('radio', { name: 'A person' }).check();
      await expectSoon(shown, people);
    }
  });

  test('is edited on its lead’s page by the fields of its type, and what it has stays', async () => {
    const { body } = await firm.owner.post('/v1/leads', {
      type: 'COMPANY',
      companyName: 'Moss Ltd',
      nickname: 'Mossy',
    });
    const { page } = await windowOf(attorney);
    await page.goto(`/leads/${body.data.id}?do=edit-contact`);
    const dialog = page.getByRole('dialog', { name: 'Edit contact' });
    const labels = () => dialog.locator('.names label').filter({ visible: true }).allTextContents();
    await expectSoon(labels, ['Preferred name', 'Company', 'Trades as', 'Kind of company']);
    await dialog.getByRole('radio', { name: 'A person' }).check();
    await expectSoon(labels, expect.arrayContaining(['First name']));
    await dialog.getByRole('textbox', { name: 'First name' }).fill('Ada');
    await dialog.getByRole('button', { name: 'Save contact' }).click();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'Ada' }).waitFor();
    const stored = (await firm.owner.get(`/v1/contacts/${body.data.contact.id}`)).body.data;
    expect(stored).toMatchObject({
      type: 'PERSON',
      firstName: 'Ada',
      companyName: 'Moss Ltd',
      nickname: 'Mossy',
    });
  });
});
