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
import { type Details, detailsAmong, textsAmong } from './shown.ts';
import { maxMatches } from './wire.ts';
import { isShort, partPattern, piecesOf, wholePattern } from './words.ts';

/** A record, and the newest of its texts that was found: null if it was deleted meanwhile. */
export type FoundText = Details & { source: TextSource; text: string | null };

/**
 * Where the words stand: all of them in one `text`; or each in a text or in what its record is found by
 * otherwise, which is compared for a bounded number of the newest texts.
 */
export type Standing = 'text' | 'text and record';

/** What was found by texts: the first of the records, the newest first, and how many there are. */
export type FoundByText = { found: FoundText[]; total: number };

type Bounds = { most: number; mostTexts: number };

const foundNothing: FoundByText = { found: [], total: 0 };

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
  bounds: Bounds,
): Promise<FoundByText> => {
  if (words.length === 0 || bounds.most === 0) return foundNothing;
  const inText = standing === 'text';
  const rows = await reader.run(texts, {
    ...viewerOf(reader),
    ...kinds,
    asked: askedFor(words).join(inText ? ' & ' : ' | '),
    ...comparing(words, standing),
    inText,
    mostOfRun: inText ? null : maxCompared,
    ...bounds,
  });
  return foundIn(rows);
};

/**
 * The texts with all the words, of all kinds and runs at once: the index is asked for the longest word, and
 * once for all runs but the newest. Undefined if it has so many that only `recordsByText` can put them in
 * order.
 */
export const fewTextsWith = async (
  reader: Reader,
  kinds: Kinds,
  words: string[],
  mostTexts: number,
): Promise<FewText[] | undefined> => {
  const values = valuesOfFew(reader, kinds, words, mostTexts);
  if (!values) return [];
  if (wereFrequent(reader.firmId, words)) return undefined;
  return newestAmong(
    await reader.run(few, { firmId: reader.firmId, ...values }),
    values.most,
    mostTexts,
  );
};

/** What `textsWith` asks for words; undefined if it would find nothing. */
export const valuesOfFew = (
  { firmId }: Pick<Reader, 'firmId'>,
  kinds: Kinds,
  words: string[],
  mostTexts: number,
): Omit<Few, 'firmId'> | undefined => {
  const about = recordKinds.filter(([, kind]) => kinds[kind]).map(([record]) => record);
  const pieces = askedPieces(words).toSorted((a, b) => b.piece.length - a.piece.length);
  const [longest, ...others] = pieces;
  if (!longest || about.length === 0) return undefined;
  return {
    about,
    // The index has the end of the firm's id before the run.
    asked: inIndex(longest).replace('@', `${firmId.slice(-8)}@`),
    others: [...others.map(patternOf), ...comparing(words, 'text').compared],
    most: (others.length === 0 ? mostTexts : maxMatches) + 1,
  };
};

/** The newest text of each record among what `textsWith` found; undefined if these are not few. */
export const newestAmong = (
  rows: TextWith[],
  most: number,
  mostTexts: number,
): FewText[] | undefined => {
  const found = rows.filter(({ hasOthers }) => hasOthers);
  if (rows.length >= most || found.length > mostTexts) return undefined;
  const newest = new Map<string, FewText>();
  for (const text of found) {
    const other = newest.get(text.kind + text.recordId);
    if (!other || other.id < text.id) newest.set(text.kind + text.recordId, text);
  }
  return [...newest.values()];
};

/** A text, and the record that it was written in or about: the newest one of each record. */
export type FewText = { id: string; kind: WrittenAbout; recordId: string; source: TextSource };

/** A text with the longest of the words, and whether it has the others. */
export type TextWith = FewText & { hasOthers: boolean };

const recordKinds: [WrittenAbout, keyof Kinds][] = [
  ['lead', 'leads'],
  ['matter', 'matters'],
  ['contact', 'contacts'],
];

