/** The server is killed while it changes many leads, and again while it takes that back. */
import { expect, test } from 'bun:test';
import { connect, ownDatabase } from '../../support/database.ts';
import { makeFirm, owner } from '../../support/firm.ts';
import { checkRows, untilSaid, uploadCsv } from '../../support/imports.ts';
import { freePort, startInstance } from '../../support/instances.ts';
import { visitorOf } from '../../support/visitor.ts';

const all = 1_500;
const csv = `Last name,Email\n${Array.from({ length: all }, (_, at) => `Person ${at},p${at}@mail.example`).join('\n')}`;

test('A change of 1,500 leads goes on after a kill: each once, none lost; so does its undo, without what a colleague changed', async () => {
  const databaseUrl = await ownDatabase();
  const port = await freePort();
  let instance = await startInstance(databaseUrl, { port });
  const firm = await makeFirm({ url: instance.url, databaseUrl });
  const ada = await visitorOf({ url: instance.url, databaseUrl }, firm, owner);
  const sql = connect(databaseUrl);
  const restart = async () => {
    await instance.kill();
    instance = await startInstance(databaseUrl, { port });
  };
  const path = await uploadCsv(ada, 'lead', csv);
  await checkRows(ada, path);
  await ada.post(`${path}/begin`);
  await untilSaid(ada, path, 'Imported.');

  type Bulk = { id: string; requestId: string; done: number; looked: number };
  const bulk = async () => {
    const [found] = await sql<Bulk[]>`
      select id::text as id, request_id as "requestId", (counts->>'done')::int as done,
        (counts->>'looked')::int as looked from bulk_change where firm_id = ${firm.id}`;
    return found;
  };
  /** Waits until some of it is done, and kills the server in the middle. */
  const killInTheMiddle = async (doneOf: (found: Bulk) => number) => {
    for (let done = 0; done === 0; ) {
      const found = await bulk();
      done = found ? doneOf(found) : 0;
      if (done === all) throw new Error('It ended before the server was killed.');
    }
    await restart();
  };
  const statuses = () => sql<{ status: string; count: number }[]>`
    select status, count(*)::int as count from lead where firm_id = ${firm.id}
    group by status order by status`;

  const sent = { do: 'all-status:ARCHIVE', every: String(all) };
  const archiving = await ada.post('/leads?view=list&sort=age', sent);
  await killInTheMiddle(({ done }) => done);
  const { id = '', requestId = '' } = (await bulk()) ?? {};
  const page = `/bulk/${id}`;
  const to = `${page}?${new URLSearchParams({ to: '/leads?view=list&sort=age' })}`;
  // A job does it from its beginning. Without a script, a link renews the page.
  expect([archiving.status, archiving.location]).toEqual([303, to]);
  expect((await ada.get(to)).text).toMatch(/of 1,500 leads done\./);
  await untilSaid(ada, page, 'Archived 1,500 leads.');
  expect([...(await statuses())]).toEqual([{ status: 'ARCHIVE', count: all }]);
  const [entries] = await sql<{ count: number; leads: number }[]>`
    select count(*)::int as count, count(distinct record_id)::int as leads from audit_entry
    where firm_id = ${firm.id} and record_kind = 'lead' and request_id = ${requestId}`;
  expect(entries).toEqual({ count: all, leads: all });

  const [colleagues] = await sql<{ id: string }[]>`
    select id::text as id from lead where firm_id = ${firm.id} order by ordinal desc limit 1`;
  await ada.post(`/leads/${colleagues?.id}/status`, { status: 'DRAFT' });
  const undoing = await ada.post(`${page}/undo`);
  expect(undoing.location).toBe(`${page}?${new URLSearchParams({ to: '/leads?view=list' })}`);
  await killInTheMiddle(({ looked }) => looked);
  await untilSaid(ada, page, 'Undone for 1,499 of 1,500 leads: the other was changed since.');
  expect([...(await statuses())]).toEqual([
    { status: 'ACTIVE', count: all - 1 },
    { status: 'DRAFT', count: 1 },
  ]);
});
