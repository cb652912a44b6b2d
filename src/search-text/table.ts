import { type Column, sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';

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

/** What people write in a record or about it. A matter's description has the matter's id. */
export type TextSource = 'note' | 'task' | 'event' | 'description';

/** The kinds of record that people write in and about. */
export type WrittenAbout = 'lead' | 'matter' | 'contact';

/**
 * What people wrote in and about records, by its words. The application's search finds the record by
 * them. Who may see a text is asked of its record, whenever it is read.
 */
export const writtenText = pgTable(
  'written_text',
  {
    firmId: uuid().notNull(),
    /** That of the note, the task, the event, or the matter that it describes. */
    id: uuid().notNull(),
    source: text().$type<TextSource>().notNull(),
    recordKind: text().$type<WrittenAbout>().notNull(),
    recordId: uuid().notNull(),
    /** The record's place among those of its kind: the texts of the newest are searched first. */
    recordOrdinal: bigint({ mode: 'number' }).notNull(),
    /** As `searchable` writes it. */
    words: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('written_text_search')
      .using('gin', textLexemes(table))
      // Each search reads the entries not yet merged from end to end, once for each of its runs.
      .with({ fastupdate: false }),
    // A word that stands in many texts is found sooner by reading the newest ones.
    index('written_text_newest').on(table.firmId, table.recordKind, table.recordOrdinal, table.id),
  ],
);

/** What the index has of a text: its words, each with its firm and the run of its record. */
export function textLexemes(
  of: Record<'firmId' | 'recordKind' | 'recordOrdinal' | 'words', Column>,
) {
  return sql`text_lexemes(${of.firmId}, ${of.recordKind}, ${of.recordOrdinal}, ${of.words})`;
}