/** As `recordsByText`, of the records of these texts, in which all the words stand. */
export const recordsOfTexts = async (
  reader: Reader,
  words: string[],
  few: FewText[],
  most: number,
): Promise<FoundByText> => {
  if (few.length === 0 || most === 0) return foundNothing;
  const rows = await reader.run(ofTexts, {
    ...viewerOf(reader),
    patterns: words.map(partPattern),
    texts: few.map(({ id }) => id),
    kinds: few.map(({ kind }) => kind),
    records: few.map(({ recordId }) => recordId),
    sources: few.map(({ source }) => source),
    most,
  });
  return foundIn(rows);
};

/**
 * As `recordsByText`, of words that all stand in one text: the newest texts are read, and not looked up. Undefined
 * if too few of them have the words.
 */
export const recordsByNewest = async (
  reader: Reader,
  kinds: Kinds,
  words: string[],
  bounds: Bounds,
): Promise<FoundByText | undefined> => {
  const rows = await reader.run(newest, {
    ...viewerOf(reader),
    ...kinds,
    held: heldPatterns(words),
    patterns: words.map(partPattern),
    mostRead: bounds.mostTexts * readForEach,
    ...bounds,
  });
  const isEnough = rows[0]?.isEnough;
  noteFrequency(reader.firmId, words, isEnough ?? false);
  return isEnough ? foundIn(rows.map(({ isEnough: _, ...row }) => row)) : undefined;
};

/**
 * Words that stood in many of the newest texts a short time ago, by firm. Their texts are read and not counted
 * before, which is right, if slower, also where they stand in few by now.
 */
const frequent = new Set<string>();
const maxFrequent = 10_000;

const ofFirm = (firmId: string, words: string[]) => [firmId, ...words].join(' ');

/** Whether words were frequent a short time ago. */
export const wereFrequent = (firmId: string, words: string[]): boolean =>
  frequent.has(ofFirm(firmId, words));

const noteFrequency = (firmId: string, words: string[], isFrequent: boolean) => {
  if (frequent.size >= maxFrequent) frequent.clear();
  if (isFrequent) frequent.add(ofFirm(firmId, words));
  else frequent.delete(ofFirm(firmId, words));
};

/** So many texts are read for each that is looked for. With fewer hits, the index is faster. */
const readForEach = 6;

const foundIn = (rows: (FoundText & { total: string })[]): FoundByText => ({
  found: rows.filter(({ id }) => id !== null),
  total: Number(rows[0]?.total ?? 0),
});

/** What the index cannot say: that pieces of a word follow each other, and what stands in the record. */
const comparing = (words: string[], standing: Standing) => {
  const inText = standing === 'text';
  const isCompared = !inText || words.some((word) => word.includes(' '));
  return {
    compared: !isCompared ? [] : words.map(inText ? beginningPattern : partPattern),
    patterns: words.map(partPattern),
  };
};

/** What stands in a text with all the words, as its words are stored. */
const heldPatterns = (words: string[]): string[] => [
  ...askedPieces(words).map(patternOf),
  ...comparing(words, 'text').compared,
];

/**
 * What to ask the index for: words that begin as these. Letters before digits are a whole word of the
 * index, and so are short ones that are not typed alone or last: many words begin as they do.
 */
const askedFor = (words: string[]): string[] => [...new Set(askedPieces(words).map(inIndex))];

type AskedPiece = { piece: string; isWhole: boolean };

const askedPieces = (words: string[]): AskedPiece[] =>
  words.flatMap((word, at) =>
    piecesOf(word).map((piece, place, all) => {
      const isLast = place === 0 && at === words.length - 1;
      return { piece, isWhole: place < all.length - 1 || (!isLast && isShort(piece)) };
    }),
  );

const inIndex = ({ piece, isWhole }: AskedPiece) => (isWhole ? `'@${piece}'` : `'@${piece}':*`);

const patternOf = ({ piece, isWhole }: AskedPiece) =>
  (isWhole ? wholePattern : beginningPattern)(piece);

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

/** So many runs are asked for at once, behind the newest one. */
const runsAtOnce = 64;

type Few = {
  firmId: string;
  about: string[];
  asked: string;
  others: string[];
  most: number;
};

