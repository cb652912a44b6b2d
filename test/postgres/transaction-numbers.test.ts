/**
 * Audit entries are sealed in the order of their transactions' numbers, also in a database whose
 * entries come from another cluster, where those numbers were higher.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { readSettings } from '../../src/config.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { countUnsealed, sealAll, tamper } from '../support/chain.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { makeFirm, owner } from '../support/firm.ts';
import { runJson } from '../support/terminal.ts';

const start = (databaseUrl: string) =>
  migrate(readSettings({ DATABASE_URL: databaseUrl }).database ?? '');

/** A firm whose entries, none of them sealed yet, look as if they came from a cluster that counted far further. */
const firmFromElsewhere = async (counted: number) => {
  const databaseUrl = await ownDatabase();
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  const firm = await makeFirm({ url: '', databaseUrl });
  await tamper(
    sql,
    (transaction) =>
      transaction`update audit_entry set xid = (xid::text::bigint + ${counted}::bigint)::text::xid8`,
  );
  const bounds = async () => {
    const [row] = await sql`select min(xid::text::bigint)::float8 as lowest,
      max(xid::text::bigint)::float8 as highest, count(*)::int as count from audit_entry`;
    return row as { lowest: number; highest: number; count: number };
  };
  return { databaseUrl, sql, firm, bounds };
};

type Verified = {
  firms: { firmId: string; sealed: number; unsealed: number; firstBad: unknown }[];
};

const expectAllSealed = async (databaseUrl: string, count: number) => {
  const { firms } = await runJson<Verified>(databaseUrl, ['audit', 'verify']);
  expect(firms.map(({ sealed, unsealed, firstBad }) => ({ sealed, unsealed, firstBad }))).toEqual([
    { sealed: count, unsealed: 0, firstBad: null },
  ]);
};

const makeKey = (databaseUrl: string, firmId: string) =>
  runJson(databaseUrl, [
    ...['key', 'create', '--firm', firmId, '--member', owner],
    ...['--scope', 'leads:read'],
  ]);

describe('A database that was moved to another cluster', () => {
  test('seals what came along, and what is written from then on, behind it', async () => {
    const { databaseUrl, firm, bounds } = await firmFromElsewhere(5_000_000_000);
    const before = await bounds();
    expect(await countUnsealed(databaseUrl)).toBe(before.count);
    await start(databaseUrl);
    await makeKey(databaseUrl, firm.id);
    const after = await bounds();
    expect(after.highest).toBeGreaterThan(before.highest);
    expect(after.count).toBe(before.count + 1);
    await sealAll(databaseUrl);
    await expectAllSealed(databaseUrl, after.count);
    // The next start finds nothing to do: the numbers continue.
    await start(databaseUrl);
    await makeKey(databaseUrl, firm.id);
    expect((await bounds()).highest - after.highest).toBeLessThan(100_000);
    await sealAll(databaseUrl);
    await expectAllSealed(databaseUrl, after.count + 1);
  });

  test('a start changes nothing where the entries are of this cluster', async () => {
    const databaseUrl = await ownDatabase();
    const sql = connect(databaseUrl);
    await makeFirm({ url: '', databaseUrl });
    await start(databaseUrl);
    expect(await sql`select transaction_offset()::int as offset`).toEqual([{ offset: 0 }] as never);
    expect(await sql`select transaction_number() = pg_current_xact_id() as "isOwn"`).toEqual([
      { isOwn: true },
    ] as never);
    await sql.end();
  });

  test('a start waits for who has written an entry and not ended, and who was connected goes on behind', async () => {
    const { databaseUrl, sql, firm, bounds } = await firmFromElsewhere(3_000_000_000);
    const { highest } = await bounds();
    const other = connect(databaseUrl);
    const write = (client: typeof other) =>
      client`insert into audit_entry (firm_id, at, action, record_kind, record_id, request_id, changes)
        values (${firm.id}, moment(), 'create', 'role', ${Bun.randomUUIDv7()}, '-', '{}')
        returning xid::text::float8 as number`;
    // Its numbers are still those of this cluster's counter: lower than all that came along.
    await other`begin`;
    const [early] = await write(other);
    expect(early?.number).toBeLessThan(highest);
    const starting = start(databaseUrl);
    let isStarted = false;
    void starting.then(() => {
      isStarted = true;
    });
    const isWaiting = async () =>
      (await sql`select from pg_locks where relation = 'audit_entry'::regclass and not granted`)
        .length > 0;
    while (!(await isWaiting())) await Bun.sleep(10);
    await Bun.sleep(100);
    expect(isStarted).toBe(false);
    await other`commit`;
    await starting;
    const [late] = await write(other);
    expect(late?.number).toBeGreaterThan(highest);
    await other.end();
    await sealAll(databaseUrl);
    await expectAllSealed(databaseUrl, (await bounds()).count);
  });
});
