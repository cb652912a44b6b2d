/** A digest of what a firm has stored: equal if nothing was changed. */
import type postgres from 'postgres';

/** What changes by itself: sessions are used, jobs are worked, the audit log is sealed, messages are sent. */
const restless = [
  ...['session', 'job', 'notification', 'audit_seal', 'audit_signature', 'idempotency'],
  ...['webhook_sending', 'webhook_message', 'webhook_delivery'],
];

/** By table, a digest of the firm's rows. */
export const snapshotOf = async (sql: postgres.Sql, firmId: string) => {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.columns join information_schema.tables
      using (table_schema, table_name)
    where table_schema = 'public' and column_name = 'firm_id' and table_type = 'BASE TABLE'
      and not table_name = any(${restless}) order by 1`;
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ digest: string }[]>`
      select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '')
        as digest from ${sql(name)} t where firm_id = ${firmId}`;
    digests[name] = row?.digest ?? '';
  }
  return digests;
};
