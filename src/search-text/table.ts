import { sql } from 'drizzle-orm';
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
