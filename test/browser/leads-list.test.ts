import { beforeAll, describe, expect, test } from 'bun:test';
import {
  boxesOf,
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import { connect } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;

const longName = 'Whether somebody has asked for the papers of the former lawyer '.repeat(4).trim();

beforeAll(async () => {
  firm = await makeFirm(server, {
    customFields: [
      { on: 'lead', name: 'Channel', type: 'SELECT', options: ['Web', 'Friend'] },
      { on: 'lead', name: longName, type: 'CHECKBOX' },
      { on: 'contact', name: 'Language', type: 'SELECT', options: ['Welsh', 'English'] },
    ],
  });
  for (const [lastName, more] of [
    ['Whitcombe Vale Farms and all who belong to them', { value: 'HIGH' }],
    ['Pugh', { practiceAreaId: firm.practiceAreas.Family?.id, isPrivate: true }],
    ['Åkesson', { value: 'LOWEST', customFields: { Channel: 'Web' } }],
  ] as const) {
    await firm.owner.post('/v1/leads', { firstName: 'Björn', lastName, ...more });
  }
  const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
  await firm.owner.post('/v1/matters', { ...area, title: 'Pugh v. Vale' });
});

const windowOf = windowsAt(server, () => firm);

describe.skipIf(!hasBrowser)('The list of leads', () => {
  test('has no barriers, wide and on a phone, in light and dark, with its dialogs', async () => {
    for (const [size, options] of [
      ['1280', {}],
      ['390', phone],
    ] as const) {
      const window = await windowOf(owner, options);
      const { page } = window;
      const { lead, contact } = firm.customFields;
      const own = `columns=area,value,field.${lead.Channel},field.${lead[longName]}`;
      for (const [name, address] of [
        ['list', '/leads?view=list&sort=-waiting&from=2020-01-01'],
        ['list-filters', '/leads?view=list&do=filters'],
        ['list-columns', '/leads?view=list&do=columns'],
        ['list-own', `/leads?view=list&${own}`],
        ['list-views', '/leads?view=list&do=views'],
        ['list-empty', '/leads?view=list&q=nobody'],
        ['list-contacts', `/contacts?columns=type,email,field.${contact.Language}`],
      ] as const) {
        await page.goto(address);
        await expectAccessible(window);
        await takePicture(window, `${name}-${size}-dark`);
        await page.emulateMedia({ colorScheme: 'light' });
        await takePicture(window, `${name}-${size}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, `${name} at ${size}`).toBeLessThanOrEqual(Number(size));
      }
      expect(window.complaints).toEqual([]);
    }
  });

  test('leaves the names room where not all columns fit', async () => {
    const { page } = await windowOf(owner, { viewport: { width: 800, height: 800 } });
    await page.goto('/leads?view=list');
    const widths = await boxesOf(page.getByRole('rowheader'), 'width');
    expect(widths).toHaveLength(3);
    for (const width of widths) expect(width).toBeGreaterThan(150);
  });

  test('fits at 1280 pixels with all its usual columns, however long their words; matters too', async () => {
    const sql = connect(server.databaseUrl);
    await sql`update firm set source_field_id = ${firm.customFields.lead.Channel ?? ''}
      where id = ${firm.id}`;
    await sql.end();
    const { page } = await windowOf(owner);
    const longest = new Map([
      ['Area', 'Personal injury and clinical negligence'],
      ['Stage', 'Consultation booked'],
      ['Source', 'Recommended by a former client'],
    ]);
    for (const address of ['/leads?view=list', '/matters?view=list']) {
      await page.goto(address);
      const overdue =
        '<span class="tone-danger">Overdue: <time class="nowrap">Wed 25 Nov</time></span>';
      await page.evaluate(
        ([words, late]) => {
          const heads = [...document.querySelectorAll('thead :is(th, td)')];
          for (const row of document.querySelectorAll('#list tr')) {
            for (const [at, { textContent }] of heads.entries()) {
              const cell = row.children[at];
              const text = new Map(words as [string, string][]).get(textContent ?? '');
              if (cell && text) cell.textContent = text;
              if (cell && textContent === 'Next step') cell.innerHTML = late as string;
            }
          }
        },
        [[...longest], overdue],
      );
      const [whole, seen] = await page
        .locator('.table-box')
        .evaluate((box) => [box.scrollWidth, box.clientWidth]);
      expect(whole, address).toBeLessThanOrEqual(seen ?? 0);
      const [search, more] = await Promise.all([
        boxesOf(page.locator('.filter-by [type=search]'), 'top'),
        boxesOf(page.locator('[data-opens=filters]:visible'), 'top'),
      ]);
      expect(more, address).toEqual(search);
      const filters = await page.locator('.list-bar select:visible').count();
      if (address.startsWith('/leads')) expect(filters).toBe(4);
      const [words, room] = await page.locator('.filter-by [type=search]').evaluate((field) => {
        const { font, paddingLeft, paddingRight } = getComputedStyle(field);
        const context = document.createElement('canvas').getContext('2d');
        if (!context) throw new Error('This browser measures no text.');
        context.font = font;
        const { width } = context.measureText((field as HTMLInputElement).placeholder);
        return [width, field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)];
      });
      expect(words, address).toBeLessThanOrEqual(room ?? 0);
    }
  });

  test('is reached with Tab in the order in which its controls are seen', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    for (const path of ['/leads?view=list', '/matters?view=list', '/contacts']) {
      await page.goto(path);
      const main = page.getByRole('main');
      const all = main.locator(':is(.tabs, .list-bar) :is(a, button, input, select):visible');
      const seen = (await all.evaluateAll((controls) =>
        controls
          .filter((one) => (one as HTMLElement).tabIndex >= 0)
          .map((one) => [one.getBoundingClientRect(), one.textContent] as const)
          .map(([{ top, left }, words]) => ({ row: Math.round(top / 24), left, words })),
      )) as { row: number; left: number; words: string }[];
      expect(seen.length, path).toBeGreaterThan(4);
      const inOrder = seen.toSorted((one, other) => one.row - other.row || one.left - other.left);
      expect(seen, path).toEqual(inOrder);
    }
    expect(complaints).toEqual([]);
  });

  test('is reached with Tab in the order in which its controls are seen, also where there is less room', async () => {
    const { page, complaints } = await windowOf(owner, { viewport: { width: 900, height: 800 } });
    await page.goto('/leads?view=list');
    await page.getByRole('searchbox').first().focus();
    const names: string[] = [];
    for (let left = 12; left > 0 && names.at(-1) !== 'Export'; left -= 1) {
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate(() => {
          const at = document.activeElement;
          return (at as HTMLSelectElement).name || (at?.textContent?.trim() ?? '');
        }),
      );
    }
    expect(names.slice(-4)).toEqual(['More filters', 'Views', 'Columns', 'Export']);
    expect(complaints).toEqual([]);
  });

  test('has two rows of controls in a wide window, and three where there is less room', async () => {
    for (const [width, most] of [
      [1280, 260],
      [1440, 260],
      [900, 360],
    ] as const) {
      const window = await windowOf(owner, { viewport: { width, height: 800 } });
      const { page, complaints } = window;
      // What is filtered by and has no control above the list may need a row of its own.
      for (const [path, more] of [
        ['/leads?view=list', 0],
        ['/leads?view=list&from=2020-01-01', 48],
      ] as const) {
        await page.goto(path);
        const [top] = await boxesOf(page.locator('tbody tr'), 'top');
        expect(top, `${path} ${width}`).toBeLessThan(most + more);
        const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect(isWider, `${path} ${width}`).toBe(false);
        // Nothing lies over what stands beside the tabs.
        await page.getByRole('link', { name: 'Views' }).click();
        await page.getByRole('dialog', { name: 'Views' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: /^All / }).click();
        await page.waitForURL('**status=ALL**');
      }
      await takePicture(window, `leads-list-rows-${width}`);
      expect(complaints).toEqual([]);
    }
  });

  test('on a phone has a name and how long it waits in one line', async () => {
    const { page } = await windowOf(owner, phone);
    await page.goto('/leads?view=list');
    const row = page.locator('#list tr, tbody tr').filter({ hasText: 'Åkesson' });
    await row.waitFor();
    const [[name], [waiting]] = await Promise.all([
      boxesOf(row.locator('.line-1.cut'), 'top'),
      boxesOf(row.locator('.number.line-1'), 'top'),
    ]);
    expect(Math.abs((name ?? 0) - (waiting ?? 99))).toBeLessThan(8);
  });

  test('on a phone has one button for its filters, which says how many are set', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const window = await windowOf(owner, { ...phone, javaScriptEnabled });
      const { page, complaints } = window;
      for (const path of ['/leads?view=list', '/matters?view=list', '/contacts']) {
        await page.goto(path);
        const shown = page.getByRole('button', { name: 'Filters' });
        await shown.waitFor({ state: 'attached' });
        await page
          .getByRole('combobox')
          .filter({ visible: true })
          .first()
          .waitFor({ state: 'detached' });
        const [top] = await boxesOf(page.locator('tbody th a'), 'top');
        if (javaScriptEnabled) expect(top, path).toBeLessThan(300);
      }
      await page.goto('/leads?view=list');
      const filters = page.getByRole('button', { name: /^Filters/ });
      const dialog = page.getByRole('dialog', { name: 'Filters', exact: true });
      const names = page.locator('tbody th a');
      await takePicture(window, `list-phone-${javaScriptEnabled}`);
      // Twice: what is set once is there when it is opened again.
      for (const [label, value, count, rows] of [
        ['Value', 'HIGH', '1', 1],
        ['Stage', 'New', '2', 1],
        ['Value', 'Any', '1', 3],
      ] as const) {
        await filters.click();
        await dialog.waitFor();
        await takePicture(window, `list-phone-filters-${javaScriptEnabled}`);
        if (javaScriptEnabled) await expectAccessible(window);
        await dialog
          .getByRole('combobox', { name: label, exact: true })
          .selectOption(value === 'HIGH' ? value : { label: value });
        await dialog.getByRole('button', { name: 'Show' }).click();
        await page.getByRole('button', { name: `Filters ${count} set` }).waitFor();
        await expectSoon(() => names.count(), rows, label);
        await dialog.waitFor({ state: 'hidden' });
      }
      // The words are searched for, and do not open the filters.
      const words = page.getByRole('searchbox');
      await words.fill('Pugh');
      await words.press('Enter');
      await page.waitForURL('**q=Pugh**');
      await names.waitFor({ state: 'attached' });
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Filters 1 set' }).waitFor();
      await takePicture(window, `list-phone-set-${javaScriptEnabled}`);
      expect(complaints).toEqual([]);
    }
  });

  test('has a field of the firm as a column, which can be filtered by; and without it again', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.goto('/leads?view=list');
    const head = page.getByRole('columnheader', { name: 'Channel' });
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    const choose = async (isShown: boolean) => {
      await page.getByRole('link', { name: 'Columns' }).click();
      await dialog.getByRole('checkbox', { name: 'Channel' }).setChecked(isShown);
      await dialog.getByRole('button', { name: 'Show' }).click();
    };
    for (let left = 2; left > 0; left -= 1) {
      await choose(true);
      await head.waitFor();
      await page.getByRole('cell', { name: 'Web', exact: true }).last().waitFor();
      await page.getByRole('combobox', { name: 'Channel' }).selectOption({ label: 'Web' });
      await expectSoon(() => page.locator('tbody th a').count(), 1);
      await page.getByRole('combobox', { name: 'Channel' }).selectOption('');
      await expectSoon(() => page.locator('tbody th a').count(), 3);
      await choose(false);
      await head.waitFor({ state: 'detached' });
    }
    expect(complaints).toEqual([]);
  });

  test('has its filters in one row at 1280 pixels, whatever is chosen; the rarer ones are among More filters', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.goto('/leads?view=list');
    const bar = page.locator('.list-bar');
    await bar.locator('select:visible').evaluateAll((lists) => {
      for (const one of lists)
        (one as HTMLSelectElement).add(new Option('W'.repeat(60), '', true, true));
    });
    const inRow = ':is([type=search], select, [data-opens=filters]):visible';
    expect(new Set(await boxesOf(bar.locator(inRow), 'top')).size).toBe(1);
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'More filters' });
    const names = page.locator('tbody th a');
    for (const [press, rows] of [
      ['High', 1],
      ['Lowest', 1],
    ] as const) {
      await page.getByRole('link', { name: 'More filters' }).click();
      await dialog.getByRole('combobox', { name: 'Value' }).selectOption({ label: press });
      await expectAccessible(window);
      await dialog.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('link', { name: `Remove the filter Value: ${press}` }).waitFor();
      await expectSoon(() => names.count(), rows);
    }
    await takePicture(window, 'list-chip-1280');
    await page.getByRole('link', { name: 'Remove the filter Value: Lowest' }).click();
    await expectSoon(() => names.count(), 3);
    expect(complaints).toEqual([]);
  });

  test('has a period as one chip in the days of who reads it, and nothing in it is said; again without it', async () => {
    const own = await makeFirm(server);
    await own.owner.post('/v1/leads', { lastName: 'Quill' });
    const windowOf = windowsAt(server, () => own);
    await (await visitorOf(server, own, attorney)).post('/settings/me/formats', {
      ...{ clock: '12', dayOrder: 'MDY' },
    });
    const names = { [owner]: '1 Oct – 24 Nov 2019', [attorney]: 'Oct 1 – Nov 24, 2019' };
    for (const [email, period] of Object.entries(names)) {
      const { page, complaints } = await windowOf(email);
      await page.goto('/leads?view=list');
      const rows = page.locator('tbody th a');
      const dialog = page.getByRole('dialog', { name: 'More filters' });
      for (const _ of ['once', 'again']) {
        await page.getByRole('link', { name: 'More filters' }).click();
        await dialog.getByLabel('Created from').fill('2019-10-01');
        await dialog.getByLabel('Created to').fill('2019-11-24');
        await dialog.getByRole('button', { name: 'Show' }).click();
        await page.getByText('No leads match these filters.').waitFor();
        const chip = page.getByRole('link', { name: /^Remove the filter/ });
        await expectSoon(
          () => chip.getAttribute('aria-label'),
          `Remove the filter Created: ${period}`,
        );
        await chip.click();
        await expectSoon(() => rows.count(), 1);
        expect(await page.locator('.empty').count()).toBe(0);
      }
      expect(complaints).toEqual([]);
    }
  });

  test('is filtered at once, and what is ticked is moved together', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.goto('/leads?view=list');
    await page.getByRole('combobox', { name: 'Area' }).selectOption({ label: 'Family' });
    await page.waitForURL('**area=**');
    await expectSoon(() => page.getByRole('row').count(), 2);
    await page.getByRole('combobox', { name: 'Area' }).selectOption('');
    // The page is another one, whose script counts what is ticked.
    await page.waitForURL((url) => !url.searchParams.get('area'));
    await page.getByRole('checkbox', { name: 'Select all 3' }).check();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await takePicture(window, 'list-bulk-1280');
    await page.getByRole('menuitem', { name: 'Contacted' }).click();
    await page.getByRole('cell', { name: 'Contacted', exact: true }).nth(2).waitFor();
    const stages = await firm.owner.get('/v1/leads');
    for (const lead of stages.body.data) {
      expect(lead.leadStageColumnId).toBe(firm.leadStages.Contacted);
    }
    expect(complaints).toEqual([]);
  });

  test('has the filters of its address again after Back and Forward, on its board too', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.goto('/leads?view=list');
    const area = page.getByRole('combobox', { name: 'Area' });
    const words = page.getByRole('searchbox', { name: 'Words' });
    const family = firm.practiceAreas.Family?.id ?? '';
    await area.selectOption('Family');
    await page.waitForURL(`**area=${family}**`);
    await words.fill('Pugh');
    await words.press('Enter');
    await page.waitForURL('**q=Pugh**');
    const shown = async () => [await area.inputValue(), await words.inputValue()];
    for (const [go, expected] of [
      ['goBack', [family, '']],
      ['goBack', ['', '']],
      ['goForward', [family, '']],
      ['goForward', [family, 'Pugh']],
    ] as const) {
      await page[go]();
      expect(await shown(), go).toEqual([...expected]);
    }
    await page.goto('/leads?view=board');
    const assigned = page.getByRole('combobox', { name: 'Assigned' });
    await assigned.selectOption({ index: 1 });
    await page.waitForURL('**assignee=me**');
    await page.goBack();
    expect(await assigned.inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  test('has a view again that was removed', async () => {
    const { page, complaints } = await windowOf(owner);
    const views = page.getByRole('dialog', { name: 'Views' });
    const view = views.getByRole('link', { name: 'Worth much' });
    await page.goto('/leads?view=list&value=HIGH');
    await page.getByRole('link', { name: 'Views' }).click();
    await views.getByLabel('Name').fill('Worth much');
    await views.getByLabel('For the whole firm').check();
    await views.getByRole('button', { name: 'Save this view' }).click();
    await page.getByText('View saved: Worth much.').waitFor();
    await page.getByRole('link', { name: 'Views' }).click();
    await views.getByRole('button', { name: 'Remove the view Worth much' }).click();
    await page.getByText('View removed: Worth much.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('View saved: Worth much.').waitFor();
    await page.getByRole('link', { name: 'Views' }).click();
    expect(await view.getAttribute('href')).toBe('/leads?view=list&value=HIGH');
    await views.getByText("The firm's").waitFor();
    expect(complaints).toEqual([]);
  });

  test('has its views first, and the name of a new one where there is none yet; each sees the firm’s', async () => {
    const own = await makeFirm(server);
    await own.owner.post('/v1/leads', { lastName: 'Viewed' });
    const opened = await Promise.all(
      [owner, attorney].map(async (email) => {
        const window = await openWindow(server.url);
        await signIn(window, server, own, email);
        return window;
      }),
    );
    const [ada, ben] = opened as [Watched, Watched];
    const open = async ({ page }: Watched) => {
      await page.goto('/leads?view=list');
      await page.locator('html.scripted').waitFor();
      await page.locator('main [data-opens="views"]').press('Enter');
      return page.getByRole('dialog', { name: 'Views' });
    };
    const focused = ({ page }: Watched) => page.locator('dialog :focus');
    for (const name of ['All of them', 'Some of them']) {
      const dialog = await open(ada);
      const field = dialog.getByLabel('Name');
      if (name === 'All of them') await focused(ada).and(field).waitFor();
      await field.fill(name);
      await dialog.getByLabel('For the whole firm').check();
      await dialog.getByRole('button', { name: 'Save this view' }).click();
      await ada.page.getByText(`View saved: ${name}.`).waitFor();
    }
    for (const window of opened) {
      const dialog = await open(window);
      await focused(window)
        .and(dialog.getByRole('link', { name: 'All of them' }))
        .waitFor();
      await takePicture(window, `views-first-${window === ada ? 'ada' : 'ben'}`);
      await window.page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'hidden' });
    }
    // With `?do=views`, too, as a link or a page without a script asks for it.
    await ben.page.goto('/leads?view=list&do=views');
    await focused(ben)
      .and(ben.page.getByRole('link', { name: 'All of them' }))
      .waitFor();
    expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
    await Promise.all(opened.map((window) => window.close()));
  });

  test('is saved as a file', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.goto('/leads?view=list');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toBe('leads.csv');
    expect(complaints).toEqual([]);
  });
});
