import { beforeAll, describe, expect, test } from 'bun:test';
import { dayInFull } from '../../src/app/moments.tsx';
import { usualFormats } from '../../src/firm/formats.ts';
import {
  boxOf,
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let matter: { id: string; publicId: string };

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const windowOf = windowsAt(server, () => firm);

beforeAll(async () => {
  firm = await makeFirm(server);
  const make = async (title: string, solDate?: string) => {
    const { body } = await firm.owner.post('/v1/matters', {
      title,
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      team: [{ memberId: firm.members[attorney] }],
      ...(solDate && { solDate }),
    });
    return body.data as { id: string; publicId: string };
  };
  matter = await make('Szczepańska-Wiśniewska v Northgate Logistics Ltd', dayFrom(9));
  await make('Okonkwo, estate', dayFrom(-3));
  const ada = await visitorOf(server, firm, owner);
  const assigneeId = firm.members[attorney] ?? '';
  const task = (title: string, dueOn: string) =>
    ada.post('/tasks/new', { title, dueOn, matter: matter.publicId, assigneeId });
  await task('Chase Northgate Logistics for disclosure', dayFrom(-3));
  await task('Draft particulars of claim', dayFrom(2));
  await task('Ask the Fund for the sick-pay records', '');
  const event = (fields: Record<string, string | string[]>) =>
    ada.post('/calendar/new', { matter: matter.publicId, lastDay: '', guests: '', ...fields });
  await event({
    title: 'Conference with counsel',
    day: dayFrom(1),
    begins: '14:30',
    ends: '15:30',
    colleagues: [attorney, owner],
  });
  await event({ title: 'Trial', day: dayFrom(3), lastDay: dayFrom(5), isWhole: 'on' });
});

declare global {
  /** Resolves when this page has heard that an event was changed. */
  var heardOfEvent: Promise<void>;
}

/**
 * Does something, and waits until the page has been told that an event changed, and has had the time to
 * fetch itself again.
 */
const hearsOfEvent = async ({ page }: Watched, change: () => Promise<unknown>) => {
  await page.evaluate(() => {
    globalThis.heardOfEvent = new Promise((resolve) => {
      new BroadcastChannel('live').onmessage = ({ data }) => {
        if (String(data.changed).includes('calendar_event')) resolve();
      };
    });
  });
  await change();
  await page.evaluate(async () => {
    await globalThis.heardOfEvent;
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(location.href)).text();
  });
};

