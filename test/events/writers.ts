/** Twenty writers and one who follows what they do, while servers or Postgres are killed. */
import { expect } from 'bun:test';
import { connect } from '../support/database.ts';
import { attorney, caller, makeFirm } from '../support/firm.ts';
import { insistently } from '../support/killed-instances.ts';

const writers = 20;

/**
 * Makes leads, every fifth of them hidden from the follower, while `during` kills. Then the follower
 * must have heard of each visible one once, in the order of the log, and of no hidden one.
 */
export const writeAndFollow = async (
  databaseUrl: string,
  anyUrl: () => string,
  each: number,
  during: (work: () => Promise<void>) => Promise<void>,
) => {
  const firm = await makeFirm({ url: anyUrl(), databaseUrl });
  const ben = await firm.callerOf(attorney);
  const at = (key: string) => caller(anyUrl(), key);
  const first = await insistently(() => at(ben.key).get('/v1/events'));
  const made = new Set<string>();
  const hidden = new Set<string>();
  let isSealed = false;

  const write = async (writer: number) => {
    for (let count = 0; count < each; count += 1) {
      const isPrivate = count % 5 === 4;
      const key = { 'idempotency-key': `${writer} ${count}` };
      const body = { lastName: `Quill ${writer}`, isPrivate };
      const answer = await insistently(() => at(firm.owner.key).post('/v1/leads', body, key));
      expect(answer.status).toBe(201);
      (isPrivate ? hidden : made).add(answer.body.data.id);
    }
  };

  const told: string[] = [];
  const events = new Set<string>();
  const follow = async () => {
    let cursor = first.body.cursor as string;
    for (let isLast = false; ; ) {
      const path = `/v1/events?after=${cursor}&types=lead.created&wait=2&limit=50`;
      const { status, body } = await insistently(() => at(ben.key).get(path));
      expect(status).toBe(200);
      for (const event of body.data) {
        told.push(event.data.id);
        events.add(event.id);
      }
      cursor = body.cursor;
      if (isLast && body.data.length === 0 && !body.hasMore) return;
      isLast = isSealed;
    }
  };

  const following = follow();
  await during(async () => {
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  });
  const sql = connect(databaseUrl);
  // A transaction that is open anywhere in the cluster, as of another test, keeps the log unsealed.
  for (let left = 1; left > 0; ) {
    const [log] = await sql`
      select count(*)::int as unsealed from audit_entry entry where entry.firm_id = ${firm.id}
        and not exists (select from audit_seal seal
          where seal.firm_id = entry.firm_id and seal.entry_id = entry.id)`;
    left = log?.unsealed;
    if (left > 0) await Bun.sleep(100);
  }
  isSealed = true;
  await following;
  expect(told.length).toBe(new Set(told).size);
  expect(events.size).toBe(told.length);
  expect(new Set(told)).toEqual(made);
  expect(told.filter((id) => hidden.has(id))).toEqual([]);
  const rows = await sql`
    select entry.record_id from audit_seal seal
    join audit_entry entry on entry.firm_id = seal.firm_id and entry.id = seal.entry_id
    join lead on lead.firm_id = entry.firm_id and lead.id = entry.record_id
    where seal.firm_id = ${firm.id} and entry.record_kind = 'lead' and entry.action = 'create'
      and not lead.is_private
    order by seal.seal_number`;
  await sql.end();
  expect(told).toEqual(rows.map((row) => row.record_id));
};
