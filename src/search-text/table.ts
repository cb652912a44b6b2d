import { type Column, sql } from 'drizzle-orm';
import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';

/**
 * The words that the firm's records are found by. A search asks for those that contain a part, and
 * for those that a misspelled word may have meant. Words stay when the last record with them is
 * gone: a search for them then finds nothing.
 */
export const knownWord = pgTable(
  'known_word',
  {
    firmId: uuid().notNull(),
    word: text().notNull(),
    /**
     * It is from a private record: somebody who sees none of its records does not know it from
     * there.
     */
    isPrivate: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.word, table.isPrivate] }),
    index('known_word_search').using(
      'gin',
      sql`word_part_keys(${table.firmId}, ${table.word})`,
      sql`misspelling_keys(${table.firmId}, ${table.word})`,
    ),
  ],
);

/**
 * The index over a table's `searchText`, without deleted records: for each word, one key for each
 * of its runs.
 */
export const searchTextIndex = (
  name: string,
  table: { firmId: Column; ordinal: Column; searchText: Column },
) =>
  index(name)
    .using('gin', sql`findable_keys(${table.firmId}, ${table.ordinal}, ${table.searchText})`)
    // A long list of entries not yet merged would make every search slower.
    .with({ gin_pending_list_limit: 128 })
    .where(sql`deleted_at is null`);
