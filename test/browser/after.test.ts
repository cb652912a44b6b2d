/** What a member sees after an action: what happened, to whom, Undo, and the focus where it was. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  boxOf,
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { connect } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;

beforeAll(async () => {
  firm = await makeFirm(server, {
    practiceAreas: [
      { name: 'Family', stages: ['Intake', 'Filed'], matterTypes: ['Divorce'] },
      {
        name: 'Injury',
        stages: ['Intake'],
        matterTypes: ['Accident', 'Fall'],
        expectsLimitationDate: true,
      },
    ],
  });
});

const windowOf = windowsAt(server, () => firm);

const makeLead = async (lastName: string, more: object = {}): Promise<string> => {
  const made = await firm.owner.post('/v1/leads', { firstName: 'Ada', lastName, ...more });
  expect(made.status).toBe(201);
  return made.body.data.id;
};

const assigneesOf = async (id: string): Promise<{ memberId: string }[]> => {
  const sql = connect(server.databaseUrl);
  const found = await sql<{ memberId: string }[]>`
    select member_id as "memberId" from lead_assignee where lead_id = ${id}`;
  await sql.end();
  return found;
};

const said = (page: Page, words: string | RegExp) =>
  page.getByRole('status').filter({ hasText: words });

const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo' });

const focused = (page: Page) => page.locator('*:focus');

describe.skipIf(!hasBrowser)('After an action', () => {
  test('on the board a card is assigned, keeps the focus, and the next key moves it; Undo takes it back', async () => {
    const last = `Focus${crypto.randomUUID().slice(0, 4)}`;
    await makeLead(`Other${last}`);
    await makeLead(last);
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/leads');
    await page.waitForSelector('[draggable=true]', { state: 'attached' });
    const link = page.getByRole('link', { name: `Ada ${last}`, exact: true });
    await link.focus();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: `Assign Ada ${last}` });
    await dialog.getByRole('checkbox').first().check();
    let isLoadedAgain = false;
    page.on('load', () => {
      isLoadedAgain = true;
    });
    await page.keyboard.press('Enter');
    await said(page, `Assigned Ada ${last} to Ben Lane.`).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    await expectSoon(() => focused(page).textContent(), `Ada ${last}`);
    await page.keyboard.press('m');
    await page.getByRole('menu', { name: `Move Ada ${last} to` }).waitFor();
    await page.keyboard.press('Escape');
    await undo(page).click();
    await said(page, `Nobody is assigned to Ada ${last} now.`).waitFor();
    expect(isLoadedAgain).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('a hire leads to the matter, with Undo; what a colleague did there in between is not undone', async () => {
    const area = firm.practiceAreas.Family?.id;
    const id = await makeLead('Hired', { practiceAreaId: area });
    const { page, complaints } = await windowOf(attorney);
    const hire = async () => {
      await page.goto(`/leads/${id}?do=hire`);
      const dialog = page.getByRole('dialog', { name: 'Hire and open a matter' });
      await dialog.getByRole('button', { name: 'Hire', exact: true }).dblclick();
      await page.waitForURL('**/matters/*');
      return page.url().split('/').at(-1) ?? '';
    };
    const first = await hire();
    await said(page, /^Hired: [\w-]+\.Undo$/).waitFor();
    await undo(page).click();
    await page.waitForURL(`**/leads/${id}`);
    await said(page, 'Hire undone. Ada Hired is an active lead again.').waitFor();
    expect((await firm.owner.get(`/v1/matters/${first}`)).status).toBe(404);
    const second = await hire();
    await said(page, 'Hired: ').waitFor();
    const changed = await firm.owner.patch(`/v1/matters/${second}`, { title: 'Worked on' });
    expect(changed.status).toBe(200);
    await undo(page).click();
    await said(page, 'Undo did not work. The hire can no longer be undone').waitFor();
    expect((await firm.owner.get(`/v1/leads/${id}`)).body.data.status).toBe('HIRED');
    expect((await firm.owner.get(`/v1/matters/${second}`)).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  test('a hire asks once for the limitation date that its area expects, and gives the matter its type', async () => {
    const id = await makeLead('Injured', { practiceAreaId: firm.practiceAreas.Injury?.id });
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    const mattersNow = async () => (await firm.owner.get('/v1/matters')).body.data.length;
    const before = await mattersNow();
    await page.goto(`/leads/${id}?do=hire`);
    const dialog = page.getByRole('dialog', { name: 'Hire and open a matter' });
    await dialog.getByText('Expected in Injury').waitFor();
    await dialog.getByRole('combobox', { name: 'Type' }).selectOption('Fall');
    const hire = dialog.getByRole('button', { name: 'Hire', exact: true });
    // A second press is no answer to the question.
    await hire.dblclick();
    const none = dialog.getByRole('checkbox', { name: 'There is no limitation date yet' });
    await none.waitFor();
    await hire.click();
    await dialog.getByRole('alert').filter({ hasText: 'Limitation date is expected' }).waitFor();
    expect(await mattersNow()).toBe(before);
    await takePicture(window, 'hire-asks-1280');
    await expectAccessible(window);
    await none.check();
    await hire.click();
    await page.waitForURL('**/matters/*');
    await page.locator('summary', { hasText: 'Edit Type' }).filter({ hasText: 'Fall' }).waitFor();
    expect(await mattersNow()).toBe(before + 1);
    await undo(page).click();
    await said(page, 'Hire undone. Ada Injured is an active lead again.').waitFor();
    expect(await mattersNow()).toBe(before);

    // A wrong year makes a past date: that is asked once, too.
    await page.goto(`/leads/${id}?do=hire`);
    await dialog.getByLabel('Limitation date').fill('2019-03-01');
    await hire.dblclick();
    const past = dialog.getByRole('checkbox', { name: 'The limitation date is past' });
    await past.waitFor();
    await hire.click();
    await dialog.getByRole('alert').filter({ hasText: 'Limitation date is past' }).waitFor();
    expect(await mattersNow()).toBe(before);
    expect(await none.count()).toBe(0);
    await takePicture(window, 'hire-asks-past-1280');
    await expectAccessible(window);
    await past.check();
    await hire.click();
    await page.waitForURL('**/matters/*');
    await page.getByText('Nobody is reminded of a date that is more than 30 days past.').waitFor();
    await undo(page).click();
    await said(page, 'Hire undone. Ada Injured is an active lead again.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('on Home a lead is assigned to oneself, and a second press of Enter assigns no other', async () => {
    const ids = [await makeLead('Lower'), await makeLead('Upper')];
    const { page, complaints } = await windowOf(attorney);
    await page.goto('/');
    await page.getByRole('button', { name: 'Assign to me: Ada Upper' }).focus();
    await page.keyboard.press('Enter');
    await said(page, 'Assigned Ada Upper to Ben Lane.').waitFor();
    await focused(page).and(page.getByRole('link')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/leads/*');
    expect((await Promise.all(ids.map(assigneesOf))).map((of) => of.length)).toEqual([0, 1]);
    expect(complaints).toEqual([]);
  });

  test('a value that is changed in place says so and comes back by Undo, unless somebody changed it since', async () => {
    const id = await makeLead('Valued', { value: 'LOW' });
    const { page, complaints } = await windowOf(attorney);
    const valueNow = async () => (await firm.owner.get(`/v1/leads/${id}`)).body.data.value;
    const change = async (to: string) => {
      await page.locator('summary', { hasText: 'Edit Value' }).click();
      // It is saved by itself.
      await page.getByRole('combobox', { name: 'Value' }).selectOption(to);
    };
    await page.goto(`/leads/${id}`);
    await change('HIGH');
    await said(page, 'Value changed to High.').waitFor();
    await expectSoon(() => focused(page).textContent(), expect.stringContaining('Edit Value'));
    await undo(page).click();
    await said(page, 'Value is as it was before.').waitFor();
    expect(await valueNow()).toBe('LOW');
    await change('MEDIUM');
    await said(page, 'Value changed to Medium.').waitFor();
    await firm.owner.patch(`/v1/leads/${id}`, { value: 'HIGHEST' });
    await undo(page).click();
    await said(page, 'Undo did not work.').waitFor();
    expect(await valueNow()).toBe('HIGHEST');
    expect(complaints).toEqual([]);
  });

  test('an Undo stays while the focus is on it, however long that is, and goes a moment after', async () => {
    const id = await makeLead('Undecided', { value: 'LOW' });
    const { page, complaints } = await windowOf(attorney);
    // The page's timers stand still until the test moves them.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    await page.goto(`/leads/${id}`);
    for (const stage of ['Contacted', 'New']) {
      await page.getByRole('button', { name: `Move to ${stage}` }).press('Enter');
      await said(page, `Moved to ${stage}.`).waitFor();
      await undo(page).focus();
      await page.clock.runFor(60_000);
      await undo(page).and(page.locator(':focus')).waitFor();
      await undo(page).evaluate((button) => button.blur());
      await page.clock.runFor(2_000);
      await undo(page).waitFor({ state: 'detached' });
    }
    expect(complaints).toEqual([]);
  });

  test('Z and Ctrl+Z undo what is offered, once for each press; in no field, and in no word', async () => {
    const tag = `q${crypto.randomUUID().slice(0, 4)}`;
    const ids = [await makeLead(`Taken ${tag}`), await makeLead(`Back ${tag}`)];
    const statusNow = () =>
      Promise.all(
        ids.map(async (id) => (await firm.owner.get(`/v1/leads/${id}`)).body.data.status),
      );
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    const list = `/leads?view=list&q=${tag}`;
    const archive = async () => {
      await page.goto(list);
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: 'Archive', exact: true }).click();
      await said(page, 'Archived 2 leads.').waitFor();
    };
    /** Presses a key as the script of a page would see it, however busy the machine is. */
    const pressAtOnce = (...keys: string[]) =>
      page.evaluate((pressed) => {
        for (const key of pressed) {
          const ctrlKey = key.startsWith('Ctrl+');
          const event = { key: key.replace('Ctrl+', ''), ctrlKey, bubbles: true, cancelable: true };
          (document.activeElement ?? document.body).dispatchEvent(
            new KeyboardEvent('keydown', event),
          );
        }
      }, keys);
    await page.goto(list);
    await page.locator('html.scripted').waitFor();
    // Nothing is offered yet.
    for (const key of ['z', 'Control+z']) await page.keyboard.press(key);
    await archive();
    expect(await undo(page).getAttribute('aria-keyshortcuts')).toBe('Z Control+Z');
    await expectAccessible(window);
    await takePicture(window, 'after-undo-1280');
    // A word, and a field.
    await pressAtOnce('q', 'z', 'o', 'z', 'Ctrl+z');
    await page.getByRole('searchbox').first().focus();
    await page.keyboard.type('zz');
    await page.keyboard.press('Control+z');
    await undo(page).waitFor();
    expect(await statusNow()).toEqual(['ARCHIVE', 'ARCHIVE']);
    await page.locator('main h1').evaluate((title) => title.focus());
    await page.evaluate(() => new Promise((then) => setTimeout(then, 600)));
    await page.keyboard.press('z');
    await said(page, 'Undone for 2 leads.').waitFor();
    await undo(page).waitFor({ state: 'detached' });
    expect(await statusNow()).toEqual(['ACTIVE', 'ACTIVE']);
    // It is over: the same key does nothing more.
    await page.keyboard.press('z');
    await page.evaluate(() => new Promise((then) => setTimeout(then, 600)));
    expect(await statusNow()).toEqual(['ACTIVE', 'ACTIVE']);
    // What a colleague has changed in between stays.
    await archive();
    await firm.owner.patch(`/v1/leads/${ids[0]}`, { value: 'HIGH' });
    await page.keyboard.press('Control+z');
    await said(page, 'Undone for 1 of 2 leads: the other was changed since.').waitFor();
    expect(await statusNow()).toEqual(['ARCHIVE', 'ACTIVE']);
    expect(complaints).toEqual([]);
  });

  test('Ctrl+Z undoes also where letters are switched off; Z does not', async () => {
    const id = await makeLead('Dictated', { value: 'LOW' });
    const { page, complaints } = await windowOf(attorney);
    const valueNow = async () => (await firm.owner.get(`/v1/leads/${id}`)).body.data.value;
    await page.goto(`/leads/${id}`);
    await page.evaluate(() => {
      document.body.dataset.letters = 'off';
    });
    await page.locator('summary', { hasText: 'Edit Value' }).click();
    await page.getByRole('combobox', { name: 'Value' }).selectOption('HIGH');
    await said(page, 'Value changed to High.').waitFor();
    expect(await undo(page).getAttribute('aria-keyshortcuts')).toBe('Control+Z');
    await page.keyboard.press('z');
    await page.keyboard.press('Control+z');
    await said(page, 'Value is as it was before.').waitFor();
    expect(await valueNow()).toBe('LOW');
    expect(complaints).toEqual([]);
  });

  test('an Undo that is pressed with the mouse leaves the focus on the row, or on the title', async () => {
    const tag = `q${crypto.randomUUID().slice(0, 4)}`;
    const ids = [await makeLead(`Upper ${tag}`), await makeLead(`Lower ${tag}`)];
    const { page, complaints } = await windowOf(attorney);
    const list = `/leads?view=list&q=${tag}`;
    const title = focused(page).and(page.locator('main h1'));
    const archive = async () => {
      await page.goto(list);
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: 'Archive', exact: true }).click();
      await said(page, 'Archived 2 leads.').waitFor();
    };
    await archive();
    // Nothing has the focus: somebody has pressed beside everything.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await undo(page).click();
    await said(page, 'Undone for 2 leads.').waitFor();
    await title.waitFor();
    // Again: from the line above the list, which is gone then.
    await archive();
    await page.clock.install();
    await page.goto(list);
    await page.clock.fastForward(60_000);
    await page.locator('.last-done').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone for 2 leads.').waitFor();
    await title.waitFor();
    // On Home, the row that has come back; the page was renewed because of a colleague in between.
    await page.goto('/');
    await page.getByRole('button', { name: `Assign to me: Ada Upper ${tag}` }).click();
    await said(page, `Assigned Ada Upper ${tag} to Ben Lane.`).waitFor();
    await firm.owner.patch(`/v1/leads/${ids[1]}`, { value: 'HIGH' });
    await undo(page).click();
    await said(page, `Nobody is assigned to Ada Upper ${tag} now.`).waitFor();
    await focused(page).and(page.locator('main li a')).waitFor();
    expect(complaints).toEqual([]);
  });

  test('what is archived, deleted or not hired says which record it is, and comes back', async () => {
    const id = await makeLead('Comes <b>back</b>');
    const { page, complaints } = await windowOf(owner);
    const statusNow = async () => (await firm.owner.get(`/v1/leads/${id}`)).body.data?.status;
    await page.goto(`/leads/${id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Archive' }).click();
    await said(page, 'Archived: Ada Comes <b>back</b>.').waitFor();
    await expectSoon(() => focused(page).textContent(), 'More actions');
    await undo(page).click();
    await said(page, 'Active again: Ada Comes <b>back</b>.').waitFor();
    expect(await statusNow()).toBe('ACTIVE');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await said(page, /^Lead [\w-]+ is deleted\.Undo$/).waitFor();
    await undo(page).click();
    await said(page, 'Restored: Ada Comes <b>back</b>.').waitFor();
    expect(await statusNow()).toBe('ACTIVE');
    expect(complaints).toEqual([]);
  });

  test('the focus is on the stage that was pressed, and on the next task after a tick, as often as it is done', async () => {
    const id = await makeLead('Stepped');
    const openDate = '2026-03-03';
    const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate };
    const matterId = (await firm.owner.post('/v1/matters', { title: 'Ticks', ...area })).body.data
      .id;
    for (const [title, dueDate] of [
      ['One', '2026-03-01'],
      ['Two', '2026-03-02'],
      ['Three', '2026-03-03'],
    ]) {
      const task = { matterId, title, dueDate, assigneeId: firm.members[attorney] };
      expect((await firm.owner.post('/v1/tasks', task)).status).toBe(201);
    }
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/leads/${id}`);
    for (const stage of ['Contacted', 'New', 'Contacted']) {
      await page.getByRole('button', { name: `Move to ${stage}` }).press('Enter');
      await said(page, `Moved to ${stage}.`).waitFor();
      await focused(page)
        .and(page.locator('[aria-current=step]', { hasText: stage }))
        .waitFor();
    }
    await page.goto('/');
    await page.locator('html.scripted').waitFor();
    await page.keyboard.press('j');
    await focused(page)
      .and(page.getByRole('link', { name: 'One', exact: true }))
      .waitFor();
    for (const [done, next] of [
      ['One', 'Two'],
      ['Two', 'Three'],
    ] as const) {
      await page.getByRole('button', { name: `Done: ${done}` }).press('Enter');
      await said(page, `Done: ${done}.`).waitFor();
      await focused(page)
        .and(page.getByRole('link', { name: next, exact: true }))
        .waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test('at the end of Home the words cover no button and no link', async () => {
    const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
    const more = { ...area, title: 'Covered', originatingAttorneyId: firm.members[attorney] };
    const matterId = (await firm.owner.post('/v1/matters', more)).body.data.id;
    const dueDate = new Date().toISOString().slice(0, 10);
    const long = 'Ask the Fund for the papers of the former lawyer, and for all that it paid';
    for (let left = 24; left > 0; left -= 1) {
      const task = {
        matterId,
        title: `${long} ${left}`,
        dueDate,
        assigneeId: firm.members[attorney],
      };
      expect((await firm.owner.post('/v1/tasks', task)).status).toBe(201);
    }
    for (const options of [{ viewport: { width: 1280, height: 800 } }, phone]) {
      const window = await windowOf(attorney, options);
      const { page } = window;
      await page.goto('/');
      await page
        .getByRole('button', { name: `Done: ${long}` })
        .first()
        .click();
      await said(page, `Done: ${long}`).waitFor();
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const ends = await page
        .locator('main :is(a, button):visible')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
      const width = page.viewportSize()?.width;
      await takePicture(window, `words-at-home-${width}`);
      const { y } = await boxOf(said(page, `Done: ${long}`));
      expect(Math.max(...ends), `${width}`).toBeLessThanOrEqual(y);
    }
  });

  test('the focus is back on what led to a form, or on its button, where the form leads back', async () => {
    const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
    const { id } = (await firm.owner.post('/v1/matters', { title: 'Led', ...area })).body.data;
    await makeLead('Filtered', { value: 'HIGH' });
    const { page, complaints } = await windowOf(owner);
    const isReady = () => page.waitForSelector('form[data-kept-at]');
    await page.goto(`/matters/${id}`);
    for (const title of ['Call the court', 'Call the client']) {
      const adds = page.locator('.head').getByRole('button', { name: 'Task' });
      await adds.press('Enter');
      await page.waitForURL('**/tasks/new?**');
      await isReady();
      await page.getByRole('textbox', { name: 'Task', exact: true }).fill(title);
      await page.keyboard.press('Enter');
      await said(page, `Task added: ${title}.`).waitFor();
      await focused(page).and(adds).waitFor();
    }
    await page.goto('/calendar?view=week');
    for (const hour of ['10:00', '14:00']) {
      const adds = page
        .getByRole('link', { name: new RegExp(`^New event on .* at ${hour}`) })
        .nth(2);
      const name = await adds.getAttribute('aria-label');
      await adds.press('Enter');
      await page.waitForURL('**/calendar/new?**');
      await isReady();
      await page.keyboard.press('Escape');
      await page.waitForURL('**/calendar?**');
      await expectSoon(() => focused(page).getAttribute('aria-label'), name);
    }
    await page.goto('/settings/firm');
    for (const _ of ['once', 'again']) {
      const save = page
        .getByRole('main')
        .getByRole('button', { name: 'Save', exact: true })
        .first();
      await save.press('Enter');
      await said(page, 'name and time zone are changed.').first().waitFor();
      await focused(page).and(save).waitFor();
      await page.goto('/settings/firm');
    }
    await page.goto('/leads?view=list');
    const next = page.getByRole('combobox', { name: 'Next step' });
    for (const one of ['overdue', 'none']) {
      await next.focus();
      await next.selectOption(one);
      await page.waitForURL(`**next=${one}**`);
      await focused(page).and(next).waitFor();
    }
    // A form that was left by its Cancel begins at its first field the next time.
    for (const _ of ['once', 'again']) {
      await page.goto('/leads');
      await page.keyboard.press('n');
      await page.waitForURL('**/leads/new');
      await page.locator('[name=firstName]:focus').waitFor();
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.waitForURL('**/leads');
      await page.locator('html.scripted').waitFor();
      await page.keyboard.press('n');
      await page.waitForURL('**/leads/new');
      await page.locator('[name=firstName]:focus').waitFor();
    }
    // A page that is opened anew begins at its beginning.
    await page.goto('/leads?view=list');
    await page.locator('html.scripted').waitFor();
    expect(await focused(page).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
