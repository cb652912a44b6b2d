/** A task and an event about a lead: by the keyboard alone, in both widths and both colours. */
import { beforeAll, describe, expect, test } from 'bun:test';
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
const windowOf = windowsAt(server, () => firm);
beforeAll(async () => {
  firm = await makeFirm(server);
});

const makeLead = async () => {
  const made = await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Quill' });
  return `/leads/${made.body.data.id}`;
};

describe.skipIf(!hasBrowser)('A task about a lead', () => {
  test('is added from its page by the keyboard, taken back, done, and goes to the matter', async () => {
    const lead = await makeLead();
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    const add = async (title: string) => {
      await page.goto(lead);
      await page.getByRole('link', { name: 'Add a task' }).press('Enter');
      const field = page.getByRole('textbox', { name: 'Task' });
      await field.waitFor();
      await page.getByRole('link', { name: 'L-0001' }).waitFor();
      await field.pressSequentially(title);
      await page.keyboard.press('Enter');
      await page.getByText(`Task added: ${title}.`).waitFor();
      expect(new URL(page.url()).pathname).toBe(lead);
    };
    const tasks = page.getByRole('region', { name: 'Tasks' });
    await add('Send the forms');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('Cancelled: Send the forms.').waitFor();
    await tasks.getByText('No tasks yet.').waitFor();
    await add('Ask for the photographs');
    await tasks.getByRole('button', { name: 'Done: Ask for the photographs' }).press('Enter');
    await page.getByText('Done: Ask for the photographs.').waitFor();
    await tasks.getByRole('button', { name: 'Reopen: Ask for the photographs' }).waitFor();
    await page.getByText('finished the task Ask for the photographs').first().waitFor();
    await page.goto('/tasks?show=done');
    await page.getByText('L-0001 · Zoe Quill').waitFor();
    await page.getByRole('link', { name: 'Ask for the photographs' }).press('Enter');
    await page.getByRole('navigation', { name: 'Where this is' }).getByText('L-0001').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is said with the one stop that its title ends with, for whoever adds, takes back and finishes it', async () => {
    const lead = await makeLead();
    const leadId = lead.split('/').at(-1);
    const title = 'Have the photographs arrived?';
    const other = 'Write to Acme Inc.';
    expect((await firm.owner.post('/v1/tasks', { leadId, title: other })).status).toBe(201);
    for (const member of [attorney, owner]) {
      const { page, complaints } = await windowOf(member);
      const toast = page.locator('#toast');
      const isSaid = (words: string) => expectSoon(() => toast.textContent(), words);
      await page.goto(`/tasks/new?lead=${leadId}`);
      await page.getByRole('textbox', { name: 'Task' }).fill(title);
      await page.keyboard.press('Enter');
      await isSaid(`Task added: ${title}Undo`);
      await toast.getByRole('button', { name: 'Undo' }).click();
      await isSaid(`Cancelled: ${title}`);
      const [press, said] = member === attorney ? ['Done', 'Done'] : ['Reopen', 'Reopened'];
      await page.getByRole('button', { name: `${press}: ${other}` }).click();
      await isSaid(`${said}: ${other}Undo`);
      expect(complaints).toEqual([]);
    }
  });

  test('is read at every width and in both colours', async () => {
    for (const size of [{}, phone]) {
      const lead = await makeLead();
      const leadId = lead.split('/').at(-1);
      const window = await windowOf(attorney, size);
      const { page, complaints } = window;
      const look = async (path: string, picture: string) => {
        await page.goto(path);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const width = 'viewport' in size ? 'phone' : 'wide';
          await takePicture(window, `lead-tasks-${width}-${colorScheme}-${picture}`);
        }
        await expectAccessible(window);
      };
      await look(lead, 'empty');
      const title = 'Ask the depot for the accident book entry';
      await firm.owner.post('/v1/tasks', {
        leadId,
        title,
        dueDate: '2026-01-02',
        assigneeId: firm.members[attorney],
      });
      await look(lead, 'full');
      const name = page.getByRole('region', { name: 'Tasks' }).getByRole('link', { name: title });
      // The page may be renewing itself: it knows of the task by now.
      const isReadable = async () => ((await boxesOf(name, 'width'))[0] ?? 0) > 150;
      while (!(await isReadable())) await Bun.sleep(20);
      await look(`/tasks/new?lead=${leadId}`, 'new');
      await look('/tasks', 'list');
      expect(complaints).toEqual([]);
    }
  });
});

