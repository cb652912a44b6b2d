import { customType, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';

const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

/** A firm member's key to the API. The key itself is shown once and never stored. */
export const apiKey = pgTable(
  'api_key',
  {
    ...identity(),
    memberId: uuid().notNull(),
    /** The first key of a line of rotations; the key itself if it was never rotated. */
    familyId: uuid().notNull(),
    name: text().notNull(),
    /** The first eight characters, so that people can tell keys apart. */
    start: text().notNull(),
    /** SHA-256 of the whole key. */
    digest: bytes().notNull(),
    scopes: text().array().notNull(),
    createdAt: moment().notNull(),
    expiresAt: moment(),
    revokedAt: moment(),
    lastUsedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    // Looked up by the digest alone, since a key does not name its firm. Unique within the firm, as
    // it must be if firms are spread over several databases.
    index('api_key_digest').on(table.digest),
    unique('api_key_of_firm').on(table.firmId, table.digest),
    index('api_key_member').on(table.firmId, table.memberId),
    refersTo('api_key_member', table, table.memberId, member),
  ],
);
