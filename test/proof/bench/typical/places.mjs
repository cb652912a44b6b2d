/** Where the typical server takes numbers from. */
import { and, eq, sql } from 'drizzle-orm';
import { register } from './tables.mjs';

/** The next place and number of a kind of record; nobody else gets one until the commit. */
export const nextPlace = async (tx, firmId, kind) => {
  const [place] = await tx
    .update(register)
    .set({
      live: sql`${register.live} + 1`,
      lastOrdinal: sql`${register.lastOrdinal} + 1`,
      lastNumber: sql`${register.lastNumber} + 1`,
      lastAt: sql`now()`,
    })
    .where(and(eq(register.firmId, firmId), eq(register.kind, kind)))
    .returning({
      ordinal: register.lastOrdinal,
      number: register.lastNumber,
      at: register.lastAt,
    });
  return place;
};
