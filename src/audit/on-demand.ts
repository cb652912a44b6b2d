/** Sealing one firm's log at once, for those who read it. The sealer's timer does the rest. */
import { sql } from 'drizzle-orm';
import type { InstallationKey } from '../base/installation-key.ts';
import type { Database, Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { signerOf, signHeads } from './head.ts';
import { holdChain, isFinished, lastPlace, sealUntil } from './seal.ts';

/**
 * The last seal of a firm's chain, and the entries behind it: `new` if some can be sealed, `held` if all wait for the end
 * of an older transaction.
 */
export const chainOf = async (database: Runs, firmId: string) => {
  const chain = await database.first(chainEnd, { firmId });
  return { last: BigInt(chain?.last ?? 0), behind: chain?.behind ?? null };
};

/**
 * Seals what is new in a firm's log, without signing its end. Says whether it could: another server may
 * be at it.
 */
export const sealFirm = (database: Database, firmId: string): Promise<boolean> =>
  database.transaction(
    async (transaction) => {
      if (!(await transaction.first(holdChain, { firmId }))?.isOurs) return false;
      await sealUntil(transaction, firmId, performance.now() + longestMilliseconds);
      return true;
    },
    { of: firmId },
  );

const longestMilliseconds = 200;

/** Signs the ends of these firms' chains, as the sealer does. Returns those that another server holds. */
export const signFirms = (
  database: Database,
  firmIds: readonly string[],
  key: InstallationKey | undefined,
): Promise<string[]> =>
  database.transaction(async (transaction) => {
    const [ours, others]: [string[], string[]] = [[], []];
    for (const firmId of firmIds) {
      const isOurs = (await transaction.first(holdChain, { firmId }))?.isOurs;
      (isOurs ? ours : others).push(firmId);
    }
    await signHeads(transaction, ours, key && signerOf(key));
    return others;
  });

const chainEnd = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ last: string; behind: 'new' | 'held' | null }>`
    select coalesce((select max(seal.seal_number) from audit_seal seal
        where seal.firm_id = ${firmId}::uuid), 0)::text as last,
      (select case when ${isFinished} then 'new' else 'held' end
        from audit_entry entry where entry.firm_id = ${firmId}::uuid
          and (entry.xid, entry.id) > (coalesce(place.xid, '0'), coalesce(place.id, 0))
        order by entry.xid, entry.id limit 1) as behind
    from (select) as one left join lateral (${lastPlace(firmId)}) as place on true`,
);
