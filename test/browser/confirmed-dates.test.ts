/** Dates by rule that a second person confirms, as they are read and confirmed. */
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
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { addRuledDates, makeRules } from '../support/ruled-dates.ts';

const server = await startTestServer();

describe.skipIf(!hasBrowser)('Dates that a second person confirms', () => {
  test('are confirmed by keyboard, on a wide and a narrow screen, light and dark', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    const { page } = window;
    await signIn(window, server, firm, owner);
    await page.goto('/settings/date-rules?do=new-rule');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Issue the claim');
    await dialog.getByLabel('How many').fill('8');
    await dialog.getByLabel('Unit').selectOption('workingDays');
    await dialog.getByLabel('Before or after').selectOption('before');
    await dialog.getByLabel('Counted from').selectOption('limitation');
    await dialog.getByLabel('A second person confirms its dates').check();
    await takePicture(window, 'confirmed-dates-rule-1280');
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'Issue the claim', level: 1 }).waitFor();
    expect(await page.getByLabel('A second person confirms its dates').isChecked()).toBe(true);
    // A colleague has the dates of a matter counted, and this window's member is on its team.
    const ben = await memberBrowser(server, firm, attorney);
    const ada = await memberBrowser(server, firm, owner);
    const body = {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2088-03-14',
      solDate: '2092-12-16',
      title: 'Moss v Lane',
      team: [{ memberId: firm.members[owner] }],
    };
    const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
    const other = { name: 'Draft the claim', amount: '1', unit: 'months', direction: 'before' };
    await makeRules(ada, [
      {
        ...other,
        trigger: 'limitation',
        rolling: 'last',
        practiceAreaId: '',
        makes: 'event',
        needsConfirmation: 'on',
      },
    ]);
    await addRuledDates(ben, matter, firm.members[owner]);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Dates to confirm' }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'confirmed-dates-home-1280');
    await page.goto('/tasks');
    await page.getByText('Not confirmed').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'confirmed-dates-tasks-1280');
    await page.setViewportSize(phone.viewport);
    await takePicture(window, 'confirmed-dates-tasks-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const view of ['month', 'week', 'agenda']) {
      await page.goto(`/calendar?whose=all&view=${view}&day=2092-11-14`);
      await page.getByText('Not confirmed').filter({ visible: true }).first().waitFor();
      await page.emulateMedia({ colorScheme: 'light' });
      await takePicture(window, `confirmed-dates-${view}-1280`);
      await expectAccessible(window);
      await page.setViewportSize(phone.viewport);
      await takePicture(window, `confirmed-dates-${view}-dark-390`);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await page.goto(`/matters/${matter}`);
    await page.getByRole('heading', { name: '2 dates are not confirmed' }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'confirmed-dates-1280');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(window);
    await takePicture(window, 'confirmed-dates-dark-1280');
    await page.setViewportSize(phone.viewport);
    await expectAccessible(window);
    await takePicture(window, 'confirmed-dates-dark-390');
    await page.emulateMedia({ colorScheme: 'light' });
    await takePicture(window, 'confirmed-dates-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    // Who counted them reads on both pages why there is no button.
    const ofBen = await openWindow(server.url);
    await signIn(ofBen, server, firm, attorney);
    await ofBen.page.goto(`/matters/${matter}`);
    await ofBen.page.getByRole('heading', { name: '2 dates are not confirmed' }).waitFor();
    const why = ofBen.page.getByText('You counted it, so somebody else has to confirm it.');
    expect(await why.count()).toBe(2);
    await takePicture(ofBen, 'confirmed-dates-own-1280');
    await ofBen.page.locator('#tasks').getByRole('link', { name: 'Issue the claim' }).click();
    await why.waitFor();
    await takePicture(ofBen, 'confirmed-dates-own-task-1280');
    await ofBen.page.setViewportSize(phone.viewport);
    await takePicture(ofBen, 'confirmed-dates-own-task-390');
    await ofBen.page.emulateMedia({ colorScheme: 'dark' });
    await takePicture(ofBen, 'confirmed-dates-own-task-dark-390');
    expect(await ofBen.page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
    await expectAccessible(ofBen);
    expect(ofBen.complaints).toEqual([]);
    await ofBen.close();
    await page.getByRole('button', { name: 'Confirm: Draft the claim' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Confirmed: Draft the claim,').waitFor();
    await page.getByRole('heading', { name: '1 date is not confirmed' }).waitFor();
    await page.locator('#tasks').getByRole('link', { name: 'Issue the claim' }).click();
    await page.getByRole('heading', { name: 'Not confirmed' }).waitFor();
    await expectAccessible(window);
    await takePicture(window, 'confirmed-dates-task-1280');
    await page.setViewportSize(phone.viewport);
    await takePicture(window, 'confirmed-dates-task-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Confirmed by Ada Harrow' }).waitFor();
    // It stays while it has the focus.
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.focus();
    await expectAccessible(window);
    await takePicture(window, 'confirmed-dates-done-1280');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(window);
    await undo.press('Enter');
    await page.getByRole('heading', { name: 'Not confirmed' }).waitFor();
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
