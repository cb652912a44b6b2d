import { beforeAll, describe, expect, test } from 'bun:test';
import {
  boxOf,
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { attorney, type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;

beforeAll(async () => {
  firm = await makeFirm(server, {
    leadStages: ['New', 'Contacted', 'Consultation', 'Fee proposal', 'Awaiting signature'],
    practiceAreas: [
      { name: 'Personal injury', stages: ['Pre-action', 'Issued'] },
      { name: 'Family', stages: ['Intake', 'Filed'] },
    ],
    customFields: [
      { on: 'lead', name: 'Date of accident', type: 'DATE' },
      { on: 'lead', name: 'Employer', type: 'TEXT' },
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Website', 'Friend'] },
      { on: 'matter', name: 'Employer', type: 'TEXT' },
    ],
  });
});

const makeLead = async (more: object = {}) => {
  const { body } = await firm.owner.post('/v1/leads', {
    firstName: 'Aleksandra',
    lastName: 'Szczepańska',
    phone: '+44 7700 900142',
    email: `a-${Bun.randomUUIDv7()}@example.org`,
    ...more,
  });
  return body.data as { id: string; publicId: string; contact: { id: string; name: string } };
};

const windowOf = windowsAt(server, () => firm);

describe.skipIf(!hasBrowser)('A lead', () => {
  test('has no barriers, wide and on a phone, full and with its dialogs open', async () => {
    const lead = await makeLead({ value: 'HIGHEST', customFields: { Employer: 'Northgate Ltd' } });
    await makeLead();
    for (const [size, options] of [
      ['1280', { viewport: { width: 1280, height: 860 } }],
      ['390', phone],
    ] as const) {
      const window = await windowOf(attorney, options);
      const paths = {
        lead: `/leads/${lead.id}`,
        hire: `/leads/${lead.id}?do=hire`,
        'not-hired': `/leads/${lead.id}?do=not-hired`,
        'edit-contact': `/leads/${lead.id}?do=edit-contact`,
        'lead-new': '/leads/new',
        matters: '/matters',
      };
      for (const [name, path] of Object.entries(paths)) {
        await window.page.goto(path);
        await expectAccessible(window);
        for (const colorScheme of ['light', 'dark'] as const) {
          await window.page.emulateMedia({ colorScheme });
          await takePicture(window, `${name}-${size}${colorScheme === 'dark' ? '-dark' : ''}`);
        }
        const wide = await window.page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, `${path} at ${size}`).toBeLessThanOrEqual(Number(size));
      }
      expect(window.complaints).toEqual([]);
      await window.close();
    }
  });

  test('has two buttons and a menu at every width, by keys too; deleting asks', async () => {
    for (const options of [{}, phone]) {
      const { id, publicId } = await makeLead();
      const window = await windowOf(attorney, options);
      const { page } = window;
      await page.goto(`/leads/${id}`);
      const head = page.locator('.head');
      const shown = () => head.getByRole('button').filter({ visible: true }).allTextContents();
      await expectSoon(shown, ['Hire', 'Not hired', 'More actions']);
      const more = page.getByRole('button', { name: 'More actions' });
      await more.click();
      await expectSoon(shown, [
        ...['Hire', 'Not hired', 'More actions'],
        ...['Archive', 'Move to drafts', 'Delete'],
      ]);
      await expectAccessible(window);
      await takePicture(window, `lead-more-${options === phone ? '390' : '1280'}`);
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByText('Archived', { exact: true }).first().waitFor();
      await more.focus();
      await page.keyboard.press('Enter');
      await page.locator('.menu :focus', { hasText: 'Move to drafts' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await expectSoon(() => page.evaluate(() => document.activeElement?.textContent), 'Delete');
      await page.keyboard.press('Enter');
      const asks = page.getByRole('dialog', { name: `Delete ${publicId}?` });
      await asks.waitFor();
      await expectAccessible(window);
      await asks.getByRole('button', { name: 'Cancel' }).click();
      await expectSoon(
        () => page.evaluate(() => document.activeElement?.textContent),
        'More actions',
      );
      expect((await firm.owner.get(`/v1/leads/${id}`)).status).toBe(200);
      await more.click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await asks.getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL('**/deleted');
      expect((await firm.owner.get(`/v1/leads/${id}`)).status).toBe(404);
      expect(window.complaints).toEqual([]);
      await window.close();
    }
  });

  test('says through what it came in, if no person entered it, and who entered it, if one did', async () => {
    const { id } = await makeLead();
    const { page, complaints } = await windowOf(attorney);
    const lines = page.locator('.timeline li');
    const first = () => lines.last().textContent();
    // Also when it is seen again.
    for (let left = 2; left > 0; left -= 1) {
      await page.goto(`/leads/${id}`);
      await expectSoon(
        first,
        expect.stringMatching(/Came in through API key.*\d{2}:\d{2}|just now/),
      );
      expect(await page.locator('.timeline').textContent()).not.toContain('created the lead');
    }
    await page.goto('/leads/new');
    await page.getByLabel('Last name').fill('Teasdale');
    await page.getByRole('button', { name: 'Create lead' }).click();
    await page.getByRole('heading', { name: 'Teasdale', level: 1 }).waitFor();
    await expectSoon(first, expect.stringContaining('Ben Lane created the lead'));
    expect(complaints).toEqual([]);
  });

  test('is called and written to from under its name on a phone', async () => {
    const { id } = await makeLead({ email: 'call@example.org' });
    const window = await windowOf(attorney, phone);
    const { page } = window;
    await page.goto(`/leads/${id}`);
    const [call, email] = ['Call', 'Email'].map((name) =>
      page.getByRole('link', { name, exact: true }),
    );
    expect(await call?.getAttribute('href')).toBe('tel:+447700900142');
    expect(await email?.getAttribute('href')).toBe('mailto:call%40example.org');
    await takePicture(window, 'lead-call-390');
    const tops = await page.evaluate(() =>
      ['.reach-now a', '#contact', '.compose', '#details', '#waiting'].map(
        (part) => document.querySelector(part)?.getBoundingClientRect().y ?? 0,
      ),
    );
    expect(tops[0]).toBeLessThan(300);
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    await page.setViewportSize({ width: 1280, height: 800 });
    await call?.waitFor({ state: 'hidden' });
    await window.close();
  });

  test('has a note that is deleted only after a question', async () => {
    const { id } = await makeLead();
    const window = await windowOf(attorney);
    const { page } = window;
    await page.goto(`/leads/${id}`);
    for (const text of ['First call', 'Second call']) {
      await page.getByRole('textbox', { name: 'Note', exact: true }).fill(text);
      await page.getByRole('button', { name: 'Save note' }).first().click();
      await page.getByText(text).first().waitFor();
    }
    const asks = page.getByRole('dialog', { name: 'Delete this note?' });
    const first = page.getByRole('listitem').filter({ hasText: 'First call' });
    const remove = first.getByRole('button', { name: 'Delete this note' });
    await remove.click();
    await expectAccessible(window);
    const buttons = ['Cancel', 'Delete'].map((name) => asks.getByRole('button', { name }));
    const [back, doIt] = await Promise.all(buttons.map(boxOf));
    expect((doIt?.x ?? 0) - (back?.x ?? 0) - (back?.width ?? 0)).toBeLessThan(16);
    await asks.getByRole('button', { name: 'Cancel' }).click();
    await first.waitFor();
    await remove.click();
    await asks.getByRole('button', { name: 'Delete' }).click();
    await first.waitFor({ state: 'detached' });
    await page.getByText('Second call').first().waitFor();
    await window.close();
  });

  test('of a caller is made by keys alone; whom we know is named first', async () => {
    const known = await makeLead({
      firstName: 'Ola',
      lastName: 'Wisła',
      email: 'ola@wisla.example',
    });
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto('/');
    await page.keyboard.press('n');
    await page.waitForURL('**/leads/new');
    await page.getByRole('button', { name: 'Create lead' }).waitFor();
    await expectSoon(
      () => page.evaluate(() => document.activeElement?.getAttribute('name')),
      'firstName',
    );
    await page.keyboard.type('Ola');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Nowak');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ola@wisla.example');
    await page.getByText('The firm may know this person').waitFor();
    expect(await page.getByRole('link', { name: 'Ola Wisła' }).getAttribute('href')).toBe(
      `/contacts/${known.contact.id}`,
    );
    await page
      .getByRole('link', { name: new RegExp(known.publicId) })
      .waitFor({ state: 'attached' });
    await expectAccessible(window);
    await takePicture(window, 'known-1280');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Ola Nowak' }).waitFor();
    await page.locator('dd', { hasText: 'Ben Lane' }).first().waitFor({ state: 'attached' });
    expect(complaints).toEqual([]);
  });

  test('is edited at its place by Enter and by leaving; Escape undoes; a lost server keeps the text', async () => {
    const lead = await makeLead();
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto(`/leads/${lead.id}`);
    const edit = page.locator('details.edit', { hasText: 'Edit Employer' });
    const field = page.getByRole('textbox', { name: 'Employer', exact: true });
    await page.getByText(/^\d+ empty fields$/).click();
    await edit.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('Rook Ltd');
    await page.keyboard.press('Enter');
    await page
      .locator('.timeline')
      .getByText('changed Employer from nothing to Rook Ltd')
      .waitFor();
    await edit.locator('summary').click();
    await field.fill('Left Ltd');
    await page.getByRole('heading', { level: 1 }).click();
    await page
      .locator('.timeline')
      .getByText('changed Employer from Rook Ltd to Left Ltd')
      .waitFor();
    await edit.locator('summary').click();
    await field.fill('Undone');
    await page.keyboard.press('Escape');
    await expectSoon(
      () => edit.locator('summary').textContent(),
      expect.stringContaining('Left Ltd'),
    );
    const note = page.getByRole('textbox', { name: 'Note', exact: true }).first();
    await page.context().setOffline(true);
    await note.fill('She called back at noon. '.repeat(20));
    await page.getByRole('button', { name: 'Save note' }).first().click();
    await page.getByRole('alert').waitFor();
    // Somebody else changes the lead, and the server answers again: the page is renewed, and the text and
    // the sentence that it could not be saved stay.
    await firm.owner.patch(`/v1/leads/${lead.id}`, { value: 'LOW' });
    await page.context().setOffline(false);
    await page
      .locator('.timeline')
      .getByText(/changed Value from nothing to Low/)
      .waitFor();
    expect(await note.inputValue()).toMatch(/^She called back at noon\./);
    expect(await page.getByRole('alert').textContent()).toContain('The server does not answer.');
    await page.getByRole('alert').and(page.locator(':focus')).waitFor();
    await page.reload();
    await expectSoon(() => note.inputValue(), expect.stringMatching(/^She called back at noon\./));
    await page.getByText('Not saved yet').waitFor();
    // Renewed, because somebody else has changed the lead, the page still says it.
    await firm.owner.patch(`/v1/leads/${lead.id}`, { value: 'HIGHEST' });
    await page
      .locator('.timeline')
      .getByText(/changed Value from Low to Highest/)
      .waitFor();
    expect(await note.inputValue()).toMatch(/^She called back at noon\./);
    await page.getByText('Not saved yet').waitFor();
    // Back shows it as well, where the browser itself remembers what was typed.
    await page.goto('/leads');
    await page.goBack();
    await expectSoon(() => note.inputValue(), expect.stringMatching(/^She called back at noon\./));
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('button', { name: 'Save note' }).first().click();
    await page
      .locator('.timeline .as-written', { hasText: 'She called back at noon.' })
      .first()
      .waitFor();
    await expectSoon(() => note.inputValue(), '');
    expect(complaints.filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });

  test('says what an edit did with its Undo beside it, however long the words', async () => {
    const lead = await makeLead();
    const { page } = await windowOf(attorney);
    await page.goto(`/leads/${lead.id}`);
    await page.getByText(/^\d+ empty fields$/).click();
    await page.locator('details.edit', { hasText: 'Edit Employer' }).locator('summary').click();
    await page
      .getByRole('textbox', { name: 'Employer', exact: true })
      .fill('The Worshipful Company of Carpenters and Joiners');
    await page.keyboard.press('Enter');
    const said = page.getByRole('status').filter({ hasText: 'Employer changed to' });
    const [toast, undo] = [
      await boxOf(said),
      await boxOf(said.getByRole('button', { name: 'Undo' })),
    ];
    expect(toast.height).toBeGreaterThan(50);
    expect(Math.abs(toast.y + toast.height / 2 - undo.y - undo.height / 2)).toBeLessThan(2);
  });

  test('has its people ticked at their place, by the pointer and by keys', async () => {
    const lead = await makeLead();
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${lead.id}`);
    const summary = page.locator('details.edit', { hasText: 'Edit Assigned' }).locator('summary');
    const ticks = page.locator('details.edit[open] input[type=checkbox]');
    await summary.click();
    await ticks.nth(1).check();
    await ticks.nth(0).check();
    await page.getByRole('heading', { level: 1 }).click();
    await summary.getByTitle('Ada Harrow').waitFor();
    await summary.getByTitle('Ben Lane').waitFor();
    await summary.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('[type=checkbox]'));
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await summary.getByTitle('Ada Harrow').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('has everybody who is ticked, also while those before are being saved', async () => {
    const lead = await makeLead();
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${lead.id}`);
    const summary = page.locator('details.edit', { hasText: 'Edit Assigned' }).locator('summary');
    const ticks = page.locator('details.edit[open] input[type=checkbox]');
    for (const leaves of [false, true]) {
      const sent = Promise.withResolvers<void>();
      const letGo = Promise.withResolvers<void>();
      await page.route('**/assignees', async (route) => {
        sent.resolve();
        await letGo.promise;
        await route.continue();
      });
      await summary.click();
      await ticks.nth(0).click();
      await sent.promise;
      await ticks.nth(1).click();
      if (leaves) await page.getByRole('heading', { level: 1 }).click();
      letGo.resolve();
      const state = leaves ? 'detached' : 'attached';
      for (const name of ['Ada Harrow', 'Ben Lane'])
        await summary.getByTitle(name).waitFor({ state });
      await page.unrouteAll({ behavior: 'wait' });
      await page.reload();
      for (const name of ['Ada Harrow', 'Ben Lane'])
        await summary.getByTitle(name).waitFor({ state });
    }
    expect(complaints).toEqual([]);
  });

  test('is as it was when a dialog is cancelled, with a script and without one', async () => {
    const lead = await makeLead({ lastName: 'Kept' });
    for (const javaScriptEnabled of [true, false]) {
      const { page, complaints } = await windowOf(attorney, { javaScriptEnabled });
      for (const [name, title] of [
        ['Hire', 'Hire and open a matter'],
        ['Not hired', 'Not hired'],
      ] as const) {
        await page.goto(`/leads/${lead.id}`);
        await page.getByRole('button', { name, exact: true }).first().click();
        const dialog = page.getByRole('dialog', { name: title });
        await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
        await dialog.waitFor({ state: 'hidden' });
      }
      expect(complaints).toEqual([]);
    }
    expect((await firm.owner.get(`/v1/leads/${lead.id}`)).body.data.status).toBe('ACTIVE');
  });

  test('is archived by keys, also if a colleague changes it in the meantime', async () => {
    const lead = await makeLead({ lastName: 'Shelved' });
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${lead.id}`);
    await page.getByRole('button', { name: 'More actions' }).focus();
    await firm.owner.patch(`/v1/leads/${lead.id}`, { value: 'HIGHEST' });
    await page
      .locator('.timeline', { hasText: /highest/i })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.menu :focus', { hasText: 'Archive' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reopen', exact: true }).waitFor();
    expect((await firm.owner.get(`/v1/leads/${lead.id}`)).body.data.status).toBe('ARCHIVE');
    expect(complaints).toEqual([]);
  });

  test('is hired by keys with two clients, taken back, and then not hired', async () => {
    const lead = await makeLead({ lastName: 'Hired' });
    await firm.owner.post('/v1/contacts', { lastName: 'Quillfeather' });
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto(`/leads/${lead.id}`);
    await page.getByRole('button', { name: 'Hire', exact: true }).focus();
    // A colleague's change renews the page, and leaves the focus where it is.
    await firm.owner.patch(`/v1/leads/${lead.id}`, { value: 'HIGHEST' });
    await page
      .locator('.timeline', { hasText: /highest/i })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Hire and open a matter' });
    await dialog.waitFor();
    const hire = dialog.getByRole('button', { name: 'Hire', exact: true });
    const box = await hire.boundingBox();
    expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Hired v. Rook');
    await hire.focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await takePicture(window, 'hire-refused-1280');
    await expectSoon(
      () => dialog.getByRole('textbox', { name: 'Title' }).inputValue(),
      'Hired v. Rook',
    );
    await dialog.getByRole('combobox', { name: 'Practice area' }).selectOption('Personal injury');
    await dialog.getByRole('combobox', { name: 'Another client' }).fill('Quillf');
    await dialog.getByRole('option', { name: 'Quillfeather' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Remove Quillfeather' }).waitFor();
    await hire.dblclick();
    await page.waitForURL('**/matters/*');
    const matters = (await firm.owner.get('/v1/matters')).body.data.filter(
      ({ title }: { title: string }) => title === 'Hired v. Rook',
    );
    expect(matters.length).toBe(1);
    expect(matters[0].clients.map(({ name }: { name: string }) => name)).toEqual([
      lead.contact.name,
      'Quillfeather',
    ]);
    await takePicture(window, 'hired-1280');
    await page.goto(`/matters/${matters[0].id}`);
    for (const name of ['Clients', 'Team', 'Dates']) {
      await page.getByRole('group', { name }).waitFor({ state: 'attached' });
    }
    await expectAccessible(window);
    await takePicture(window, 'matter-1280');
    await page.goto(`/leads/${lead.id}`);
    await page.getByRole('button', { name: 'Undo hire' }).click();
    const asks = page.getByRole('dialog', { name: 'Undo the hire?' });
    const sizeOf = (part: Element) => getComputedStyle(part).fontSize;
    expect(await asks.getByRole('heading').evaluate(sizeOf)).toBe('20px');
    await asks.getByRole('button', { name: 'Undo hire' }).click();
    await page.getByText('undid the hire').waitFor();
    await page.getByRole('button', { name: 'Move to Contacted' }).click();
    const said = page.getByRole('status').filter({ hasText: 'Moved to Contacted.' });
    await said.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: 'Moved back.' }).waitFor();
    await page.getByRole('button', { name: 'Move to Contacted' }).waitFor();
    await page.getByRole('button', { name: 'Not hired' }).first().click();
    const reasons = page.getByRole('dialog', { name: 'Not hired' });
    await reasons.getByRole('button', { name: 'Not hired' }).click();
    await reasons.getByRole('alert').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'not-hired-refused-1280');
    await reasons.getByRole('combobox', { name: 'Reason' }).selectOption('Fees');
    await reasons.getByRole('button', { name: 'Not hired' }).click();
    await page.getByText('marked the lead not hired: Fees').waitFor();
    expect(complaints).toEqual([]);
  });
});