/** The first `most` texts with the longest word, as a part of a statement. */
export const textsWith = (given: Given<Few>) => {
  const short = sql.raw(String(runLengths.short));
  const run = sql`left(kind, 1) || last_ordinal / ${short} - age || '.'`;
  return sql<TextWith>`
    select text.id, text.record_kind as kind, text.record_id as "recordId", text.source,
      text.words || ' ' like all(${given.others}::text[]) as "hasOthers" from (
      select string_agg(replace(${given.asked}, '@', ${run}), ' | ') as asked
      from ${register} cross join lateral generate_series(0, last_ordinal / ${short}) age
      where ${register.firmId} = ${given.firmId} and ${register.kind} = any(${given.about}::text[])
        and (select true ${newestOf(given, sql`${register.kind}`)} limit 1)
      group by (age + ${sql.raw(String(runsAtOnce - 1))}) / ${sql.raw(String(runsAtOnce))}
      order by min(age)) runs
      cross join lateral (
        select ${writtenText.id}, ${writtenText.recordKind}, ${writtenText.recordId}, ${writtenText.source},
          ${writtenText.words}
        from ${writtenText}
        where ${textLexemes(writtenText)} @@ runs.asked::tsquery
          and ${isOfFirm(writtenText.firmId, given.firmId)}) text
    limit ${given.most}::int`;
};

const few = statement(textsWith);

type OfTexts = Viewer & {
  texts: string[];
  kinds: string[];
  records: string[];
  sources: string[];
  patterns: string[];
  most: number;
};

const ofTexts = statement(
  (given: Given<OfTexts>) => sql<FoundText & { total: string }>`
    with record as materialized (
      (${ofKind(given, 'lead', lead, canSeeLead(given))})
      union all (${ofKind(given, 'matter', matter, sql`true`)})
      union all (${ofKind(given, 'contact', contact, canSeeContact(given))})),
    ${shownOfRecords(given)}`,
);

const ofKind = (
  given: Given<OfTexts>,
  kind: WrittenAbout,
  record: typeof lead | typeof matter | typeof contact,
  isSeen: SQL,
): SQL => sql`
  select ${typeOf(kind)} as type, ${record.id}, ${record.createdAt}, text.source,
    text.id as "textId"
  from unnest(${given.texts}::uuid[], ${given.kinds}::text[], ${given.records}::uuid[], ${given.sources}::text[])
    text(id, kind, record_id, source)
  join ${record} on ${record.firmId} = ${given.firmId} and ${record.id} = text.record_id
  where text.kind = ${quoted(kind)} and ${record.deletedAt} is null and ${isSeen}
    and not ${record.searchText} like all(${given.patterns}::text[])`;

const quoted = (text: Details['type'] | TextSource | WrittenAbout) => sql.raw(`'${text}'`);

