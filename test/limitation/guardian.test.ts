/** Limitation dates give notice, by the clock of the firm: never missing, never twice. */
import { describe, expect, test } from 'bun:test';
import { attorney, bookkeeper, owner, startTestServer } from '../support/firm.ts';
import { dayBefore, firmIn, guardedDatabase, noticesOf, openMatter } from './guarded.ts';

const guarded = await guardedDatabase();
const { databaseUrl, sql, momentOf, put, settled } = guarded;
await guarded.clock.standAt(Date.UTC(2021, 0, 5, 12));
const server = await startTestServer({ databaseUrl });

const titles = async (...given: Parameters<typeof noticesOf>) =>
  (await noticesOf(...given)).map(({ title }) => title);

describe('A limitation date', () => {
  test('gives notice at each step, at seven in the morning of the firm, once to each', async () => {
    const day = '2021-12-15';
    const west = await firmIn(server, 'America/Los_Angeles');
    const east = await firmIn(server, 'Pacific/Kiritimati');
    const { id, publicId } = await openMatter(west, day);
    await openMatter(east, day);
    await settled();
    expect(await noticesOf(west, attorney)).toEqual([]);
    const expected: string[] = [];
    const ownersExpected: string[] = [];
    for (const step of [180, 90, 60, 30, 14, 7, 1]) {
      const [eastern, western] = [
        await momentOf(dayBefore(day, step), '07:00', 'Pacific/Kiritimati'),
        await momentOf(dayBefore(day, step), '07:00', 'America/Los_Angeles'),
      ];
      await put(eastern - 60_000);
      expect(await titles(east, attorney)).toEqual(expected);
      await put(eastern);
      const words = `Limitation date ${step === 1 ? 'tomorrow' : `in ${step} days`}`;
      expect(await titles(east, attorney)).toEqual([...expected, words]);
      await put(western - 60_000);
      expect(await titles(west, attorney)).toEqual(expected);
      expected.push(words);
      if (step <= 7) ownersExpected.push(words);
      await put(western);
      await put(western + 3_600_000);
      for (const firm of [west, east]) {
        expect(await titles(firm, attorney)).toEqual(expected);
        expect(await titles(firm, owner)).toEqual(ownersExpected);
        expect(await titles(firm, bookkeeper)).toEqual([]);
      }
    }
    expect((await noticesOf(west, attorney))[0]).toMatchObject({
      recordId: id,
      text: `Wed 15 Dec 2021: ${publicId} Quill v. Rook`,
    });
    // Past, it says no more: the pages show it.
    for (const days of [0, -1, -29])
      await put(await momentOf(dayBefore(day, days), '08:00', 'UTC'));
    expect(await titles(west, attorney)).toEqual(expected);
  });

  test('set near gives the nearest notice at once, also by a change; a moved one counts again', async () => {
    await put(Date.UTC(2022, 0, 5, 12));
    const firm = await firmIn(server, 'Europe/London');
    const { id } = await openMatter(firm, '2022-01-25');
    await settled();
    expect(await titles(firm, attorney)).toEqual(['Limitation date in 20 days']);
    expect(await titles(firm, owner)).toEqual([]);
    const change = async (body: object) => {
      expect((await firm.owner.patch(`/v1/matters/${id}`, body)).status).toBe(200);
      await settled();
    };
    await change({ title: 'Another' });
    await change({ solDate: '2022-01-25' });
    expect(await titles(firm, attorney)).toHaveLength(1);
    await change({ solDate: '2022-01-08' });
    expect((await titles(firm, attorney)).slice(1)).toEqual(['Limitation date in 3 days']);
    expect(await titles(firm, owner)).toEqual(['Limitation date in 3 days']);
    await change({ solDate: '2022-01-25' });
    await change({ solDate: null });
    await put(Date.UTC(2022, 0, 7, 12));
    expect(await titles(firm, attorney)).toHaveLength(2);
    const bare = await openMatter(firm, undefined, { team: [] });
    await firm.owner.patch(`/v1/matters/${bare.id}`, { solDate: '2022-06-01' });
    await settled();
    // Nobody answers for it: the owners are told from the first step on.
    expect((await titles(firm, owner)).slice(1)).toEqual(['Limitation date in 145 days']);
  });

  test('says nothing more once it is met, archived or deleted, and to whom has left', async () => {
    await put(Date.UTC(2023, 1, 1, 12));
    const firm = await firmIn(server, 'UTC');
    const [met, archived, removed, left, kept] = [
      await openMatter(firm, '2023-02-20'),
      await openMatter(firm, '2023-02-20'),
      await openMatter(firm, '2023-02-20'),
      await openMatter(firm, '2023-02-20'),
      await openMatter(firm, '2023-02-20', { title: 'Kept' }),
    ];
    await settled();
    expect(await titles(firm, attorney)).toHaveLength(5);
    await sql`update matter set limitation_met_on = '2023-02-01' where id = ${met.id}`;
    await firm.owner.patch(`/v1/matters/${archived.id}`, { status: 'ARCHIVE' });
    await firm.owner.delete(`/v1/matters/${removed.id}`);
    await sql`update matter_team set member_id = ${firm.members[owner] ?? ''} where matter_id = ${left.id}`;
    await put(Date.UTC(2023, 1, 6, 7));
    // The one of the deleted matter is gone from the inbox.
    expect(await titles(firm, attorney)).toHaveLength(5);
    expect((await noticesOf(firm, attorney)).filter(({ title }) => /14/.test(title))).toMatchObject(
      [{ recordId: kept.id }],
    );
    expect(await noticesOf(firm, owner)).toMatchObject([
      { recordId: left.id, title: 'Limitation date in 14 days' },
    ]);
    await firm.owner.patch(`/v1/matters/${archived.id}`, { status: 'ACTIVE' });
    await settled();
    expect((await noticesOf(firm, attorney)).at(-1)).toMatchObject({ recordId: archived.id });
  });

  test('after a standstill gives the nearest notice only, and obeys the switch', async () => {
    await put(Date.UTC(2024, 2, 1, 12));
    const firm = await firmIn(server, 'UTC');
    await openMatter(firm, '2024-09-30');
    await firm.command(['notify', 'set', '--member', owner, 'limitation.near', 'off']);
    await settled();
    await put(Date.UTC(2024, 8, 26, 3));
    expect(await titles(firm, attorney)).toEqual([]);
    await put(Date.UTC(2024, 8, 26, 7));
    expect(await titles(firm, attorney)).toEqual(['Limitation date in 4 days']);
    await put(Date.UTC(2024, 9, 2, 7));
    expect((await titles(firm, attorney)).slice(1)).toEqual(['Limitation date 2 days past']);
    expect(await titles(firm, owner)).toEqual([]);
  });

  test('of a firm that moves to another time zone is counted there', async () => {
    await put(Date.UTC(2025, 4, 1, 7));
    const firm = await firmIn(server, 'UTC');
    await openMatter(firm, '2025-08-09');
    await settled();
    await put(Date.UTC(2025, 4, 10, 12));
    expect(await titles(firm, attorney)).toEqual(['Limitation date in 100 days']);
    await sql`update firm set time_zone = 'Asia/Tokyo' where id = ${firm.id}`;
    await put(Date.UTC(2025, 4, 10, 12, 2));
    // 90 days before is 11 May: 07:00 in Tokyo is 22:00 of the day before in UTC.
    await put(Date.UTC(2025, 4, 10, 21, 59));
    expect(await titles(firm, attorney)).toHaveLength(1);
    await put(Date.UTC(2025, 4, 10, 22));
    expect((await titles(firm, attorney)).slice(1)).toEqual(['Limitation date in 90 days']);
  });
});
