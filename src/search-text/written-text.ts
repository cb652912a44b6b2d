import { sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { searchable } from './search-text.ts';
import type { TextSource, WrittenAbout } from './table.ts';

/** A text that somebody wrote in a record or about it. */
export type Written = {
  id: string;
  source: TextSource;
  about: WrittenAbout;
  recordId: string;
  text: string;
};

/**
 * The application's search finds a record by this much of each text. It is as much as a note can hold;
 * of a description that is longer, it is the beginning.
 */
export const maxWordsLength = 20_000;

/** A text's words as the index takes them. */
export const writtenWords = (text: string): string =>
  // A letter may become several when it is made comparable.
  searchable(text.slice(0, 2 * maxWordsLength)).slice(0, maxWordsLength);

type Writing = Pick<Runs, 'run'> & { firmId: string };

/**
 * Has the application's search find a record by a text, from this transaction's commit on. It takes
 * the place of what the text said before. Nothing needs to be waited for.
 */
export const findByText = (w: Writing, { text, ...written }: Written) => {
  const values = { firmId: w.firmId, ...written, words: writtenWords(text) };
  void w.run(storeAbout[written.about], values);
};

/** Has the search find a record by a text no longer: it was deleted, or is empty now. */
export const findNoLonger = (w: Writing, id: string) =>
  void w.run(removeText, { firmId: w.firmId, id });

const storing = (about: WrittenAbout, record: typeof lead | typeof matter | typeof contact) =>
  statement(
    (given: Given<'firmId' | 'id' | 'source' | 'recordId' | 'words'>) => sql`
      insert into written_text (firm_id, id, source, record_kind, record_id, record_ordinal, words)
      select ${record.firmId}, ${given.id}::uuid, ${given.source}, ${sql.raw(`'${about}'`)}, ${record.id},
        ${record.ordinal}, ${given.words}
      from ${record}
      where ${record.firmId} = ${given.firmId}::uuid and ${record.id} = ${given.recordId}::uuid
      on conflict (firm_id, id) do update set words = excluded.words,
        record_kind = excluded.record_kind, record_id = excluded.record_id, record_ordinal = excluded.record_ordinal`,
  );

const storeAbout = {
  lead: storing('lead', lead),
  matter: storing('matter', matter),
  contact: storing('contact', contact),
};

const removeText = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql`
    delete from written_text where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);
