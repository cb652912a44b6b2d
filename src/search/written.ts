import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Given } from '../postgres/statement.ts';
import { type TextSource, type WrittenAbout, writtenText } from '../search-text/table.ts';
import { type Details, detailsAmong, textsAmong } from './shown.ts';
import { isShort, partPattern, piecesOf, wholePattern } from './words.ts';

/** A record, and the newest of its texts that was found: null if it was deleted meanwhile. */
export type FoundText = Details & { source: TextSource; text: string | null };

/** What was found by texts: the first of the records, the newest first, and how many there are. */
export type FoundByText = { found: FoundText[]; total: number };

/** What is found where there is nothing to look for. */
export const foundNothing: FoundByText = { found: [], total: 0 };

/** What a statement of `shownOfRecords` found. */
export const foundIn = (rows: (FoundText & { total: string })[]): FoundByText => ({
  found: rows.filter(({ id }) => id !== null),
  total: Number(rows[0]?.total ?? 0),
});

/**
 * Where the words stand: all of them in one `text`; or each in a text or in what its record is found by
 * otherwise, which is compared for a bounded number of the newest texts.
 */
export type Standing = 'text' | 'text and record';

/** What the index cannot say: that pieces of a word follow each other, and what stands in the record. */
export const comparing = (words: string[], standing: Standing) => {
  const inText = standing === 'text';
  const isCompared = !inText || words.some((word) => word.includes(' '));
  return {
    compared: !isCompared ? [] : words.map(inText ? beginningPattern : partPattern),
    patterns: words.map(partPattern),
  };
};

/** What stands in a text with all the words, as its words are stored. */
export const heldPatterns = (words: string[]): string[] => [
  ...askedPieces(words).map(patternOf),
  ...comparing(words, 'text').compared,
];

/**
 * What to ask the index for: words that begin as these. Letters before digits are a whole word of the
 * index, and so are short ones that are not typed alone or last: many words begin as they do.
 */
export const askedFor = (words: string[]): string[] => [
  ...new Set(askedPieces(words).map(inIndex)),
];

type AskedPiece = { piece: string; isWhole: boolean };

/** The pieces of the words, and whether each is a whole word of the index. */
export const askedPieces = (words: string[]): AskedPiece[] =>
  words.flatMap((word, at) =>
    piecesOf(word).map((piece, place, all) => {
      const isLast = place === 0 && at === words.length - 1;
      return { piece, isWhole: place < all.length - 1 || (!isLast && isShort(piece)) };
    }),
  );

/** How the index is asked for a piece; `@` stands for what it has before each word. */
export const inIndex = ({ piece, isWhole }: AskedPiece) =>
  isWhole ? `'@${piece}'` : `'@${piece}':*`;

/** What a text contains that has the piece. */
export const patternOf = ({ piece, isWhole }: AskedPiece) =>
  (isWhole ? wholePattern : beginningPattern)(piece);

const beginningPattern = (word: string) => `% ${word}%`;

/** A name as a text of a statement. */
export const quoted = (text: Details['type'] | TextSource | WrittenAbout) => sql.raw(`'${text}'`);

/** The type under which records of this kind are found. */
export const typeOf = (kind: WrittenAbout) => quoted(kind.toUpperCase() as Details['type']);

/** The texts of a kind of record, the newest record's first. */
export const newestOf = ({ firmId }: { firmId: Placeholder }, kind: SQL) => sql`
  from ${writtenText}
  where ${writtenText.firmId} = ${firmId} and ${writtenText.recordKind} = ${kind}
  order by ${writtenText.recordOrdinal} desc, ${writtenText.id} desc`;

/** What is shown of the newest records that were found, and of their texts. */
export const shownOfRecords = (
  { firmId, most }: Given<{ firmId: string; most: number }>,
  more: SQL = sql``,
) => sql`
    page as materialized (select * from record order by created_at desc, type, id limit ${most}::int),
    details as materialized (${detailsAmong(firmId, (type) => sql`array(select id from page where type = ${quoted(type)})`)}),
    written as materialized (${textsAmong(firmId, (source) => sql`array(select "textId" from page where source = ${quoted(source)})`)})
    select (select count(*) from record) as total, details.*, page.source, written.text${more}
    from (select) always left join page on true
    left join details on details.type = page.type and details.id = page.id
    left join written on written.id = page."textId"
    order by page.created_at desc, page.type, page.id`;
