/** Task lists: made in the settings and applied to a matter by the keyboard alone, in both widths and both colours. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { expectAccessible, hasBrowser, phone, takePicture } from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { windowsAt } from '../support/windows.ts';
import { addExampleList } from '../task-lists/made.ts';

const server = await startTestServer();
let firm: Firm;
let list: string;
const windowOf = windowsAt(server, () => firm);
beforeAll(async () => {
  firm = await makeFirm(server);
  list = await addExampleList(server, firm);
});

const openMatter = async () => {
  const { body } = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    ...{ openDate: '2026-01-01', title: 'Quill v. Rook', solDate: '2035-03-01' },
    team: [{ memberId: firm.members[attorney] }],
  });
  return `/matters/${body.data.id}`;
};

describe.skipIf(!hasBrowser)('A task list', () => {
  test('is made, started from an example, and gets a task, by the keyboard', async () => {
    const { page, complaints } = await windowOf(owner);
    await page.goto('/settings/task-lists');
    await page.getByRole('button', { name: 'Start from an example' }).press('Enter');
    const example = page.getByRole('dialog', { name: 'Start from an example' });
    await example.getByRole('radio', { name: 'Closing a matter' }).press('Space');
    await example.getByRole('button', { name: 'Create task list' }).press('Enter');
    await page.getByText('Task list added: Closing a matter.').waitFor();
    const lines = page.getByRole('region', { name: 'Tasks' });
    await lines.getByRole('button', { name: 'Change Write the closing letter' }).waitFor();
    await lines.getByRole('button', { name: 'Task', exact: true }).press('Enter');
    const added = page.getByRole('dialog', { name: 'New task' });
    await added.getByRole('textbox', { name: 'Task' }).pressSequentially('Thank the client');
    await added.getByLabel('How many').fill('3');
    await added.getByRole('combobox', { name: 'Unit' }).selectOption('Weeks');
    await added.getByRole('button', { name: 'Add task' }).press('Enter');
    await lines
      .getByText('3 weeks after the day the list is added · Responsible attorney')
      .waitFor();
    await lines.getByRole('button', { name: 'Change Thank the client' }).press('Enter');
    const change = page.getByRole('dialog', { name: 'Change Thank the client' });
    await change.getByRole('textbox', { name: 'Task' }).fill('Thank the client in writing');
    await change.getByRole('button', { name: 'Save' }).press('Enter');
    await lines.getByRole('button', { name: 'Change Thank the client in writing' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('is a few keys away at the head of a matter and of a lead, and a word away in the search', async () => {
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Pomfret' });
    const { page, complaints } = await windowOf(owner);
    for (const record of [await openMatter(), `/leads/${body.data.id}`]) {
      await page.goto(record);
      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.locator('#more-actions').getByText('Apply a task list').press('Enter');
      await page.getByRole('heading', { name: 'Apply a task list' }).waitFor();
      await page.goto(record);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('apply');
      await page.getByRole('option', { name: 'Apply a task list' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Apply a task list' }).waitFor();
    }
    // Elsewhere there is nothing to apply it to.
    await page.goto('/contacts');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('apply');
    await page.getByRole('option', { name: 'Create a lead named “apply”' }).waitFor();
    await page.getByRole('option', { name: 'Apply a task list' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('is applied from the matter’s page by the keyboard, with one task left out and another day, and taken back', async () => {
    const matter = await openMatter();
    const { page, complaints } = await windowOf(owner);
    await page.goto(matter);
    await page.getByRole('link', { name: 'Apply a task list' }).press('Enter');
    await page.waitForURL('**/tasks/from-list?**');
    await page.getByRole('combobox', { name: 'Task list' }).selectOption('Opened (6 tasks)');
    // The list is shown by another page, which would lose what is typed into this one.
    await page.waitForURL('**list=**');
    const line = (title: string) => page.getByRole('listitem').filter({ hasText: title });
    await line('Letter').getByLabel('Due on').fill('2035-01-31');
    await page.getByRole('checkbox', { name: 'Add: Think' }).press('Space');
    await page.getByRole('button', { name: 'Add tasks' }).press('Enter');
    await page.getByText('5 tasks added from Opened.').waitFor();
    const tasks = page.getByRole('region', { name: 'Tasks' });
    await tasks.locator('time[datetime="2035-01-31"]').waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('5 tasks cancelled.').waitFor();
    await tasks.getByText('No tasks yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('counts from a field and from an event, chosen by the keyboard, and its preview says what a matter lacks', async () => {
    const own = await makeFirm(server);
    const ada = await memberBrowser(server, own, owner);
    await ada.send('/settings/fields', { appliesTo: 'MATTER', name: 'Served on', type: 'DATE' });
    await ada.send('/settings/event-kinds/kinds', { name: 'Hearing' });
    const opensFor = windowsAt(server, () => own);
    for (const size of [{}, phone]) {
      const window = await opensFor(owner, size);
      const { page, complaints } = window;
      const width = 'viewport' in size ? 'phone' : 'wide';
      const look = async (picture: string) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await takePicture(window, `counted-${width}-${colorScheme}-${picture}`);
        }
        await expectAccessible(window);
      };
      const name = `Trial ${width}`;
      const at = (await ada.send('/settings/task-lists', { name })).location ?? '';
      await page.goto(at);
      const lines = page.getByRole('region', { name: 'Tasks' });
      const add = async (title: string, trigger: string, amount: string, direction: string) => {
        await lines.getByRole('button', { name: 'Task', exact: true }).press('Enter');
        const form = page.getByRole('dialog', { name: 'New task' });
        await form.getByRole('textbox', { name: 'Task' }).waitFor();
        await page.keyboard.type(title);
        await page.keyboard.press('Tab');
        await page.keyboard.type(trigger);
        await page.keyboard.press('Tab');
        await page.keyboard.type(amount);
        await page.keyboard.press('Tab');
        await page.keyboard.type('Days');
        await page.keyboard.press('Tab');
        await page.keyboard.type(direction);
        if (title === 'Bundle') await look('form');
        await form.getByRole('button', { name: 'Add task' }).press('Enter');
        await lines.getByRole('button', { name: `Change ${title}` }).waitFor();
      };
      await add('Answer', 'Served', '21', 'After');
      await add('Bundle', 'Event: H', '7', 'Before');
      await lines.getByText('21 days after “Served on” · Responsible attorney').waitFor();
      await lines.getByText('7 days before the event “Hearing” · Responsible attorney').waitFor();
      await look('list');
      const { body } = await own.owner.post('/v1/matters', {
        practiceAreaId: own.practiceAreas.Family?.id,
        ...{ openDate: '2088-01-01', title: 'Moss v Lane' },
      });
      const matter = body.data.id as string;
      const preview = `/tasks/from-list?matter=${matter}&list=${at.split('/').at(-1)}`;
      await page.goto(preview);
      await page.getByText('The matter’s field “Served on” is empty').waitFor();
      await page.getByText('The matter has no event of the kind “Hearing”').waitFor();
      await look('lacks');
      const customFields = { 'Served on': '2092-03-03' };
      await own.owner.patch(`/v1/matters/${matter}`, { customFields });
      for (const day of ['2092-03-11', '2092-05-06']) {
        await page.goto(`/calendar/new?matter=${matter}`);
        await page.getByRole('textbox', { name: 'Title' }).fill('Before the master');
        await page.getByLabel('Kind').selectOption('Hearing');
        await page.getByLabel('Day', { exact: true }).fill(day);
        await page.getByLabel('Starts').fill('10:00');
        await page.getByRole('button', { name: 'Add event' }).press('Enter');
        await page.waitForURL('**/matters/**');
      }
      await page.goto(preview);
      await page.getByText('Served on, Mon 3 Mar 2092 + 21 days = Mon 24 Mar 2092').waitFor();
      const first = 'Event: Hearing, Tue 11 Mar 2092 − 7 days = Tue 4 Mar 2092';
      const which = '“Before the master”, the next of 2 events of its kind';
      await page.getByText(`${first} · ${which}`).waitFor();
      await look('preview');
      await page.getByRole('button', { name: 'Add tasks' }).press('Enter');
      await page.getByText(`2 tasks added from ${name}.`).waitFor();
      await page.locator('time[datetime="2092-03-04"]').first().waitFor();
      // Its field is removed, and made anew for the other width.
      await page.goto('/settings/fields');
      await page.getByRole('link', { name: 'Served on' }).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
      const asks = page.getByRole('dialog', { name: 'Remove Served on?' });
      await asks.getByText(`1 task list counts from it: ${name}.`).waitFor();
      await look('remove-field');
      await asks.getByRole('button', { name: 'Remove field' }).press('Enter');
      await page.getByText('Field removed: Served on.').waitFor();
      await page.goto(at);
      await page.getByText('Some of these tasks count from a field that was removed.').waitFor();
      await look('removed-field');
      await ada.send('/settings/fields', { appliesTo: 'MATTER', name: 'Served on', type: 'DATE' });
      expect(complaints).toEqual([]);
    }
  });

  test('is read at every width and in both colours', async () => {
    for (const size of [{}, phone]) {
      const matter = await openMatter();
      const id = matter.split('/').at(-1);
      await firm.owner.post('/v1/tasks', { matterId: id, title: 'Letter' });
      const window = await windowOf(owner, size);
      const { page, complaints } = window;
      for (const [path, picture] of [
        ['/settings/task-lists', 'lists'],
        ['/settings/task-lists?do=example', 'example'],
        [list, 'list'],
        [`${list}?do=new-line`, 'line'],
        [matter, 'matter'],
        [`/tasks/from-list?matter=${id}`, 'preview'],
      ] as const) {
        await page.goto(path);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const width = 'viewport' in size ? 'phone' : 'wide';
          await takePicture(window, `task-lists-${width}-${colorScheme}-${picture}`);
        }
        await expectAccessible(window);
      }
      expect(complaints).toEqual([]);
    }
  });
});
