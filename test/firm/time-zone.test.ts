/** The firm's time zone at the terminal: in the blueprint, shown, and set. */
import { describe, expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { ownDatabase, sharedDatabase } from '../support/database.ts';
import { auditOf } from '../support/expectations.ts';
import { type Firm, makeFirm, owner, startTestServer, usualBlueprint } from '../support/firm.ts';
import { expectSentence, run, runJson } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const onDatabase = { url: '', databaseUrl };
const newName = () => `Firm ${Bun.randomUUIDv7()}`;

const apply = (blueprint: object) =>
  run(databaseUrl, ['firm', 'apply', '-', '--another'], JSON.stringify(blueprint));

type Shown = { firm: { id: string; name: string; timeZone: string } };
type Zone = { id: string; name: string; timeZone: string };

const zoneChanges = async (firm: Firm) => {
  const entries = await auditOf(firm, firm.id);
  return entries.flatMap(({ changes }) => (changes.timeZone ? [changes.timeZone] : []));
};

describe('timeZone in a blueprint', () => {
  test('is the zone of a new firm; without it the firm gets UTC, and the terminal says so', async () => {
    const name = newName();
    const ran = await apply({ ...usualBlueprint, name, timeZone: ' America/New_York ' });
    expect(ran).toMatchObject({ exitCode: 0, err: '' });
    expect(ran.out).toContain('Its time zone is America/New_York.');
    const without = await apply({ ...usualBlueprint, name: newName() });
    expect(without.out).toContain('Its time zone is UTC.');
  });

  test('changes the zone of a firm that exists; a blueprint without it leaves the zone alone', async () => {
    const firm = await makeFirm(onDatabase, { timeZone: 'Europe/Berlin' });
    const shown = async () => (await firm.command<Shown>(['firm', 'show'])).firm.timeZone;
    expect(await shown()).toBe('Europe/Berlin');
    await firm.reapply({});
    expect(await shown()).toBe('Europe/Berlin');
    await firm.reapply({ timeZone: 'Asia/Tokyo' });
    expect(await shown()).toBe('Asia/Tokyo');
    expect(await zoneChanges(firm)).toEqual([
      { before: null, after: 'Europe/Berlin' },
      { before: 'Europe/Berlin', after: 'Asia/Tokyo' },
    ]);
  });

  test('that is none is refused with what may be meant, and nothing is made', async () => {
    const name = newName();
    for (const [timeZone, words] of [
      ['America/NewYork', 'Did you mean America/New_York?'],
      ['new york', 'Did you mean America/New_York?'],
      ['europe/berlin', 'Did you mean Europe/Berlin?'],
      ['Nowhere', 'time zone. Names are like America/New_York'],
      ['+05:00', 'time zone. Names are like America/New_York'],
    ] as const) {
      const ran = await apply({ ...usualBlueprint, name, timeZone });
      expectSentence(ran, 'timeZone must be the name of a time zone.');
      expect(ran.err).toContain(words);
    }
    expectSentence(await apply({ ...usualBlueprint, name, timeZone: 5 }), 'timeZone must be');
    const firms = await runJson<{ name: string }[]>(databaseUrl, ['firm', 'list']);
    expect(firms.map((one) => one.name)).not.toContain(name);
  });

  test('that is written otherwise is a misspelled part, not an ignored one', async () => {
    const ran = await apply({ ...usualBlueprint, name: newName(), timezone: 'America/New_York' });
    expectSentence(ran, 'did you mean `timeZone`?');
  });
});

describe('firm show and firm zone', () => {
  test('firm show says the zone; what `firm apply --json` prints stays as it was', async () => {
    const name = newName();
    const ran = await run(
      databaseUrl,
      ['firm', 'apply', '-', '--another', '--json'],
      JSON.stringify({ ...usualBlueprint, name, timeZone: 'America/Denver' }),
    );
    const standing = JSON.parse(ran.out);
    expect(standing.firm).toEqual({ id: expect.any(String), name });
    const words = ['firm', 'show', '--firm', standing.firm.id];
    expect((await run(databaseUrl, words)).out).toContain('Time zone: America/Denver');
    expect(await runJson<Shown>(databaseUrl, words)).toEqual({
      ...standing,
      firm: { ...standing.firm, timeZone: 'America/Denver' },
    });
  });

  test('firm zone shows the zone, and sets another; the audit log has the change', async () => {
    const firm = await makeFirm(onDatabase);
    const of = (timeZone: string): Zone => ({ ...firm.firm, timeZone });
    expect(await firm.command<Zone>(['firm', 'zone'])).toEqual(of('UTC'));
    expect(await firm.command<Zone>(['firm', 'zone', 'America/Chicago'])).toEqual(
      of('America/Chicago'),
    );
    expect(await firm.command<Zone>(['firm', 'zone'])).toEqual(of('America/Chicago'));
    const text = await run(databaseUrl, ['firm', 'zone', 'America/Chicago', '--firm', firm.id]);
    expect(text.out).toContain('begin at midnight in America/Chicago.');
    expect(await zoneChanges(firm)).toEqual([
      { before: null, after: 'UTC' },
      { before: 'UTC', after: 'America/Chicago' },
    ]);
  });

  test('a zone that is none is wrong usage, said before the database is asked', async () => {
    for (const url of [databaseUrl, 'postgres://nobody@127.0.0.1:1/none']) {
      const ran = await run(url, ['firm', 'zone', 'Chicago/America']);
      expectSentence(ran, 'zone must be the name of a time zone.', 2);
      expect((await run(url, ['firm', 'zone', 'Chicgo'])).err).toContain(
        'Did you mean America/Chicago?',
      );
    }
  });

  test('the numbers that follow carry the year of the new zone', async () => {
    const own = await ownDatabase();
    const clock = await takeClock(own);
    const server = await startTestServer({ databaseUrl: own });
    // In Los Angeles it is still 2026.
    await clock.standAt(Date.UTC(2027, 0, 1, 7, 30));
    const firm = await makeFirm(server, {
      timeZone: 'America/Los_Angeles',
      members: [{ email: owner, name: 'Ada Harrow', role: 'Owner' }],
      numbering: { lead: 'L-{YYYY}-{##}' },
    });
    const made = async () => (await firm.owner.post('/v1/leads', { lastName: 'Q' })).body.data;
    expect((await made()).publicId).toBe('L-2026-01');
    await firm.command(['firm', 'zone', 'UTC']);
    expect((await made()).publicId).toBe('L-2027-02');
  });
});