/** What is shown of the newest records that were found, and of their texts. */
const shownOfRecords = (
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

const texts = statement((given: Given<Values>) => byTexts(given, textsOf));

type ValuesOfNewest = Omit<Values, 'asked' | 'compared' | 'inText' | 'mostOfRun'> & {
  held: string[];
  mostRead: number;
};

const newest = statement((given: Given<ValuesOfNewest>) => {
  const isEnoughOf = (kind: WrittenAbout, isAsked: Placeholder) => sql`(not ${isAsked}::boolean
    or (select count(*) from hit where type = ${typeOf(kind)}) >= ${given.mostTexts}::int
    or (select true ${newestOf(given, quoted(kind))} offset ${given.mostRead}::int limit 1) is null)`;
  return byTexts(
    given,
    newestTextsOf,
    sql`, (${isEnoughOf('lead', given.leads)} and ${isEnoughOf('matter', given.matters)}
      and ${isEnoughOf('contact', given.contacts)}) as "isEnough"`,
  );
});

type OfKind<Asked extends object> = (
  given: Given<Asked>,
  kind: WrittenAbout,
  record: typeof lead | typeof matter | typeof contact,
  isAsked: Placeholder,
  isSeen: SQL,
) => SQL;

type OfFirm = Viewer & Kinds & { most: number };

/** What is shown of the records with the texts that `ofKind` finds, and `more` columns. */
const byTexts = <Asked extends OfFirm>(
  given: Given<Asked>,
  ofKind: OfKind<Asked>,
  more: SQL = sql``,
) => {
  const of = given as unknown as Given<OfFirm>;
  return sql<FoundText & { total: string; isEnough?: boolean }>`
    with hit as materialized (
      (${ofKind(given, 'lead', lead, of.leads, canSeeLead(of))})
      union all (${ofKind(given, 'matter', matter, of.matters, sql`true`)})
      union all (${ofKind(given, 'contact', contact, of.contacts, canSeeContact(of))})),
    record as (select distinct on (type, id) * from hit order by type, id, "textId" desc),
    ${shownOfRecords(of, more)}`;
};

const typeOf = (kind: WrittenAbout) => quoted(kind.toUpperCase() as Details['type']);

/** The texts of a kind of record, the newest record's first. */
const newestOf = ({ firmId }: { firmId: Placeholder }, kind: SQL) => sql`
  from ${writtenText}
  where ${writtenText.firmId} = ${firmId} and ${writtenText.recordKind} = ${kind}
  order by ${writtenText.recordOrdinal} desc, ${writtenText.id} desc`;

/** The newest texts of a kind of record that hold the words, among so many of the newest. */
const newestTextsOf: OfKind<ValuesOfNewest> = (given, kind, record, isAsked, isSeen) => sql`
  select ${typeOf(kind)} as type, of_text.id, of_text.created_at, text.source, text.id as "textId"
  from (
    select ${writtenText.id}, ${writtenText.source}, ${writtenText.recordId}, ${writtenText.words}
    ${newestOf(given, quoted(kind))} limit ${given.mostRead}::int) text
  cross join lateral (
    select ${record.id}, ${record.createdAt} from ${record}
    where ${record.firmId} = ${given.firmId} and ${record.id} = text.record_id
      and ${record.deletedAt} is null and ${isSeen}
      and not ${record.searchText} like all(${given.patterns}::text[])
    limit 1) of_text
  where ${isAsked}::boolean and text.words || ' ' like all(${given.held}::text[])
  limit ${given.mostTexts}::int`;

/**
 * The newest texts of a kind of record, run by run. (The limit of one record has Postgres look each of them
 * up, and not read all records of the firm.)
 */
const textsOf: OfKind<Values> = (given, kind, record, isAsked, isSeen) => {
  const name = quoted(kind);
  // Only then are the words sorted along.
  const isCompared = sql`cardinality(${given.compared}::text[]) > 0`;
  const before = sql`right(${given.firmId}::text, 8) || left(${name}, 1) || run || '.'`;
  return sql`
    select found.* from ${register}
      cross join lateral generate_series(${register.lastOrdinal} / ${sql.raw(String(runLengths.short))}, 0, -1) run
      cross join lateral (
        select ${typeOf(kind)} as type, of_text.id, of_text.created_at, text.source,
          text.id as "textId"
        from (
          select ${writtenText.id}, ${writtenText.source}, ${writtenText.recordId},
            case when ${isCompared} then ${writtenText.words} end as words
          from ${writtenText}
          where ${textLexemes(writtenText)} @@ replace(${given.asked}, '@', ${before})::tsquery
            and ${isOfFirm(writtenText.firmId, given.firmId)} and ${writtenText.recordKind} = ${name}
          order by ${writtenText.recordOrdinal} desc, ${writtenText.id} desc
          limit ${given.mostOfRun}::int) text
        cross join lateral (
          select ${record.id}, ${record.createdAt} from ${record}
          where ${record.firmId} = ${given.firmId}
            and ${record.id} = text.record_id and ${record.deletedAt} is null and ${isSeen}
            and (not ${isCompared}
              or case when ${given.inText}::boolean then text.words else text.words || ${record.searchText} end
                like all(${given.compared}::text[]))
            and not ${record.searchText} like all(${given.patterns}::text[])
          limit 1) of_text) found
    where ${register.firmId} = ${given.firmId} and ${register.kind} = ${name} and ${isAsked}::boolean
    limit ${given.mostTexts}::int`;
};
