/** What tests of the audit log's chain share: sealing without waiting, and tampering as a superuser. */
import type postgres from 'postgres';
import { sealNow } from '../../src/audit/seal.ts';
import type { InstallationKey } from '../../src/base/installation-key.ts';
import { connect, onDatabase } from './database.ts';
import { until } from './until.ts';

/** Seals once what may be sealed now, as the server's own job does every five seconds. */
export const sealOnce = (databaseUrl: string, key?: InstallationKey) =>
  onDatabase(databaseUrl, (database) => sealNow(database, key));

/** Seals until nothing is unsealed; transactions of other tests on the same server delay it. */
export const sealAll = (databaseUrl: string, key?: InstallationKey) =>
  until(async () => {
    await sealOnce(databaseUrl, key);
    return (await countUnsealed(databaseUrl)) === 0;
  });

/** How many entries of all firms have no seal. */
export const countUnsealed = async (databaseUrl: string): Promise<number> => {
  const sql = connect(databaseUrl);
  const [row] = await sql`
    select count(*)::int as count from audit_entry entry where not exists (
      select from audit_seal seal where seal.firm_id = entry.firm_id and seal.entry_id = entry.id)`;
  await sql.end();
  return row?.count;
};

/** Runs `change` with all triggers off, as only a superuser can. */
export const tamper = (
  sql: postgres.Sql,
  change: (sql: postgres.TransactionSql) => Promise<unknown>,
) =>
  sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await change(transaction);
  });
