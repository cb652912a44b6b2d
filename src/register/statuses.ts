import { type Placeholder, type SQL, sql } from 'drizzle-orm';

/**
 * How many live records of a kind have each status, as rows of `status`, `live` and `live_private`.
 * They are kept, not counted. What is not ACTIVE is counted by status; the rest of all is ACTIVE.
 */
export const countedByStatus = (kind: 'lead' | 'matter', firmId: Placeholder): SQL => {
  const of = sql`firm_id = ${firmId} and kind = ${sql.raw(`'${kind}'`)}`;
  return sql`(
    select status, live, live_private from register_status where ${of}
    union all
    select 'ACTIVE', live - coalesce(others, 0), live_private - coalesce(private_others, 0)
    from register, (select sum(live)::int as others, sum(live_private)::int as private_others
      from register_status where ${of}) other
    where ${of}) counted`;
};
