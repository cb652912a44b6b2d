/** What followers of events are told. */
import { expect } from 'bun:test';
import type { Sql } from 'postgres';
import type { Caller } from '../support/firm.ts';

export type Told = {
  id: string;
  type: string;
  timestamp: string;
  data: { id: string; resource: string; changed: string[] };
  request: { id: string; idempotencyKey: string | null } | null;
};

/** The cursor after all that is stored. Transactions of other tests may hold up its seals. */
export const cursorNow = async (sql: Sql, by: Caller): Promise<string> => {
  const firmId = (await by.get('/v1/me')).body.data.firm.id;
  for (;;) {
    await by.get('/v1/events');
    const [row] = await sql`
      select count(*)::int as count from audit_entry entry where firm_id = ${firmId} and not exists (
        select from audit_seal seal where seal.firm_id = ${firmId} and seal.entry_id = entry.id)`;
    if (row?.count === 0) return (await by.get('/v1/events')).body.cursor;
    await Bun.sleep(50);
  }
};

/** So many events after a cursor, however many answers they take. */
export const told = async (
  by: Caller,
  after: string,
  count: number,
  more = '',
): Promise<Told[]> => {
  const events: Told[] = [];
  let cursor = after;
  for (let calls = 0; events.length < count && calls < 50; calls += 1) {
    const { status, body } = await by.get(`/v1/events?after=${cursor}&wait=25${more}`);
    expect(status).toBe(200);
    events.push(...body.data);
    cursor = body.cursor;
  }
  return events;
};

/** Of each event its type, its record and what changed. */
export const inShort = (events: Told[]) =>
  events.map(({ type, data }) => [type, data.id, data.changed]);
