/** The firm's kinds of events, and a rule that counts from the event of a kind. */
import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

describe.skipIf(!hasBrowser)('Kinds of events', () => {
  test('are written by keyboard, chosen on events, and counted from by rules', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page } = window;
    await signIn(window, server, firm, owner);
    await page.goto('/settings/event-kinds');
    await page.getByLabel('New kind').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'event-kinds-empty-1280');
    for (const name of ['Hearing', 'Service of papers']) {
      await page.getByLabel('New kind').fill(name);
      await page.getByLabel('New kind').press('Enter');
      await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
    }
    await page.getByLabel('New kind').fill('Hearing');
    await page.getByLabel('New kind').press('Enter');
    await page.getByRole('alert').first().waitFor();
    await expectAccessible(window);
    await takePicture(window, 'event-kinds-refused-1280');
    await page.goto('/settings/date-rules?do=new-rule');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('File the bundle');
    await dialog.getByLabel('How many').fill('7');
    await dialog.getByLabel('Before or after').selectOption('before');
    await dialog.getByLabel('Counted from').selectOption({ label: 'Event: Hearing' });
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await page.getByText('7 days before the event “Hearing”').waitFor();
    const body = {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2088-03-14',
      title: 'Moss v Lane',
    };
    const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
    for (const [title, day] of [
      ['First hearing', '2092-03-11'],
      ['Second hearing', '2092-06-11'],
    ] as const) {
      await page.goto(`/calendar/new?matter=${matter}`);
      await page.getByLabel('Title').fill(title);
      await page.getByLabel('Kind').selectOption('Hearing');
      await page.getByLabel('Day', { exact: true }).fill(day);
      await page.getByLabel('Starts').fill('10:00');
      await expectAccessible(window);
      await takePicture(window, 'event-kind-form-1280');
      await page.getByRole('button', { name: 'Add event' }).click();
      await page.getByText(`Event added: ${title}.`).waitFor();
    }
    await page.goto(`/matters/${matter}/rules`);
    const which = 'Counted from “First hearing”, the next of 2 events of its kind.';
    await page.getByText(which).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takePicture(window, `event-rule-${colorScheme}-1280`);
      await page.setViewportSize(phone.viewport);
      await takePicture(window, `event-rule-${colorScheme}-390`);
      await expectAccessible(window);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await page.getByRole('button', { name: 'Add dates' }).press('Enter');
    await page.getByText('Added 1 date to Moss v Lane.').waitFor();
    await page.locator('#events').getByRole('link', { name: 'First hearing' }).click();
    await page.getByRole('heading', { name: 'First hearing', level: 1 }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'event-kind-page-1280');
    await page.setViewportSize(phone.viewport);
    await takePicture(window, 'event-kind-page-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Day', { exact: true }).fill('2092-03-18');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Event changed: First hearing.').waitFor();
    await page.goto(`/matters/${matter}`);
    const question = 'The event “Hearing” moved from Tue 11 Mar 2092 to Tue 18 Mar 2092';
    await page.getByRole('heading', { name: question }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'event-rule-moved-1280');
    await page.getByRole('button', { name: 'Move it' }).press('Enter');
    await page.getByText('Moved: 1 date of Moss v Lane.').waitFor();
    await page.goto('/settings/event-kinds');
    await page.getByRole('button', { name: 'Remove Hearing' }).click();
    const asks = page.getByRole('dialog', { name: 'Remove Hearing?' });
    await asks.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('counts from events of this kind').waitFor();
    await page.setViewportSize(phone.viewport);
    await expectAccessible(window);
    await takePicture(window, 'event-kinds-390');
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
