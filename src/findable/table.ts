import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';

/**
 * The words that the firm's records are found by; a search asks for those that hold a part, and for
 * those that a misspelled one may have been meant for. Words stay when the last record that held
 * them goes: to a search they then lead nowhere.
 */
export const knownWord = pgTable(
  'known_word',
  {
    firmId: uuid().notNull(),
    word: text().notNull(),
    /** It was met in a private record: who sees none that holds it does not know it from there. */
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
