import { sql } from 'drizzle-orm';
import { log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Session } from '../session.ts';
import { statement } from '../statement.ts';

/**
 * Lets the numbers of transactions continue behind those of the stored entries on every node of a spread
 * database, as drizzle/0003_transaction_numbers.sql does in one Postgres. What is added is the same on all
 * nodes, and enough for each. Entries of a node's own are always below its counter; others come with a
 * restore, or with a firm that moves to the node. Throws `Refusal` conflict while somebody writes.
 */
export const continueNumbers = async (session: Session): Promise<void> => {
  const standings = await standingsOf(session);
  if (standings.every(({ newest, next }) => newest < next)) return;
  await session.transaction(async () => {
    // Waits for all who have written an entry and not ended, and lets nobody write until the commit. Up to
    // Postgres 16 the owner needs a right for that which drizzle/0002_storage.sql took away.
    await session.command(`set local citus.multi_shard_modify_mode = 'sequential'`);
    await session.command('grant truncate on audit_entry to current_user');
    await session.command('lock table audit_entry in share row exclusive mode');
    await session.command('revoke truncate on audit_entry from current_user');
    const now = await standingsOf(session);
    if (now.some(({ prepared }) => prepared > 0)) {
      throw new Refusal('conflict', 'Some writes are not ended on every node yet. Try again.');
    }
    const added = now.reduce(
      (max, { newest, first }) => (newest >= first + max ? newest - first + 1n : max),
      0n,
    );
    await session.command(`create or replace function transaction_offset() returns bigint
      language sql stable return ${added}::bigint`);
  });
};

/** A shard of the log: its newest number, and the numbers of its node, with and without what is added. */
type Standing = { newest: bigint; next: bigint; first: bigint; prepared: number };

const standingsOf = async (session: Session): Promise<Standing[]> => {
  const asked = await session.run(standingByShard);
  // A node that is away cannot write either. It is asked when the server starts again.
  const [silent] = asked.filter(({ isGiven }) => !isGiven);
  if (silent)
    log('warn', 'a node of the database did not tell its numbers', { answer: silent.answer });
  return asked
    .filter(({ isGiven }) => isGiven)
    .map(({ answer }) => {
      const [newest = '0', next = '0', first = '0', prepared = '0'] = answer.split(' ');
      return {
        newest: BigInt(newest),
        next: BigInt(next),
        first: BigInt(first),
        prepared: Number(prepared),
      };
    });
};

// Each shard is walked from firm to firm along its index. Numbers that no cluster counts to were tampered
// with (drizzle/0006_numbers_of_nobody.sql).
const standingByShard = statement(
  () => sql<{ isGiven: boolean; answer: string }>`
    select success as "isGiven", result as answer from run_command_on_shards('audit_entry', ${sql.raw(`$$
      with recursive one as (
        (select firm_id from %1$s order by firm_id limit 1)
        union all
        select (select entry.firm_id from %1$s entry where entry.firm_id > one.firm_id
          order by entry.firm_id limit 1) from one where one.firm_id is not null
      )
      select concat_ws(' ', coalesce(max(last.xid::text::bigint), 0),
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint + transaction_offset(),
        pg_snapshot_xmin(pg_current_snapshot()),
        (select count(*) from pg_prepared_xacts where database = current_database()))
      from one cross join lateral (select entry.xid from %1$s entry
        where entry.firm_id = one.firm_id and entry.xid < '4611686018427387904'::xid8
        order by entry.xid desc, entry.id desc limit 1) as last
    $$`)})`,
);
