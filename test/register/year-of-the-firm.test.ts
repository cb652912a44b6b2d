import { expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';

test('a number carries the year and month of the firm’s own day', async () => {
  const databaseUrl = await ownDatabase();
  const clock = await takeClock(databaseUrl);
  const server = await startTestServer({ databaseUrl });
  const firm = await makeFirm(server, {
    numbering: { lead: 'L-{YYYY}-{MM}-{###}', matter: 'M-{YY}-{###}' },
  });
  const sql = connect(databaseUrl);
  await sql`update firm set time_zone = 'America/Los_Angeles' where id = ${firm.id}`;
  await sql.end();
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const numbers = async () => {
    const lead = await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    const matter = await firm.owner.post('/v1/matters', { practiceAreaId, openDate: '2026-12-31' });
    return [lead.body.data.publicId, matter.body.data.publicId];
  };
  // 23:30 on 31 December in Los Angeles; in UTC the new year is there already.
  await clock.standAt(Date.UTC(2027, 0, 1, 7, 30));
  expect(await numbers()).toEqual(['L-2026-12-001', 'M-26-001']);
  await clock.standAt(Date.UTC(2027, 0, 1, 8, 0));
  expect(await numbers()).toEqual(['L-2027-01-002', 'M-27-002']);
});