describe.skipIf(!hasBrowser)('An event about a lead', () => {
  test('is added from its page by the keyboard, changed, and cancelled', async () => {
    const lead = await makeLead();
    const { page, complaints } = await windowOf(attorney);
    await page.goto(lead);
    await page.getByRole('link', { name: 'Add an event' }).press('Enter');
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.waitFor();
    await title.pressSequentially('First meeting');
    await page.getByRole('textbox', { name: 'Day' }).fill('2099-03-16');
    await page.getByRole('textbox', { name: 'Starts' }).fill('09:30');
    await page.getByRole('checkbox', { name: 'Ada Harrow' }).press('Space');
    await title.press('Enter');
    await page.getByText('Event added: First meeting.').waitFor();
    expect(new URL(page.url()).pathname).toBe(lead);
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByRole('link', { name: 'First meeting' }).press('Enter');
    await page.getByRole('heading', { name: 'Who was told' }).waitFor();
    await page.locator('html.scripted').waitFor();
    await title.fill('Second meeting');
    await title.press('Enter');
    await page.getByText('Event changed: Second meeting.').waitFor();
    await page.getByRole('button', { name: 'Cancel event' }).first().press('Enter');
    const asks = page.getByRole('dialog', { name: 'Cancel this event?' });
    await asks.getByRole('button', { name: 'Cancel event' }).press('Enter');
    await page.getByText('Event cancelled: Second meeting.').waitFor();
    await page.goto(lead);
    await events.getByText('No events yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is of whoever adds it, unless they say otherwise, and is taken back; the control sheet says whose it is', async () => {
    const lead = await makeLead();
    const leadId = lead.split('/').at(-1);
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const names = { [attorney]: 'Ben Lane', [owner]: 'Ada Harrow' };
    for (const [member, size] of [
      [attorney, {}],
      [owner, phone],
    ] as const) {
      const window = await windowOf(member, size);
      const { page, complaints } = window;
      const self = names[member] ?? '';
      const add = async (title: string, isMine = true) => {
        await page.goto(`/calendar/new?lead=${leadId}`);
        await page.locator('html.scripted').waitFor();
        const own = page.getByRole('checkbox', { name: `${self} (you)` });
        expect(await own.isChecked()).toBe(true);
        if (!isMine) await own.uncheck();
        await page.getByRole('textbox', { name: 'Title' }).fill(title);
        await page.getByRole('textbox', { name: 'Day', exact: true }).fill(day);
        await page.getByLabel('All day').check();
        const width = 'viewport' in size ? 390 : 1280;
        await takePicture(window, `event-new-${width}`);
        await page.getByRole('button', { name: 'Add event' }).click();
        await page.getByText(`Event added: ${title}.`).waitFor();
      };
      const events = page.getByRole('region', { name: 'Events' });
      await add(`Walk of ${self}`);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText(`Event cancelled: Walk of ${self}.`).waitFor();
      await events.getByText(`Walk of ${self}`).waitFor({ state: 'detached' });
      await add(`Meeting of ${self}`);
      await add(`Message by ${self}`, false);
      await takePicture(window, `event-added-${'viewport' in size ? 390 : 1280}`);
      await page.goto('/calendar/control-sheet');
      const row = (title: string) => page.getByRole('row', { name: new RegExp(title) });
      await row(`Meeting of ${self}`).getByRole('cell', { name: self, exact: true }).waitFor();
      await row(`Message by ${self}`).getByRole('cell', { name: 'Nobody' }).waitFor();
      expect(await row(`Walk of ${self}`).count()).toBe(0);
      expect(complaints).toEqual([]);
    }
  });

  test('that is cancelled is told to whom it was with, and not to who cancels it', async () => {
    const lead = await makeLead();
    const [ben, ada] = [await windowOf(attorney), await windowOf(owner, phone)];
    const say = [
      [ben, ada, 'Ada Harrow', 'Walk'],
      [ada, ben, 'Ben Lane', 'Talk'],
    ] as const;
    for (const [{ page }, other, name, title] of say) {
      await page.goto(`/calendar/new?lead=${lead.split('/').at(-1)}`);
      await page.locator('html.scripted').waitFor();
      await page.getByRole('checkbox', { name }).check();
      await page.getByRole('textbox', { name: 'Title' }).fill(title);
      await page.getByRole('textbox', { name: 'Day', exact: true }).fill('2099-03-16');
      await page.getByLabel('All day').check();
      await page.getByRole('button', { name: 'Add event' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText(`Event cancelled: ${title}.`).waitFor();
      for (const at of [other.page, page]) {
        await at.goto('/inbox');
        const lines = at.getByRole('listitem').filter({ hasText: title });
        const texts = (await lines.allTextContents()).map((text) => text.replace(/\s+/g, ' '));
        const isTold = texts.some((text) => /Event cancelled/.test(text));
        expect(isTold, texts.join('; ')).toBe(at !== page);
      }
    }
    expect([...ben.complaints, ...ada.complaints]).toEqual([]);
  });

  test('that is past stands below those to come, under a word, also when somebody else moves it there', async () => {
    const lead = await makeLead();
    const leadId = lead.split('/').at(-1);
    const matter = await firm.owner.post('/v1/matters', {
      title: 'Quill and Quill',
      openDate: '2026-03-03',
      practiceAreaId: firm.practiceAreas.Family?.id,
    });
    const matterId = matter.body.data.id;
    const addTo = async (of: object) => {
      for (const day of ['2020-02-03', '2099-03-16', '2021-02-03', '2098-03-16']) {
        const event = { ...of, title: `Meeting of ${day}`, startDate: day, endDate: day };
        expect((await firm.owner.post('/v1/calendar-events', event)).status).toBe(201);
      }
      const long = { title: 'The hearing', startDate: '2020-01-01', endDate: '2097-01-01' };
      expect((await firm.owner.post('/v1/calendar-events', { ...of, ...long })).status).toBe(201);
    };
    await addTo({ leadId });
    await addTo({ matterId });
    for (const [path, size] of [
      [lead, {}],
      [`/matters/${matterId}`, phone],
    ] as const) {
      const window = await windowOf(attorney, size);
      const { page, complaints } = window;
      const { page: hers } = await windowOf(owner);
      await page.goto(path);
      const events = page.getByRole('region', { name: 'Events' });
      const names = () => events.locator('h3, a.name').allTextContents();
      const coming = ['The hearing', 'Meeting of 2098-03-16', 'Meeting of 2099-03-16'];
      const past = ['Past', 'Meeting of 2021-02-03', 'Meeting of 2020-02-03'];
      expect(await names()).toEqual([...coming, ...past]);
      await hers.goto((await events.getByRole('link').nth(2).getAttribute('href')) ?? '');
      await hers.getByRole('textbox', { name: 'Day', exact: true }).fill('2022-02-03');
      await hers.getByRole('button', { name: 'Save' }).click();
      await hers.getByText('Event changed: Meeting of 2098-03-16.').waitFor();
      const [first = '', moved = '', last = ''] = coming;
      await expectSoon(names, [first, last, 'Past', moved, ...past.slice(1)]);
      await events.scrollIntoViewIfNeeded();
      await takePicture(window, `events-past-${'viewport' in size ? 390 : 1280}`);
      await expectAccessible(window);
      expect(complaints).toEqual([]);
    }
  });
});
