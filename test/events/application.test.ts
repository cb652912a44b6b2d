/** What people do in the application is told as the contract says: decisions by their names, who is on a record as its own change. */
import { afterAll, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { matterFor } from '../support/samples.ts';
import { visitorOf } from '../support/visitor.ts';
import { cursorNow, inShort, told } from './told.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
afterAll(() => sql.end());

const firm = await makeFirm(server);
const ada = await visitorOf(server, firm, owner);
const ben = firm.members[attorney] ?? '';

const newLead = async () => (await firm.owner.post('/v1/leads', { lastName: 'Roe' })).body.data;

/** What happened to leads and matters while `work` was done, from the cursor before it. */
const during = async (count: number, work: () => Promise<void>) => {
  const cursor = await cursorNow(sql, firm.owner);
  await work();
  const types = ['lead.updated', 'lead.hired', 'lead.not_hired', 'lead.archived'];
  const all = [...types, 'matter.updated', 'matter.archived', 'practice_area.updated'];
  return inShort(await told(firm.owner, cursor, count, `&types=${all}`));
};

const send = async (path: string, fields: Record<string, string>) =>
  expect([path, (await ada.post(path, fields)).status]).toEqual([path, 303]);

test('a lead that is hired, turned down, archived or given to somebody', async () => {
  const [hired, down, archived, given] = [
    ...[await newLead(), await newLead(), await newLead(), await newLead()],
  ];
  const [reason] =
    await sql`select id::text as id from not_hired_reason where firm_id = ${firm.id} limit 1`;
  const practiceAreaId = firm.practiceAreas.Family?.id ?? '';
  const events = await during(4, async () => {
    await send(`/leads/${hired.id}/hire`, {
      ...{ practiceAreaId, openDate: '2026-03-14', client: hired.contact.id, title: 'Roe' },
    });
    await send(`/leads/${down.id}/not-hired`, { reasonId: reason?.id ?? '' });
    await send(`/leads/${archived.id}/status`, { status: 'ARCHIVE' });
    await send(`/leads/${given.id}/assignees`, { assigneeIds: ben });
  });
  expect(events.map(([type, id]) => [type, id])).toEqual([
    ['lead.hired', hired.id],
    ['lead.not_hired', down.id],
    ['lead.archived', archived.id],
    ['lead.updated', given.id],
  ]);
  expect(events[3]?.[2]).toEqual(['assignees']);
});

test('the clients and the team of a matter, and the stages of a practice area', async () => {
  const matter = await matterFor(firm);
  const client = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
  const area = firm.practiceAreas.Family?.id ?? '';
  const { stages } = (await firm.owner.get(`/v1/practice-areas/${area}`)).body.data;
  const events = await during(3, async () => {
    await send(`/matters/${matter}/clients`, { clientContactIds: client });
    await send(`/matters/${matter}/team`, {
      ...{ 'team[0].memberId': ben, 'team[0].role': 'RESPONSIBLE_ATTORNEY' },
    });
    const more = { stages: [...stages, { name: 'Appeal' }] };
    expect((await firm.owner.patch(`/v1/practice-areas/${area}`, more)).status).toBe(200);
  });
  expect(events).toEqual([
    ['matter.updated', matter, ['clients']],
    ['matter.updated', matter, ['team']],
    ['practice_area.updated', area, ['stages']],
  ]);
});

test('who gets another role while they wait hears of what that may read, and of nothing else', async () => {
  const own = await makeFirm(server);
  const follower = await own.callerOf(attorney);
  const cursor = await cursorNow(sql, follower);
  const answer = follower.get(`/v1/events?after=${cursor}&wait=25`);
  await own.command(['member', 'role', attorney, 'Bookkeeper']);
  const lead = (await own.owner.post('/v1/leads', { lastName: 'Roe' })).body.data;
  // A bookkeeper reads contacts, and no leads.
  for (const { data } of (await answer).body.data) expect(data.resource).toBe('contacts');
  const later = await told(follower, cursor, 1);
  expect(inShort(later)).toEqual([['contact.created', lead.contact.id, []]]);
  await own.command(['member', 'role', attorney, 'Attorney']);
  const all = await told(follower, cursor, 2);
  expect(all.map(({ data }) => data.id)).toEqual([lead.contact.id, lead.id]);
});
