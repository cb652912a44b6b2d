/** The keyboard: from anywhere to the work, and no letter of a word is taken for a command. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectAccessible, expectSoon, hasBrowser, takePicture } from '../support/browser.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let matter: string;
let lead: string;
let contact: string;
const callers = ['Adler', 'Bright', 'Cole', 'Dunn', 'Ekström'];
const windowOf = windowsAt(server, () => firm);

beforeAll(async () => {
  firm = await makeFirm(server);
  for (const lastName of callers) {
    const made = await firm.owner.post('/v1/leads', {
      firstName: 'Zoe',
      lastName,
      note: 'Called.',
    });
    lead = `/leads/${made.body.data.id}`;
    contact = `/contacts/${made.body.data.contact.id}`;
  }
  const opened = await firm.owner.post('/v1/matters', {
    title: 'Quill v Rook',
    openDate: '2026-01-01',
    practiceAreaId: firm.practiceAreas.Family?.id,
  });
  matter = `/matters/${opened.body.data.id}`;
});

/** What has the focus, by its words. */
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

/** The scripts of the page run. */
const open = async (page: Page, path: string) => {
  await page.goto(path);
  await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
};

/** The board of leads, whose own script runs too. */
const openBoard = async (page: Page) => {
  await open(page, '/leads');
  await page.waitForSelector('[draggable=true]', { state: 'attached' });
};

/** Types as fast as people do, without a pause that would end a word. */
const typeFast = (page: Page, word: string) => page.keyboard.type(word, { delay: 40 });

