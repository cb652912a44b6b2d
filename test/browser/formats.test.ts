import { describe, expect, test } from 'bun:test';
import { whenWords } from '../../src/app/moments.tsx';
import {
  expectAccessible,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { bringIn, checkRows, uploadCsv } from '../support/imports.ts';
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

describe('A moment in a sentence', () => {
  const now = new Date('2026-12-16T12:00:00Z');
  const as = {
    timeZone: 'UTC',
    formats: { clock: '24', dayOrder: 'DMY', weekStart: 'MONDAY' },
  } as const;
  const twelve = {
    timeZone: 'UTC',
    formats: { ...as.formats, clock: '12', dayOrder: 'MDY' },
  } as const;

  test('is so long ago, at an hour, or on a day', () => {
    for (const [at, words, inTwelve] of [
      ['2026-12-16T11:59:30Z', 'just now', 'just now'],
      ['2026-12-16T11:58:30Z', 'a minute ago', 'a minute ago'],
      ['2026-12-16T11:45:00Z', '15 minutes ago', '15 minutes ago'],
      ['2026-12-16T07:00:00Z', 'at 07:00', 'at 7:00 AM'],
      ['2026-12-14T16:55:00Z', 'on Mon at 16:55', 'on Mon at 4:55 PM'],
      ['2026-11-24T16:55:00Z', 'on Tue 24 Nov', 'on Tue Nov 24'],
      ['2024-06-12T16:55:00Z', 'on 12 Jun 2024', 'on Jun 12, 2024'],
      // A clock may be behind.
      ['2026-12-16T12:01:00Z', 'at 12:01', 'at 12:01 PM'],
    ] as const) {
      expect(whenWords(new Date(at), as, now), at).toBe(words);
      expect(whenWords(new Date(at), twelve, now), at).toBe(inTwelve);
    }
    expect(whenWords(new Date('2026-11-24T16:55:00Z'), as, now, true)).toBe(
      'on Tue 24 Nov at 16:55',
    );
  });
});

describe.skipIf(!hasBrowser)('Days and times', () => {
  test('in sentences say "ago": of a feed link, and of imports, of the first one and of the next', async () => {
    const firm = await makeFirm(server);
    const sql = connect(server.databaseUrl);
    const visitor = await visitorOf(server, firm, owner);
    const window = await openWindow(server.url);
    await signIn(window, server, firm, owner);
    const { page, complaints } = window;
    for (const minutes of [15, 0]) {
      expect((await visitor.post('/settings/me/feed')).status).toBe(200);
      await sql`update calendar_feed set created_at = created_at - make_interval(mins => ${minutes})
        where firm_id = ${firm.id}`;
      await page.goto('/settings/me#feed');
      const words = minutes === 0 ? 'just now' : '15 minutes ago';
      await page.getByText(`The feed link was created ${words}. Not used yet.`).waitFor();
      if (minutes > 0) await takePicture(window, 'moments-feed-1280');
      const row = `Zoe ${minutes},zoe${minutes}@quill.example`;
      const path = await uploadCsv(visitor, 'contact', `first_name,email_address\n${row}`);
      await checkRows(visitor, path);
      await bringIn(visitor, path);
      await sql`update data_import set imported_at = imported_at - make_interval(mins => ${minutes})
        where firm_id = ${firm.id} and id = ${path.split('/').at(-1) ?? ''}`;
      await page.goto(path);
      await page.getByText(`1 contact imported ${words}. You can undo this`).waitFor();
      if (minutes > 0) {
        await page.setViewportSize(phone.viewport);
        await takePicture(window, 'moments-import-390');
        await page.setViewportSize({ width: 1280, height: 800 });
      }
    }
    await sql.end();
    await window.close();
    expect(complaints).toEqual([]);
  });

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
