import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { register } from '../register/table.ts';
import { isOfFirm } from '../search-text/index-keys.ts';
import { runLengths } from '../search-text/search-text.ts';
import {
  type TextSource,
  textLexemes,
  type WrittenAbout,
  writtenText,
} from '../search-text/table.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { Kinds } from './matches.ts';
import { isShort, partPattern, piecesOf } from './words.ts';

/** A record, and the newest of its texts that was found. */
export type FoundText = {
  type: 'CONTACT' | 'LEAD' | 'MATTER';
  id: string;
  source: TextSource;
  textId: string;
};

/**
 * Where the words stand: all of them in one `text`; or each in a text or in what its record is found by
 * otherwise, which is compared for a bounded number of the newest texts.
 */
export type Standing = 'text' | 'text and record';

/**
 * The first `most` of the records, newest first, that have texts with words that begin as these (short
 * words before the last one are whole words), and how many there are. Those that all the words find without
 * any text are left out. Of each kind of record, the newest `mostTexts` texts are looked at.
 */
export const recordsByText = async (
  reader: Reader,
  kinds: Kinds,
  words: string[],
  standing: Standing,
  { most, mostTexts }: { most: number; mostTexts: number },
): Promise<{ found: FoundText[]; total: number }> => {
  if (words.length === 0 || most === 0) return { found: [], total: 0 };
  const inText = standing === 'text';
  // What the index cannot say: that pieces of a word follow each other.
  const isCompared = !inText || words.some((word) => word.includes(' '));
  const rows = await reader.run(texts, {
    ...viewerOf(reader),
    ...kinds,
    asked: askedFor(words).join(inText ? ' & ' : ' | '),
    compared: !isCompared ? [] : words.map(inText ? beginningPattern : partPattern),
    inText,
    patterns: words.map(partPattern),
    mostOfRun: inText ? null : maxCompared,
    mostTexts,
    most,
  });
  return {
    found: rows.filter(({ id }) => id !== null),
    total: Number(rows[0]?.total ?? 0),
  };
};

/**
 * What to ask the index for: words that begin as these. Letters before digits are a whole word of the
 * index, and so are short ones that are not typed alone or last: many words begin as they do.
 */
const askedFor = (words: string[]): string[] => {
  const pieces = words.flatMap((word, at) =>
    piecesOf(word).map((piece, place, all) => {
      const isLast = place === 0 && at === words.length - 1;
      const isWhole = place < all.length - 1 || (!isLast && isShort(piece));
      return isWhole ? `'@${piece}'` : `'@${piece}':*`;
    }),
  );
  return [...new Set(pieces)];
};

const beginningPattern = (word: string) => `% ${word}%`;

/** Of each run, at most so many texts are compared with their records. */
const maxCompared = 500;

type Values = Viewer &
  Kinds & {
    /** What to ask the index for; `@` stands for what it has before each word. */
    asked: string;
    compared: string[];
    inText: boolean;
    patterns: string[];
    mostOfRun: number | null;
    mostTexts: number;
    most: number;
  };

const texts = statement(
  (given: Given<Values>) => sql<FoundText & { total: string }>`
    with hit as materialized (
      (${textsOf(given, 'lead', lead, given.leads, canSeeLead(given))})
      union all (${textsOf(given, 'matter', matter, given.matters, sql`true`)})
      union all (${textsOf(given, 'contact', contact, given.contacts, canSeeContact(given))})),
    record as (select distinct on (type, id) * from hit order by type, id, "textId" desc)
    select (select count(*) from record) as total, page.type, page.id, page.source, page."textId"
    from (select) always left join (
      select * from record order by created_at desc, type, id limit ${given.most}::int) page on true
    order by page.created_at desc, page.type, page.id`,
);

/**
 * The newest texts of a kind of record, run by run. (The limit of one record has Postgres look each of them
 * up, and not read all records of the firm.)
 */
const textsOf = (
  given: Given<Values>,
  kind: WrittenAbout,
  record: typeof lead | typeof matter | typeof contact,
  isAsked: Placeholder,
  isSeen: SQL,
): SQL => {
  const name = sql.raw(`'${kind}'`);
  const before = sql`right(${given.firmId}::text, 8) || left(${name}, 1) || run || '.'`;
  return sql`
    select found.* from ${register}
      cross join lateral generate_series(${register.lastOrdinal} / ${sql.raw(String(runLengths.short))}, 0, -1) run
      cross join lateral (
        select ${sql.raw(`'${kind.toUpperCase()}'`)} as type, of_text.id, of_text.created_at, text.source,
          text.id as "textId"
        from (
          select ${writtenText.id}, ${writtenText.source}, ${writtenText.recordId}, ${writtenText.words}
          from ${writtenText}
          where ${textLexemes(writtenText)} @@ replace(${given.asked}, '@', ${before})::tsquery
            and ${isOfFirm(writtenText.firmId, given.firmId)} and ${writtenText.recordKind} = ${name}
          order by ${writtenText.recordOrdinal} desc, ${writtenText.id} desc
          limit ${given.mostOfRun}::int) text
        cross join lateral (
          select ${record.id}, ${record.createdAt} from ${record}
          where ${record.firmId} = ${given.firmId}
            and ${record.id} = text.record_id and ${record.deletedAt} is null and ${isSeen}
            and case when ${given.inText}::boolean then text.words else text.words || ${record.searchText} end
              like all(${given.compared}::text[])
            and not ${record.searchText} like all(${given.patterns}::text[])
          limit 1) of_text) found
    where ${register.firmId} = ${given.firmId} and ${register.kind} = ${name} and ${isAsked}::boolean
    limit ${given.mostTexts}::int`;
};