describe.skipIf(!hasBrowser)('Tasks and the calendar', () => {
  test('ask before a task or an event is cancelled', async () => {
    const ada = await visitorOf(server, firm, owner);
    const of = { matter: matter.publicId, assigneeId: '' };
    await ada.post('/tasks/new', { ...of, title: 'Asked task', dueOn: '' });
    const at = { day: dayFrom(30), lastDay: '', begins: '09:00', ends: '10:00', guests: '' };
    await ada.post('/calendar/new', { ...of, ...at, title: 'Asked event' });
    const window = await windowOf(attorney);
    const { page } = window;
    for (const [noun, title] of [
      ['task', 'Asked task'],
      ['event', 'Asked event'],
    ] as const) {
      await page.goto(`/matters/${matter.id}`);
      await page.getByRole('link', { name: title }).click();
      const cancel = page.getByRole('button', { name: `Cancel ${noun}` });
      const asks = page.getByRole('dialog', { name: `Cancel this ${noun}?` });
      await cancel.click();
      await expectAccessible(window);
      await asks.getByRole('button', { name: `Keep ${noun}` }).click();
      await page.getByText('Cancelled', { exact: true }).first().waitFor({ state: 'detached' });
      await cancel.click();
      await asks.getByRole('button', { name: `Cancel ${noun}` }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
    }
    await window.close();
  });

  test('have no barriers, wide and on a phone', async () => {
    for (const [size, options] of [
      ['1280', {}],
      ['390', phone],
    ] as const) {
      const window = await windowOf(attorney, options);
      const paths = {
        home: '/',
        tasks: '/tasks',
        'tasks-empty': '/tasks?show=done',
        'task-new': '/tasks/new',
        'task-new-of': `/tasks/new?matter=${matter.id}`,
        calendar: '/calendar',
        'calendar-week': '/calendar?view=week',
        'calendar-agenda': '/calendar?view=agenda',
        'calendar-empty': '/calendar?view=agenda&day=2031-01-01',
        'event-new': '/calendar/new',
        matter: `/matters/${matter.id}`,
      };
      for (const [name, path] of Object.entries(paths)) {
        await window.page.goto(path);
        await expectAccessible(window);
        await takePicture(window, `${name}-${size}-dark`);
        await window.page.emulateMedia({ colorScheme: 'light' });
        await takePicture(window, `${name}-${size}`);
        const wide = await window.page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, `${path} at ${size}`).toBeLessThanOrEqual(Number(size));
      }
      expect(window.complaints).toEqual([]);
      await window.close();
    }
  });

  test('say what they are, whose and of which matter; a press on a day or an hour adds there', async () => {
    const window = await windowOf(attorney);
    const { page } = window;
    const day = dayFrom(9);
    const inWords = dayInFull(day, { formats: usualFormats });
    await page.goto(`/calendar?day=${day}`);
    const limitation = page.getByRole('link', { name: /^Limitation.*Szczepańska/ });
    await limitation.locator('.what svg').waitFor({ state: 'attached' });
    await expectSoon(() => limitation.textContent(), expect.stringMatching(/Limitation.*BL/s));
    for (const [of, name, people] of [
      [dayFrom(2), /^Task: Draft particulars/, /BL/],
      [dayFrom(1), /^Event: .*Conference with counsel/, /AH.*BL/s],
    ] as const) {
      await page.goto(`/calendar?day=${of}`);
      const entry = page.getByRole('link', { name }).first();
      await expectSoon(() => entry.textContent(), expect.stringMatching(people));
    }

    await page.goto(`/calendar?view=week&day=${day}`);
    const week = page.getByRole('table');
    for (const hour of ['08:00', '18:00'])
      await week.getByRole('rowheader', { name: hour }).waitFor();
    await expectSoon(() => week.getByRole('rowheader').count(), 12);
    await week.getByRole('link', { name: `New event on ${inWords} at 10:00` }).click();
    await expectSoon(() => page.getByLabel('Day', { exact: true }).inputValue(), day);
    await expectSoon(() => page.getByLabel('Starts').inputValue(), '10:00');
    await expectSoon(() => page.getByLabel('Ends (optional)').inputValue(), '11:00');
    await page.getByLabel('Title').fill('Signing');
    await page.getByRole('combobox', { name: 'Matter' }).fill(matter.publicId);
    await page.getByLabel('Ends (optional)').fill('12:30');
    await page.getByRole('button', { name: 'Add event' }).click();
    await page.getByRole('status').filter({ hasText: 'Event added: Signing.' }).waitFor();
    // Back in the same week, in its hour; a second press adds another one beside it.
    const signing = page
      .getByRole('row', { name: /^10:00/ })
      .getByRole('link', { name: /Signing/ });
    await signing.waitFor();
    await expectSoon(() => signing.textContent(), expect.stringContaining('Szczepańska'));
    await expectSoon(() => page.locator('.goes-on', { hasText: 'Signing' }).count(), 2);
    await takePicture(window, 'calendar-week-added');

    await page.goto(`/calendar?day=${day}`);
    await page
      .getByRole('link', { name: `New event on ${inWords}`, exact: true })
      .click({ position: { x: 100, y: 8 } });
    await expectSoon(() => page.getByLabel('Day', { exact: true }).inputValue(), day);
    await expectSoon(() => page.getByLabel('Starts').inputValue(), '');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('table').waitFor();
    expect(new URL(page.url()).searchParams.get('day')).toBe(day);
    // Ada sees it too, and whose the task is.
    const other = await windowOf(owner);
    await other.page.goto(`/calendar?view=agenda&whose=all&day=${dayFrom(1)}`);
    const line = other.page.getByRole('listitem').filter({ hasText: 'Draft particulars' });
    await line.getByRole('img', { name: 'Ben Lane' }).waitFor();
    await other.page.getByRole('listitem').filter({ hasText: 'Signing' }).waitFor();
    // And what is a limitation date, by a word and a sign, whichever way she looks at the days.
    for (const view of ['month', 'week', 'agenda']) {
      await other.page.goto(`/calendar?view=${view}&whose=all&day=${day}`);
      const entry = view === 'agenda' ? 'listitem' : 'link';
      const theirs = other.page
        .getByRole(entry)
        .filter({ hasText: /Limitation/ })
        .filter({ hasText: 'Szczepańska' });
      await theirs.first().locator('svg').first().waitFor({ state: 'attached' });
    }
    expect([...window.complaints, ...other.complaints]).toEqual([]);
    await window.close();
    await other.close();
  });

  test('on a phone, a month has dots above the list of the chosen day', async () => {
    const window = await windowOf(attorney, phone);
    const { page } = window;
    const [near, far] = [dayFrom(9), dayFrom(2)];
    await page.goto(`/calendar?day=${near}`);
    const shown = page.locator('.agenda');
    await shown.getByText('Limitation: Szczepańska').waitFor();
    await shown.getByRole('region').waitFor({ state: 'attached' });
    const month = page.getByRole('table');
    await month.locator('.chosen .of-limitation').waitFor({ state: 'attached' });
    if (far.slice(0, 7) === near.slice(0, 7)) {
      await month
        .getByRole('link', { name: `${dayInFull(far, { formats: usualFormats })}, 1 date` })
        .click();
      await shown.getByText('Draft particulars').waitFor();
      await shown.getByText('Limitation').first().waitFor({ state: 'detached' });
    }
    await expectAccessible(window);
    await takePicture(window, 'calendar-month-390');
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  test('what is typed on the page of an event or a task stays when I have it is pressed', async () => {
    const ada = await visitorOf(server, firm, owner);
    const event = await firm.command<{ id: string }>([
      ...['event', 'add', '--matter', matter.id, '--title', 'Hearing'],
      ...['--starts', `${dayFrom(20)}T09:30:00Z`],
    ]);
    const path = `/calendar/${event.id}`;
    const invited = { title: 'Hearing', day: dayFrom(20), begins: '09:30', colleagues: attorney };
    expect((await ada.post(path, invited)).status).toBe(303);
    const { page, complaints } = await windowOf(attorney);
    await page.goto(path);
    const title = page.getByLabel('Title');
    await title.fill('Hearing by video');
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('button', { name: 'I have it' }).waitFor({ state: 'detached' });
    await expectSoon(() => title.inputValue(), 'Hearing by video');
    // It is still somebody's change of what was there when it was begun, and saved as such.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Hearing by video' }).waitFor();
    await title.fill('Hearing in court');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Hearing in court' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('Add task is pressed once while matters are offered, by a mouse or a finger', async () => {
    for (const [title, options] of [
      ['Pressed by a mouse', {}],
      ['Pressed by a finger', phone],
    ] as const) {
      const window = await windowOf(attorney, options);
      const { page } = window;
      await page.goto('/tasks/new');
      await page.getByLabel('Task').fill(title);
      const box = page.getByRole('combobox', { name: 'Matter' });
      await box.fill('Okonkwo, estate');
      const option = page.getByRole('option', { name: / Okonkwo, estate/ });
      await option.waitFor();
      const add = page.getByRole('button', { name: 'Add task' });
      await add.scrollIntoViewIfNeeded();
      const { x, y, width, height } = await boxOf(add);
      const at = [x + width / 2, y + height / 2] as const;
      if (options === phone) await page.touchscreen.tap(...at);
      else await page.mouse.click(...at, { delay: 80 });
      await page
        .getByRole('status')
        .filter({ hasText: `Task added: ${title}.` })
        .waitFor();
      await window.close();
    }
  });

  test('a matter is found while typing, by keys; two who edit one event choose, and lose nothing', async () => {
    const window = await windowOf(attorney);
    const { page } = window;
    await page.goto('/tasks/new');
    await page.getByLabel('Task').fill('Serve the claim');
    const box = page.getByRole('combobox', { name: 'Matter' });
    await box.fill('okonk');
    await page.getByRole('option', { name: / Okonkwo, estate/ }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'task-matter-found');
    const active = () => box.getAttribute('aria-activedescendant');
    const shown = async () => [await box.getAttribute('aria-expanded'), await active()];
    const found = await page.getByRole('option', { name: / Okonkwo, estate/ }).getAttribute('id');
    await expectSoon(shown, ['true', found]);
    await page.keyboard.press('Escape');
    await expectSoon(shown, ['false', null]);
    await expectSoon(() => box.inputValue(), 'okonk');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: / Okonkwo, estate/ }).waitFor();
    await expectSoon(async () => (await active()) !== null, true);
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Okonkwo, estate' }).waitFor();
    await expectSoon(() => box.inputValue(), expect.stringMatching(/^M-\d+-0002$/));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Serve the claim' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'Task added: Serve the claim.' }).waitFor();

    const event = await firm.command<{ id: string }>([
      ...['event', 'add', '--matter', matter.id, '--title', 'Mediation'],
      ...['--starts', `${dayFrom(20)}T09:30:00Z`],
    ]);
    const path = `/calendar/${event.id}`;
    await page.goto(path);
    await page.getByLabel('Title').fill('Mediation by video');
    await page.getByRole('checkbox', { name: 'Ben Lane' }).check();
    const ada = await visitorOf(server, firm, owner);
    const theirs = { title: 'Mediation at court', day: dayFrom(20), begins: '09:30' };
    // The page follows what others do, but not over what is typed or asked here.
    const post = async (fields: Record<string, string>) =>
      expect((await ada.post(path, { ...theirs, colleagues: owner, ...fields })).status).toBe(303);
    await hearsOfEvent(window, () => post({}));
    await expectSoon(() => page.getByLabel('Title').inputValue(), 'Mediation by video');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Ada changed this to Mediation at court').waitFor();
    await page.getByText('changed this to Ada Harrow').waitFor();
    await hearsOfEvent(window, () => post({ guests: 'court@court.example' }));
    await expectSoon(() => page.getByLabel('Title').inputValue(), 'Mediation by video');
    await expectAccessible(window);
    await takePicture(window, 'event-conflict');
    await page.getByRole('button', { name: "Use Ada's" }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mediation at court' }).waitFor();
    await expectSoon(() => page.getByRole('checkbox', { name: 'Ben Lane' }).isChecked(), true);
    await expectSoon(() => page.getByRole('checkbox', { name: 'Ada Harrow' }).isChecked(), false);
    expect(window.complaints).toEqual([]);
  });

  test('a task is done by one key on its row, and by a click at Home', async () => {
    const window = await windowOf(attorney);
    const { page } = window;
    await page.goto('/tasks');
    await page.getByRole('link', { name: 'Ask the Fund' }).focus();
    await page.keyboard.press('d');
    await page.getByRole('link', { name: 'Ask the Fund' }).waitFor({ state: 'detached' });
    await page.goto('/');
    await page.getByRole('button', { name: 'Done: Draft particulars' }).click();
    await page.getByRole('link', { name: 'Draft particulars' }).waitFor({ state: 'detached' });
    await page.goto('/tasks?show=done');
    await page.getByRole('button', { name: 'Reopen: Draft particulars' }).click();
    await page.getByRole('link', { name: 'Draft particulars' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Ask the Fund' }).waitFor({ state: 'attached' });
    expect(window.complaints).toEqual([]);
  });
});
