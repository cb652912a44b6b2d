/** "I have it", in a browser: on the matter's page and in the inbox, by keyboard, wide and on a phone. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { connect } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textsIn } from '../support/html.ts';
import { untilItDoes } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
const matters: { id: string; publicId: string }[] = [];

const windowOf = windowsAt(server, () => firm);

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  firm = await makeFirm(server);
  for (const title of ['Szczepańska-Wiśniewska v Northgate Logistics Ltd', 'Okonkwo, estate']) {
    const { body } = await firm.owner.post('/v1/matters', {
      title,
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      team: [{ memberId: firm.members[attorney] }],
      solDate: dayFrom(6),
    });
    matters.push(body.data);
  }
  const ben = await visitorOf(server, firm, attorney);
  await untilItDoes(async () => {
    const { text } = await ben.get('/inbox');
    return text.split('limitation/acknowledged').length === 3;
  });
});

/** Presses Tab until this has the focus. */
const tabTo = async (page: Page, target: Locator) => {
  const hasFocus = () => target.evaluate((one) => one === document.activeElement);
  for (let presses = 0; !(await hasFocus()); presses += 1) {
    if (presses > 150) throw new Error(`Tab does not lead to ${target}.`);
    await page.keyboard.press('Tab');
  }
};

describe.skipIf(!hasBrowser)('"I have it"', () => {
  test('is pressed on the matter’s page by keyboard, and the page says who has the date', async () => {
    const window = await windowOf(attorney);
    const { page, complaints } = window;
    await page.goto(`${server.url}/matters/${matters[0]?.id}`);
    const button = page.getByRole('button', { name: 'I have it', exact: true });
    await expectAccessible(window);
    await takePicture(window, 'receipt');
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^You have the limitation date of M-/).waitFor();
    const told = page.getByRole('region', { name: 'Who was told' });
    expect(await told.getByText('Acknowledged', { exact: true }).count()).toBeGreaterThan(0);
    await expectSoon(
      () => told.getByRole('row', { name: /Ben Lane, you/ }).textContent(),
      expect.stringContaining('since'),
    );
    await button.first().waitFor({ state: 'detached' });
    await expectAccessible(window);
    await takePicture(window, 'receipt-acknowledged');
    expect(complaints).toEqual([]);
  });

  test('is pressed in the inbox on a phone, and the inbox stays', async () => {
    const window = await windowOf(attorney, phone);
    const { page, complaints } = window;
    await page.goto(`${server.url}/matters/${matters[1]?.id}`);
    await expectAccessible(window);
    await takePicture(window, 'receipt-phone');
    await page.goto(`${server.url}/inbox`);
    const button = page.getByRole('button', { name: /^I have it: .*Okonkwo, estate/ });
    await expectAccessible(window);
    await takePicture(window, 'receipt-inbox-phone');
    await button.click();
    await button.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/inbox');
    expect(complaints).toEqual([]);
  });

  test('is pressed on the page of a task by keyboard, and of an event on a phone', async () => {
    const ada = await visitorOf(server, firm, owner);
    const matter = matters[1]?.publicId ?? '';
    const day = dayFrom(5);
    const task = { title: 'File the answer', dueOn: day, matter };
    const event = { title: 'Hearing', day, begins: '09:30', colleagues: attorney, matter };
    for (const made of [
      await ada.post('/tasks/new', { ...task, assigneeId: firm.members[attorney] ?? '' }),
      await ada.post('/calendar/new', event),
    ]) {
      expect(made.status).toBe(303);
    }
    const [{ id: taskId } = { id: '' }] = await firm.command<{ id: string }[]>(['task', 'list']);
    const [{ id: eventId } = { id: '' }] = await firm.command<{ id: string }[]>(['event', 'list']);
    for (const [path, options] of [
      [`/tasks/${taskId}`, {}],
      [`/calendar/${eventId}`, phone],
    ] as const) {
      const window = await windowOf(attorney, options);
      const { page, complaints } = window;
      await page.goto(server.url + path);
      const button = page.getByRole('button', { name: 'I have it', exact: true });
      await expectAccessible(window);
      await takePicture(window, `receipt-of${path.slice(0, 6).replace('/', '-')}`);
      await button.press('Enter');
      const told = page.getByRole('region', { name: 'Who was told' });
      await told.getByText('Acknowledged', { exact: true }).first().waitFor();
      await button.waitFor({ state: 'detached' });
      await expectAccessible(window);
      expect(complaints).toEqual([]);
    }
  });

  test('marks one’s own notices of that date as read, and nobody else’s', async () => {
    const own = await makeFirm(server);
    // Their notices come later, by a job.
    for (const email of [owner, attorney]) {
      await own.command(['notify', 'set', '--member', email, 'matter.added', 'off']);
    }
    const made = async (title: string) => {
      const { body } = await own.owner.post('/v1/matters', {
        title,
        openDate: '2026-01-01',
        practiceAreaId: own.practiceAreas.Family?.id,
        team: [{ memberId: own.members[attorney] }],
        solDate: dayFrom(5),
      });
      return body.data;
    };
    const ada = await visitorOf(server, own, owner);
    const [first, second] = [await made('Quill v Quill'), await made('Nwosu, estate')];
    const dates = { dueOn: dayFrom(4), matter: first.publicId };
    const assigneeId = own.members[attorney] ?? '';
    await ada.post('/tasks/new', { ...dates, title: 'File the answer', assigneeId });
    const unreadOf = async (email: string) => {
      const { text } = await (await visitorOf(server, own, email)).get('/inbox?show=unread');
      return textsIn(text, '#list .unread a.name');
    };
    // Two limitation dates for each of them, and the task for one.
    await untilItDoes(async () => (await unreadOf(owner)).length === 2);
    await untilItDoes(async () => (await unreadOf(attorney)).length === 3);
    const window = await openWindow(server.url);
    await signIn(window, server, own, attorney);
    const { page, complaints } = window;
    await page.goto(`/matters/${first.id}`);
    const inbox = page.getByRole('banner').getByRole('link', { name: /^Inbox/ });
    const countOf = async () => Number(/\d+/.exec((await inbox.textContent()) ?? '')?.[0] ?? 0);
    expect(await countOf()).toBe(3);
    await page.getByRole('button', { name: 'I have it', exact: true }).press('Enter');
    await page.getByText(/^You have the limitation date of M-/).waitFor();
    await expectSoon(countOf, 2);
    await inbox.click();
    for (const [left, name] of [
      [1, /^I have it: .*: File the answer/],
      [0, /^I have it: .*Nwosu, estate/],
    ] as const) {
      const button = page.getByRole('button', { name });
      await button.click();
      await button.waitFor({ state: 'detached' });
      await expectSoon(countOf, left);
    }
    await expectSoon(() => page.locator('#list .unread .have-it').count(), 0);
    await takePicture(window, 'receipt-read');
    expect(await unreadOf(attorney)).toEqual([]);
    expect(await unreadOf(owner)).toHaveLength(2);
    // The second person's press is theirs alone, too.
    await ada.post(`/matters/${second.id}/limitation/acknowledged`, { day: dayFrom(5) });
    expect(await unreadOf(owner)).toHaveLength(1);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test('is missing on an owner’s Home, where nobody present has a date; a deputy is chosen in My settings', async () => {
    for (const [options, name, from, until] of [
      [phone, 'absence-phone', 2, 8],
      [{}, 'absence', 3, 9],
    ] as const) {
      const window = await windowOf(owner, options);
      const { page, complaints } = window;
      await page.goto(`${server.url}/settings/me`);
      const panel = page.locator('#absence');
      const deputy = panel.getByLabel('Deputy', { exact: true });
      const days = [panel.getByLabel('Away from'), panel.getByLabel('Until')];
      // By the keyboard alone, as a browser in the United States takes days.
      await tabTo(page, deputy);
      await page.keyboard.type('Ben');
      for (const [at, day] of [dayFrom(from), dayFrom(until)].entries()) {
        await tabTo(page, days[at] as Locator);
        const [year = '', month = '', date = ''] = day.split('-');
        await page.keyboard.type(month + date + year);
      }
      await tabTo(page, panel.getByRole('button', { name: 'Save' }));
      await page.keyboard.press('Enter');
      await page.getByText('Your absence and deputy are changed.').waitFor();
      expect(await deputy.inputValue()).toBe(firm.members[attorney] ?? '');
      expect(await Promise.all(days.map((one) => one.inputValue()))).toEqual([
        dayFrom(from),
        dayFrom(until),
      ]);
      await panel.evaluate((one) => one.scrollIntoView());
      await expectAccessible(window);
      await takePicture(window, name);
      expect(complaints).toEqual([]);
    }
    const window = await windowOf(owner);
    const { page, complaints } = window;
    const { body } = await firm.owner.post('/v1/matters', {
      title: 'Nobody’s date',
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      team: [{ memberId: firm.members[attorney] }],
      solDate: dayFrom(20),
    });
    await page.goto(server.url);
    const panel = page.getByRole('region', { name: 'Dates that nobody present holds' });
    await panel.getByRole('link', { name: body.data.title }).waitFor();
    const absence = { awayFrom: dayFrom(-1), awayUntil: dayFrom(3), deputyId: '' };
    const ada = await visitorOf(server, firm, owner);
    await ada.post(`/settings/members/${firm.members[attorney]}/absence`, absence);
    const away = page.getByRole('region', { name: 'Away today' });
    await away.getByText('Ben Lane').waitFor();
    await away.getByText('No deputy.').waitFor({ state: 'attached' });
    await expectAccessible(window);
    await takePicture(window, 'unheld');
    // Tasks and events are there, too, wide and on a phone.
    const of = { day: dayFrom(2), matter: matters[1]?.publicId ?? '' };
    const hearing = { ...of, title: 'Hearing of nobody', begins: '09:30', colleagues: attorney };
    expect((await ada.post('/calendar/new', hearing)).status).toBe(303);
    for (let nth = 0; nth < 11; nth += 1) {
      const task = { ...of, title: `Task ${nth}`, dueOn: dayFrom(-1), assigneeId: '' };
      expect((await ada.post('/tasks/new', task)).status).toBe(303);
    }
    await panel.getByText('And 2 more tasks and events').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'unheld-work');
    const onPhone = await windowOf(owner, phone);
    await onPhone.page.goto(server.url);
    const part = onPhone.page.getByRole('region', { name: 'Dates that nobody present holds' });
    await part.getByText('Not assigned').first().waitFor();
    await expectAccessible(onPhone);
    await takePicture(onPhone, 'unheld-work-phone');
    await part.getByRole('link', { name: 'Task' }).first().click();
    await onPhone.page.waitForURL(/\/tasks\//);
    expect([complaints, onPhone.complaints]).toEqual([[], []]);
  });

  test('is pressed for each date of a notice of several, and then the notice is past', async () => {
    const sql = connect(server.databaseUrl);
    const to = firm.members[owner] ?? '';
    await sql`update receipt set escalated_on = moment()::date
      where firm_id = ${firm.id} and member_id = ${to} and matter_id = any(${matters.map(({ id }) => id)})`;
    await sql`insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
      values (${firm.id}, ${to}, 'limitation.unheld', moment()::date::text,
        'Not acknowledged: 2 limitation dates, the first in 6 days', 'The first is soon.', moment(), moment())`;
    await sql.end();
    const ofSeveral = '.have-them button';
    for (const [left, options, name] of [
      [2, { colorScheme: 'dark' }, 'receipt-several-dark'],
      [1, phone, 'receipt-several-phone'],
    ] as const) {
      const window = await windowOf(owner, options);
      const { page, complaints } = window;
      await page.goto(`${server.url}/inbox`);
      await expectSoon(() => page.locator(ofSeveral).count(), left);
      await expectAccessible(window);
      await takePicture(window, name);
      await page.locator(ofSeveral).first().press('Enter');
      await expectSoon(() => page.locator(ofSeveral).count(), left - 1);
      expect(complaints).toEqual([]);
      if (left === 1) await page.getByText('No longer: you have all the dates').waitFor();
    }
  });
});
