import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  hasBrowser,
  phone,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startTestServer();

const choose = async ({ page }: Watched, chosen: Record<string, string>) => {
  const panel = page.getByRole('region', { name: 'Dates and times' });
  for (const [label, option] of Object.entries(chosen)) {
    await panel.getByLabel(label).selectOption({ label: option });
  }
  await panel.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').filter({ hasText: 'dates and times are changed.' }).waitFor();
};

/** What a member sees of one event and one limitation date. */
const seenBy = async ({ page }: Watched) => {
  await page.goto('/calendar?view=week&whose=all&day=2026-12-16');
  const first = await page.getByRole('columnheader').nth(1).textContent();
  const event = await page
    .getByRole('link', { name: /Signing/ })
    .locator('b')
    .textContent();
  const [hour] = await page.getByRole('rowheader').filter({ hasText: /8/ }).allTextContents();
  await page.goto('/matters?view=list');
  const limitation = await page.locator('.due .on').first().textContent();
  return { first, event: event?.trim(), hour, limitation };
};

describe.skipIf(!hasBrowser)('Days and times', () => {
  test('are written as the firm chose, and for a member as they chose; nobody else’s change', async () => {
    const firm = await makeFirm(server);
    const { publicId } = (
      await firm.owner.post('/v1/matters', {
        ...{ title: 'Quill v. Rook', openDate: '2026-01-01', solDate: '2027-09-01' },
        practiceAreaId: firm.practiceAreas.Family?.id,
      })
    ).body.data;
    const at = { day: '2026-12-16', lastDay: '', begins: '14:30', ends: '15:30', guests: '' };
    const visitor = await visitorOf(server, firm, owner);
    await visitor.post('/calendar/new', { matter: publicId, title: 'Signing', ...at });
    const windowOf = windowsAt(server, () => firm);
    const [ada, ben] = [await windowOf(owner), await windowOf(attorney)];

    const british = {
      first: 'Mon 14',
      event: '14:30',
      hour: '08:00',
      limitation: '1 Sep 2027',
    };
    expect(await seenBy(ben)).toEqual(british);
    await ada.page.goto('/settings/firm');
    await expectAccessible(ada);
    await choose(ada, {
      'Date format': 'Dec 15, 2026',
      Clock: '12 hours: 2:30 PM',
      'First day of the week': 'Sunday',
    });
    const american = {
      first: 'Sun 13',
      event: '2:30 PM',
      hour: '8 AM',
      limitation: 'Sep 1, 2027',
    };
    expect(await seenBy(ada)).toEqual(american);
    expect(await seenBy(ben)).toEqual(american);

    await ben.page.goto('/settings/me');
    await expectAccessible(ben);
    const clock = ben.page.getByLabel('Clock');
    expect(await clock.locator('option:checked').textContent()).toBe(
      'Same as the firm (12 hours: 2:30 PM)',
    );
    await choose(ben, { Clock: '24 hours: 14:30', 'Date format': '2026-12-15' });
    expect(await seenBy(ben)).toEqual({
      first: 'Sun 13',
      event: '14:30',
      hour: '08:00',
      limitation: '2027-09-01',
    });
    expect(await seenBy(ada)).toEqual(american);
    // A second press takes the choice back.
    await ben.page.goto('/settings/me');
    await takePicture(ben, 'my-settings-formats');
    await choose(ben, {
      Clock: 'Same as the firm (12 hours: 2:30 PM)',
      'Date format': 'Same as the firm (Dec 15, 2026)',
    });
    expect(await seenBy(ben)).toEqual(american);
    await ada.page.goto('/settings/audit');
    await ada.page.getByText('First day of the week').first().waitFor({ state: 'attached' });
    await ben.page.setViewportSize(phone.viewport);
    await ben.page.goto('/settings/me#formats');
    await expectAccessible(ben);
    await takePicture(ben, 'my-settings-formats-390');
    expect([...ada.complaints, ...ben.complaints]).toEqual([]);
    await ada.close();
    await ben.close();
  });
});
