import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { forCluster } from '../postgres/citus/forms.ts';

/** Parts of texts as the index has them: hashed with the firm, and with a run of its records. */
export const hashed = (parts: Placeholder | SQL, firmId: Placeholder, run: SQL): SQL => sql`
  array(select hashtextextended(part, uuid_hash_extended(${firmId}, ${run}))
    from unnest(${parts}::text[]) part)`;

/**
 * The keys already say this, except for two that are equal by chance. Written this way, it does not
 * lead Postgres to another index.
 */
export const isOfFirm = (column: Column | SQL, firmId: Placeholder): SQL =>
  forCluster(sql`${column} is not distinct from ${firmId}`, sql`${column} = ${firmId}`);
