/** Events that repeat, in a browser. */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  expectSoon,
  hasBrowser,
  phone,
  takePicture,
} from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();
let firm: Firm;
let matter: { id: string };
const windowOf = windowsAt(server, () => firm);

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

type Event = { id: string; title: string; startDate: string | null };

/** The events of the matter with this title, by day. */
const eventsNamed = async (title: string): Promise<Event[]> => {
  const { body } = await firm.owner.get(`/v1/calendar-events?matterId=${matter.id}&limit=100`);
  const all = body.data as Event[];
  const dayOf = ({ startDate }: Event) => startDate ?? '';
  return all
    .filter((one) => one.title === title)
    .sort((one, other) => dayOf(one).localeCompare(dayOf(other)));
};

beforeAll(async () => {
  firm = await makeFirm(server);
  const { body } = await firm.owner.post('/v1/matters', {
    title: 'Szczepańska-Wiśniewska v Northgate Logistics Ltd',
    openDate: '2026-01-01',
    practiceAreaId: firm.practiceAreas.Family?.id,
    team: [{ memberId: firm.members[attorney] }],
  });
  matter = body.data;
});

describe.skipIf(!hasBrowser)('Events that repeat', () => {
  test('are added, changed and cancelled with all that follow', async () => {
    const window = await windowOf(attorney);
    const { page } = window;
    await page.goto(`/calendar/new?matter=${matter.id}`);
    await page.getByLabel('Title').fill('Team meeting');
    await page.getByLabel('Day', { exact: true }).fill(dayFrom(10));
    await page.getByLabel('All day').check();
    await page.getByLabel('Repeats', { exact: true }).selectOption('Every week');
    await takePicture(window, 'new-1280');
    await expectAccessible(window);
    await page.getByRole('button', { name: 'Add event' }).click();
    await page.getByText('Events added: Team meeting, every week.').waitFor();
    await takePicture(window, 'matter-1280-dark');
    const made = await eventsNamed('Team meeting');
    expect(made.length).toBeGreaterThan(10);
    const [first, second, third] = made;

    await page.goto(`/calendar/${third?.id}`);
    await page.getByText('Repeats every week').waitFor();
    await page.getByLabel('Title').fill('Review');
    await page.getByLabel('This and all that follow').check();
    await expectAccessible(window);
    await takePicture(window, 'event-1280-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await takePicture(window, 'event-1280-light');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Review' }).waitFor();
    expect((await eventsNamed('Team meeting')).map(({ id }) => id)).toEqual([
      first?.id ?? '',
      second?.id ?? '',
    ]);
    expect(await eventsNamed('Review')).toHaveLength(made.length - 2);

    await page.getByRole('button', { name: 'Cancel event' }).click();
    const asks = page.getByRole('dialog', { name: 'Cancel this event?' });
    await asks.getByRole('button', { name: 'This event alone' }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'cancel-1280');
    await asks.getByRole('button', { name: 'This and all that follow' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await expectSoon(async () => (await eventsNamed('Review')).length, 0);
    expect(await eventsNamed('Team meeting')).toHaveLength(2);
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  test('are acknowledged and changed on a phone without barriers', async () => {
    const ada = await visitorOf(server, firm, owner);
    const sent = { title: 'Call', day: dayFrom(10), isWhole: 'on', repeats: 'month' };
    await ada.post(`/calendar/new?matter=${matter.id}`, { ...sent, colleagues: [attorney] });
    const [, second] = await eventsNamed('Call');
    const window = await windowOf(attorney, phone);
    const { page } = window;
    await page.goto('/inbox');
    await page.getByRole('button', { name: /^I have this and all that follow: / }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'inbox-390-dark');
    await page.goto(`/calendar/${second?.id}`);
    await page.getByText('Repeats every month').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'event-390-dark');
    await page.getByRole('button', { name: 'I have this and all that follow' }).click();
    await page.getByText(/^You have the event Call, .+ and the one after it\.$/).waitFor();
    await page.getByLabel('This and all that follow').evaluate((one) => one.scrollIntoView());
    await takePicture(window, 'event-390-dark-below');
    await page.getByRole('button', { name: 'Cancel event' }).click();
    const asks = page.getByRole('dialog', { name: 'Cancel this event?' });
    await asks.getByRole('button', { name: 'This event alone' }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'cancel-390-dark');
    await page.goto(`/matters/${matter.id}`);
    // The next one is shown, and the others are one press away.
    await page.getByText(/^\d+ more that repeat$/).click();
    await page.getByRole('link', { name: 'Call' }).last().waitFor();
    // What the bar covers at the moment is not smaller for it.
    await page.evaluate(() => scrollTo(0, 0));
    await expectAccessible(window);
    await page.getByRole('heading', { name: 'Events' }).evaluate((one) => one.scrollIntoView());
    await takePicture(window, 'matter-390');
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
