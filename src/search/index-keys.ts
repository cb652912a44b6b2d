import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm';

/** Parts of texts as an index has them: hashed together with the firm, and with a run of its records. */
export const hashed = (parts: Placeholder, firmId: Placeholder, run: SQL): SQL => sql`
  array(select hashtextextended(part, uuid_hash_extended(${firmId}, ${run}))
    from unnest(${parts}::text[]) part)`;

/** What the keys say already, but for two that are the same by chance. Said in this way, it leads Postgres to no other index. */
export const isOfFirm = (column: Column, firmId: Placeholder): SQL =>
  sql`${column} is not distinct from ${firmId}`;