/** Types a word where nothing has the focus. However busy the machine is, no letter waits for another. */
const typeAtOnce = (page: Page, word: string) =>
  page.evaluate((letters) => {
    for (const key of letters) {
      const typed = { key, bubbles: true, cancelable: true };
      (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', typed));
    }
  }, word);

describe.skipIf(!hasBrowser)('By keys', () => {
  test('the first Tab leads to the list, the form or the note', async () => {
    const { page, complaints } = await windowOf(owner);
    const cases = [
      ['/leads', 'Skip to the list'],
      ['/leads?view=list', 'Skip to the list'],
      ['/matters', 'Skip to the list'],
      ['/contacts', 'Skip to the list'],
      ['/inbox', 'Skip to the list'],
      ['/tasks', 'Skip to the list'],
      ['/', 'Skip to the list'],
      ['/search?q=zoe', 'Skip to the list'],
      ['/leads/new', 'Skip to the form'],
      ['/matters/new', 'Skip to the form'],
      ['/contacts/new', 'Skip to the form'],
      ['/calendar/new', 'Skip to the form'],
      ['/tasks/new', 'Skip to the form'],
      [lead, 'Skip to the note'],
      [matter, 'Skip to the note'],
      [contact, 'Skip to the note'],
      ['/reports', 'Skip to the page'],
      ['/settings/me', 'Skip to the settings'],
    ] as const;
    for (const [path, words] of cases) {
      await open(page, path);
      const skip = page.locator('a.skip');
      await expectSoon(() => skip.textContent(), words, path);
      const target = page.locator((await skip.getAttribute('href')) ?? '');
      await target.waitFor({ state: 'attached' });
      await skip.focus();
      await page.keyboard.press('Enter');
      await page.waitForFunction(
        () => document.activeElement === document.querySelector(location.hash),
      );
    }
    await open(page, '/leads');
    await page.keyboard.press('Tab');
    await expectSoon(() => focused(page), 'Skip to the list');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await expectSoon(() => focused(page), 'Zoe Ekström');
    expect(complaints).toEqual([]);
  });

  test('who may not write has no note to skip to', async () => {
    const { page } = await windowOf(bookkeeper);
    await open(page, matter);
    await expectSoon(() => page.locator('a.skip').textContent(), 'Skip to the page');
  });

  test('J goes down from anywhere, three times three rows, and K up; in a field they are letters', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    for (const path of ['/leads', '/leads?view=list&sort=-created']) {
      await open(page, path);
      await typeFast(page, 'jjj');
      await expectSoon(() => focused(page), 'Zoe Cole', path);
      await page.keyboard.press('k');
      await expectSoon(() => focused(page), 'Zoe Dunn', path);
      await page
        .getByRole('navigation', { name: 'Main', exact: true })
        .getByRole('link')
        .first()
        .focus();
      await page.keyboard.press('k');
      await expectSoon(() => focused(page), 'Zoe Ekström', path);
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await expectSoon(() => focused(page), 'Zoe Dunn', path);
    }
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await expectSoon(() => page.getByRole('checkbox', { name: /Cole/ }).isChecked(), true);
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.getByRole('searchbox').first().focus();
    await typeFast(page, 'jxk');
    await expectSoon(() => page.getByRole('searchbox').first().inputValue(), 'jxk');
    await page.getByText('1 selected').waitFor();
    await takePicture(window, 'keys-list');
    expect(complaints).toEqual([]);
  });

  test('A and M are for all rows that are selected, and for none where none is', async () => {
    const { page, complaints } = await windowOf(owner);
    await open(page, '/leads?view=list');
    const dialog = page.getByRole('dialog', { name: 'Add assignee' });
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await page.locator('dialog[open], :popover-open').first().waitFor({ state: 'detached' });
    await open(page, '/leads?view=list');
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    const name = await focused(page);
    const row = page.getByRole('link', { name, exact: true }).and(page.locator(':focus'));
    await page.keyboard.press('a');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await row.waitFor();
    await page.keyboard.press('a');
    await dialog.waitFor();
    await page.keyboard.press('b');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Assigned 2 leads to Ben Lane.' }).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    await row.waitFor();
    await page.keyboard.press('m');
    await page.getByRole('menu', { name: 'Move to' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('arrows scroll a page that is no list', async () => {
    const { page } = await windowOf(attorney);
    await open(page, lead);
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  });

  test('a word that is typed into nothing opens nothing; a letter by itself does', async () => {
    const { page, complaints } = await windowOf(attorney);
    for (const path of [lead, '/reports', '/leads']) {
      await open(page, path);
      const there = page.url();
      for (const word of ['Bruno', 'zone', 'sign', 'Bruno']) await typeAtOnce(page, word);
      expect(page.url(), path).toBe(there);
      await page.locator('dialog[open], :popover-open').first().waitFor({ state: 'detached' });
    }
    // After a pause, letters are commands again: pauses are the page's own clock.
    await page.evaluate(() => new Promise((then) => setTimeout(then, 600)));
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.waitForURL('**/matters');
    await page.keyboard.press('n');
    await page.waitForURL('**/leads/new');
    expect(complaints).toEqual([]);
  });

  test('A, a letter and Enter assign a card, which has the focus then: M moves it, and A asks again', async () => {
    const { page, complaints } = await windowOf(attorney);
    await openBoard(page);
    await typeFast(page, 'jj');
    const name = await focused(page);
    const dialog = page.getByRole('dialog', { name: `Assign ${name}` });
    const card = page.getByRole('listitem').filter({ hasText: name });
    for (const [key, member] of [
      ['b', 'Ben Lane'],
      ['c', 'Cy Moss'],
    ] as const) {
      await page.keyboard.press('a');
      await dialog.getByRole('checkbox').first().and(page.locator(':focus')).waitFor();
      await page.keyboard.press(key);
      await page.keyboard.press('Enter');
      await card.getByRole('img', { name: new RegExp(member) }).waitFor();
      await card.getByRole('link', { name }).and(page.locator(':focus')).waitFor();
    }
    await page.keyboard.press('m');
    await page.getByRole('menu', { name: `Move ${name} to` }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    expect(await focused(page)).not.toBe(name);
    expect(complaints).toEqual([]);
  });

  test('A key that comes with the new page finds its scripts', async () => {
    const { page, complaints } = await windowOf(attorney);
    await openBoard(page);
    await typeFast(page, 'j');
    const name = await focused(page);
    await page.evaluate(() => {
      const isMain = (node: Node) => node.nodeName === 'MAIN';
      const observer = new MutationObserver((changes) => {
        if (!changes.some(({ addedNodes }) => [...addedNodes].some(isMain))) return;
        observer.disconnect();
        const pressed = { key: 'a', bubbles: true, cancelable: true };
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', pressed));
        // Gone with a page that the browser loads.
        document.documentElement.dataset.pressed = 'a';
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    const made = await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Finch' });
    expect(made.status).toBe(201);
    const dialog = page.getByRole('dialog', { name: `Assign ${name}` });
    await dialog.getByRole('checkbox').first().and(page.locator(':focus')).waitFor();
    expect(await page.locator('html').getAttribute('data-pressed')).toBe('a');
    expect((await firm.owner.delete(`/v1/leads/${made.body.data.id}`)).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  test('A question that is asked while the page is fetched anew stays open', async () => {
    const { page, complaints } = await windowOf(attorney);
    await openBoard(page);
    await typeFast(page, 'jj');
    const name = await focused(page);
    const dialog = page.getByRole('dialog', { name: `Assign ${name}` });
    const card = page.getByRole('listitem').filter({ hasText: name });
    await page.keyboard.press('a');
    await dialog.getByRole('checkbox').first().and(page.locator(':focus')).waitFor();
    const asked = Promise.withResolvers<void>();
    const letGo = Promise.withResolvers<void>();
    await page.route('**/leads', async (route) => {
      if (route.request().method() === 'POST') return route.continue();
      asked.resolve();
      await letGo.promise;
      await route.continue();
    });
    await page.keyboard.press('b');
    await page.keyboard.press('Enter');
    await asked.promise;
    await page.keyboard.press('a');
    await dialog.getByRole('checkbox').first().and(page.locator(':focus')).waitFor();
    letGo.resolve();
    await page.getByText(/^Assigned .* to Ben/).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('Enter');
    await card.getByRole('img', { name: /Cy Moss/ }).waitFor();
    await card.getByRole('img', { name: /Ben Lane/ }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(complaints).toEqual([]);
  });

  test('A, a letter and Enter that come faster than the question are its answer, twice', async () => {
    const { page, complaints } = await windowOf(attorney);
    await openBoard(page);
    /** What lets the question go on that is asked next. */
    let asked = Promise.withResolvers<() => void>();
    await page.route('**/leads?*do=assign*', async (route) => {
      await new Promise<void>((letGo) => asked.resolve(letGo));
      await route.continue();
    });
    await typeFast(page, 'jjj');
    const name = await focused(page);
    const card = page.getByRole('listitem').filter({ hasText: name });
    for (const [keys, member] of [
      ['ab', 'Ben Lane'],
      ['ac', 'Cy Moss'],
    ] as const) {
      asked = Promise.withResolvers();
      await page.keyboard.type(keys);
      await page.keyboard.press('Enter');
      const release = await asked.promise;
      await page.getByRole('dialog').first().waitFor({ state: 'detached' });
      release();
      await card.getByRole('img', { name: new RegExp(member) }).waitFor();
      await card.getByRole('link', { name }).and(page.locator(':focus')).waitFor();
    }
    expect(new URL(page.url()).pathname).toBe('/leads');
    expect(complaints).toEqual([]);
  });

  test('H asks to hire: the lead of the card that has the focus, then another, and the lead of a page', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    const dialog = page.getByRole('dialog', { name: 'Hire and open a matter' });
    for (const one of ['first', 'second']) {
      await openBoard(page);
      await page.keyboard.press('j');
      await page.keyboard.press('m');
      await page.getByRole('menu').waitFor();
      await takePicture(window, 'keys-hire');
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'hidden' });
      // The menu was filled for the first card.
      if (one === 'second') await page.keyboard.press('j');
      const path = await page.evaluate(() => document.activeElement?.getAttribute('href'));
      expect(path).toStartWith('/leads/');
      await page.keyboard.press('h');
      await page.waitForURL(`**${path}?do=hire`);
      await dialog.waitFor();
    }
    await open(page, lead);
    for (const press of ['once', 'again']) {
      await page.keyboard.press('h');
      await dialog.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await expectSoon(() => focused(page), 'Hire', press);
    }
    const { page: reading } = await windowOf(bookkeeper);
    await open(reading, '/');
    await reading.keyboard.press('h');
    await reading.locator('dialog[open]').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('H asks to hire the lead of a row; Cancel, Escape and Back lead to the row or card that it came from', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    const dialog = page.getByRole('dialog', { name: 'Hire and open a matter' });
    const here = () => page.evaluate(() => document.activeElement?.getAttribute('href') ?? '');
    const seen: string[] = [];
    for (const list of ['/leads', '/leads?view=list&sort=name']) {
      await (list === '/leads' ? openBoard(page) : open(page, list));
      for (const leave of ['Cancel', 'Escape', 'Back']) {
        await page.keyboard.press('j');
        const path = await here();
        seen.push(path);
        if (list !== '/leads') {
          // Also from the tick of the row, which stays the way to hire one lead.
          await page.keyboard.press('Shift+Tab');
          await page.locator('.pick :focus').waitFor();
        }
        await page.keyboard.press('h');
        await page.waitForURL(`**${path}?do=hire`);
        await dialog.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).waitFor();
        if (leave === 'Cancel') await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
        else if (leave === 'Escape') await page.keyboard.press('Escape');
        else await page.goBack();
        await page.waitForURL(`**${list}`);
        await expectSoon(here, path, `${leave} on ${list}`);
        await page.waitForSelector(list === '/leads' ? '[draggable=true]' : '.scripted', {
          state: 'attached',
        });
      }
    }
    // Three cards, and three rows: each J went on from where the focus was.
    expect(new Set(seen).size).toBe(5);
    // The same from a page that was opened by Enter, and back again.
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${seen.at(-1)}`);
    await page.goBack();
    await expectSoon(here, seen.at(-1) ?? '');
    expect(complaints).toEqual([]);
  });

  test('Ctrl and Enter send any form from any of its fields, as often as they are pressed', async () => {
    const { page, complaints } = await windowOf(attorney);
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const body = { title: 'Sent by key', openDate: '2026-01-01', practiceAreaId };
    const opened = await firm.owner.post('/v1/matters', body);
    for (const title of ['Call her', 'Call him']) {
      await open(page, `/tasks/new?matter=${opened.body.data.id}`);
      await page.getByRole('textbox', { name: 'Task', exact: true }).fill(title);
      await page.getByRole('combobox', { name: 'Assigned to' }).focus();
      await page.keyboard.press('Control+Enter');
      await page.getByText(`Task added: ${title}.`).waitFor();
    }
    const made = await firm.owner.post('/v1/leads', { firstName: 'Sent', lastName: 'By Key' });
    await open(page, `/leads/${made.body.data.id}?do=hire`);
    const dialog = page.getByRole('dialog', { name: 'Hire and open a matter' });
    await dialog.getByRole('combobox', { name: 'Practice area' }).selectOption('Family');
    await dialog.getByRole('combobox', { name: 'Practice area' }).focus();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL('**/matters/*');
    // Beside Cancel it does not send.
    const other = await firm.owner.post('/v1/leads', { firstName: 'Not', lastName: 'Sent' });
    await open(page, `/leads/${other.body.data.id}?do=hire`);
    await dialog.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect((await firm.owner.get(`/v1/leads/${other.body.data.id}`)).body.data.status).toBe(
      'ACTIVE',
    );
    expect(complaints).toEqual([]);
  });

  test('Escape leaves each edit in place, also where the focus has left it, and gives the focus back', async () => {
    const { page, complaints } = await windowOf(attorney);
    for (const path of [lead, matter]) {
      await open(page, path);
      const edits = page.locator('main details.edit:visible > summary');
      const count = await edits.count();
      expect(count, path).toBeGreaterThan(2);
      for (let at = 0; at < count; at += 1) {
        const summary = edits.nth(at);
        const name = await summary.textContent();
        for (const press of ['once', 'again']) {
          await summary.click();
          await page.locator('details.edit[open]').waitFor();
          await page.keyboard.press('Escape');
          await page.locator('details.edit[open]').first().waitFor({ state: 'detached' });
          expect(await focused(page), `${press}`).toBe(name?.trim() ?? '');
        }
      }
    }
    await open(page, lead);
    await page.getByRole('textbox', { name: 'Note' }).fill('Called.');
    await page.getByRole('button', { name: 'Save note' }).click();
    const note = page.locator('details.edit.stays > summary');
    await note.click();
    await page.locator('details.edit[open] textarea').and(page.locator(':focus')).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('Escape');
    await page.locator('details.edit[open]').first().waitFor({ state: 'detached' });
    await expectSoon(() => focused(page), (await note.textContent())?.trim() ?? '');
    expect(complaints).toEqual([]);
  });

  test('Ctrl and Enter save a note, and E edits the first value of a page: once, and again', async () => {
    const { page, complaints } = await windowOf(attorney);
    for (const path of [lead, matter, contact]) {
      await open(page, path);
      const note = page.getByRole('textbox', { name: 'Note', exact: true });
      for (const text of ['She called.', 'She called again.']) {
        await note.fill(text);
        await page.keyboard.press('Control+Enter');
        await page.locator('.timeline').getByText(text, { exact: true }).first().waitFor();
        await expectSoon(() => note.inputValue(), '');
      }
      await open(page, path);
      for (const press of ['once', 'again']) {
        await page.keyboard.press('e');
        const edit = page.locator('details.edit[open]');
        await edit.locator(':focus').waitFor();
        await page.keyboard.press('Escape');
        await edit.first().waitFor({ state: 'detached' });
        await expectSoon(() => focused(page), expect.stringMatching(/^Edit /), press);
        await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      }
    }
    await openBoard(page);
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await page.waitForURL('**/leads/*');
    expect(complaints).toEqual([]);
  });

  test('E right after Escape edits the value again: what closed before does not close it', async () => {
    const { page, complaints } = await windowOf(attorney);
    await open(page, lead);
    await page.keyboard.press('e');
    const field = page.locator('details.edit[open]').locator(':focus');
    await field.waitFor();
    // Both keys come before the page does anything later.
    await page.evaluate(() => {
      const press = (key: string) =>
        document.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        );
      press('Escape');
      press('e');
    });
    await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
    await field.waitFor();
    expect(complaints).toEqual([]);
  });

  test('a page with one field has the focus in it; the palette replaces the words from before', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await open(page, `${contact}/merge`);
    await typeFast(page, 'Bruno');
    await expectSoon(() => page.locator('input[name=q]').inputValue(), 'Bruno');
    await open(page, '/search');
    await typeFast(page, 'nnn');
    await expectSoon(() => page.locator('main input[name=q]').inputValue(), 'nnn');
    for (const words of ['okafor', 'smith', 'jones']) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
      await typeFast(page, words);
      await expectSoon(() => page.getByRole('combobox', { name: 'Search' }).inputValue(), words);
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('?');
    await expectAccessible(window);
    expect(complaints).toEqual([]);
  });
});
