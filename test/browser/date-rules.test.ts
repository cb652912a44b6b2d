/** The firm's rules for dates, as an owner writes them. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
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

describe.skipIf(!hasBrowser)('Date rules', () => {
  test('are written by keyboard, on a wide and a narrow screen, light and dark', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page } = window;
    await signIn(window, server, firm, owner);
    await page.goto('/settings/date-rules');
    await expectAccessible(window);
    await takePicture(window, 'date-rules-empty-1280');
    await page.getByRole('button', { name: 'New rule' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await page.keyboard.type('Limitation, personal injury');
    await page.keyboard.press('Tab');
    await page.keyboard.type('3');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Y');
    await takePicture(window, 'date-rules-new-1280');
    await expectAccessible(window);
    await page.getByLabel('If the day is not a working day').focus();
    await page.keyboard.type('The n');
    await page.keyboard.press('Tab');
    await page.getByRole('dialog').getByLabel('Name').press('Enter');
    await page.getByRole('heading', { name: 'Limitation, personal injury', level: 1 }).waitFor();
    // A day that is entered before the new page's script runs asks for nothing.
    await page.locator('html.scripted').waitFor();
    await page.getByLabel('Opening day', { exact: true }).fill('2024-03-14');
    const said = '3 years from Thu 14 Mar 2024 = Sun 14 Mar 2027 → Mon 15 Mar 2027';
    await page.getByText(said).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'date-rules-one-1280');
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const body = { practiceAreaId, openDate: '2088-03-14', title: 'Moss v Lane' };
    const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
    await page.goto(`/matters/${matter}`);
    await page.getByRole('button', { name: 'More actions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Add dates by rule' }).press('Enter');
    await page.getByText('3 years from Sun 14 Mar 2088 = Wed 14 Mar 2091.').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'dates-by-rule-1280');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(phone.viewport);
    await expectAccessible(window);
    await takePicture(window, 'dates-by-rule-light-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Add dates' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Added 1 date to Moss v Lane.').waitFor();
    await takePicture(window, 'dates-by-rule-added-1280');
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Removed: 1 date of Moss v Lane.').waitFor();
    await page.goto('/settings/date-rules');
    await page.getByRole('link', { name: 'Limitation, personal injury' }).click();
    await page.getByLabel('How many').fill('many');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').first().waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(window);
    await takePicture(window, 'date-rules-refused-dark-1280');
    await page.setViewportSize(phone.viewport);
    await page.goto('/settings/date-rules');
    await expectAccessible(window);
    await takePicture(window, 'date-rules-dark-390');
    await page.getByRole('link', { name: 'Limitation, personal injury' }).click();
    await page.getByRole('button', { name: 'Delete rule' }).first().waitFor();
    await takePicture(window, 'date-rules-one-dark-390');
    await page.getByRole('button', { name: 'Delete rule' }).first().focus();
    await page.keyboard.press('Enter');
    const asks = page.getByRole('dialog', { name: 'Delete rule Limitation, personal injury?' });
    await asks.getByText('Nobody can add the rule to a matter any more.').waitFor();
    await asks.getByRole('button', { name: 'Delete rule' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('There is no date rule yet.').waitFor();
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  test('count from a field of matters, and say so when it is empty and when it was removed', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page } = window;
    await signIn(window, server, firm, owner);
    const ada = await memberBrowser(server, firm, owner);
    await ada.send('/settings/fields', { appliesTo: 'MATTER', name: 'Served on', type: 'DATE' });
    await page.goto('/settings/date-rules?do=new-rule');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Answer is due');
    await dialog.getByLabel('How many').fill('21');
    await dialog.getByLabel('Counted from').selectOption({ label: 'Served on' });
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'Answer is due', level: 1 }).waitFor();
    await page.locator('html.scripted').waitFor();
    await page.getByLabel('Served on', { exact: true }).fill('2092-03-03');
    await page.getByText('21 days from Mon 3 Mar 2092 = Mon 24 Mar 2092').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'field-rule-1280');
    const body = {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2088-03-14',
      title: 'Moss v Lane',
    };
    const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
    await page.goto(`/matters/${matter}/rules`);
    await page.getByText('the matter’s field “Served on” is empty.').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'field-rule-empty-1280');
    const serve = (day: string) =>
      firm.owner.patch(`/v1/matters/${matter}`, { customFields: { 'Served on': day } });
    await serve('2092-03-03');
    await page.getByRole('button', { name: 'Add dates' }).click();
    await page.getByText('Added 1 date to Moss v Lane.').waitFor();
    await serve('2092-03-10');
    const question = '“Served on” moved from Mon 3 Mar 2092 to Mon 10 Mar 2092';
    await page.getByRole('heading', { name: question }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'field-rule-moved-1280');
    await page.getByRole('button', { name: 'Move it' }).press('Enter');
    await page.getByText('Moved: 1 date of Moss v Lane.').waitFor();
    await page.goto('/settings/fields');
    await page.getByRole('link', { name: 'Served on' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('1 date rule counts from it: Answer is due.').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'field-rule-remove-1280');
    await dialog.getByRole('button', { name: 'Remove field' }).click();
    await page.getByRole('heading', { name: 'Custom fields', level: 1 }).waitFor();
    await page.goto('/settings/date-rules');
    await page.getByRole('link', { name: 'Answer is due' }).click();
    await page.getByText('The field that this rule counts from was removed.').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takePicture(window, `field-rule-gone-${colorScheme}-1280`);
      await page.setViewportSize(phone.viewport);
      await takePicture(window, `field-rule-gone-${colorScheme}-390`);
      await expectAccessible(window);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
