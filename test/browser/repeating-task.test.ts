/** A task that repeats: by the keyboard alone, in both widths and both colours. */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
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
const windowOf = windowsAt(server, () => firm);
beforeAll(async () => {
  firm = await makeFirm(server);
});

const openMatter = async () => {
  const { body } = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-01-01',
    title: 'Quill v. Rook',
  });
  return `/matters/${body.data.id}`;
};

describe.skipIf(!hasBrowser)('A task that repeats', () => {
  test('is made and ticked by the keyboard, says when the next one is due, and Undo takes that away', async () => {
    const matter = await openMatter();
    const { page, complaints } = await windowOf(attorney);
    await page.goto(`/tasks/new?matter=${matter.split('/').at(-1)}`);
    await page.getByRole('textbox', { name: 'Task' }).pressSequentially('Report');
    await page.getByLabel('Due on').fill('2035-01-31');
    await page.getByRole('combobox', { name: 'Repeats' }).selectOption('Every month');
    await page.getByRole('button', { name: 'Add task' }).press('Enter');
    await page.getByText('Task added: Report.').waitFor();
    const tasks = page.getByRole('region', { name: 'Tasks' });
    await tasks.getByRole('button', { name: 'Done: Report' }).press('Enter');
    const said = 'Done: Report. The next one is due Wed 28 Feb 2035.';
    await page.getByText(said).waitFor();
    await tasks.locator('time[datetime="2035-02-28"]').waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('The next one, due Wed 28 Feb 2035, was removed.').waitFor();
    await tasks.locator('time[datetime="2035-01-31"]').waitFor();
    await tasks.locator('time[datetime="2035-02-28"]').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('repeats never until somebody says how often, and never again after that', async () => {
    const matter = await openMatter();
    const made = await firm.owner.post('/v1/tasks', {
      matterId: matter.split('/').at(-1),
      title: 'Report',
      dueDate: '2035-01-31',
    });
    const { page, complaints } = await windowOf(attorney);
    const repeats = page.getByRole('combobox', { name: 'Repeats' });
    for (const [from, to] of [
      ['Never', 'Every month'],
      ['Every month', 'Never'],
      ['Never', 'Every week'],
    ] as const) {
      await page.goto(`/tasks/${made.body.data.id}`);
      await expectSoon(() => repeats.locator('option:checked').textContent(), from);
      await repeats.selectOption(to);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Task changed: Report.').waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test('is read at every width and in both colours', async () => {
    for (const size of [{}, phone]) {
      const matter = await openMatter();
      const matterId = matter.split('/').at(-1);
      const made = await firm.owner.post('/v1/tasks', {
        matterId,
        title: 'Send the monthly report to the trustee',
        dueDate: '2035-01-31',
        rrule: 'FREQ=MONTHLY;UNTIL=20361231',
        assigneeId: firm.members[attorney],
      });
      const window = await windowOf(attorney, size);
      const { page, complaints } = window;
      for (const [path, picture] of [
        [`/tasks/new?matter=${matterId}`, 'new'],
        [`/tasks/${made.body.data.id}`, 'one'],
        ['/tasks', 'list'],
      ] as const) {
        await page.goto(path);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const width = 'viewport' in size ? 'phone' : 'wide';
          await takePicture(window, `repeating-task-${width}-${colorScheme}-${picture}`);
        }
        await expectAccessible(window);
      }
      expect(complaints).toEqual([]);
    }
  });
});
