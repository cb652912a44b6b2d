import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { register } from '../register/table.ts';
import { isOfFirm } from '../search-text/index-keys.ts';
import { runLengths } from '../search-text/search-text.ts';
import { textLexemes, type WrittenAbout, writtenText } from '../search-text/table.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { Kinds } from './matches.ts';
import { partPattern } from './words.ts';
import {
  askedFor,
  comparing,
  type FoundByText,
  type FoundText,
  foundIn,
  foundNothing,
  heldPatterns,
  newestOf,
  quoted,
  type Standing,
  shownOfRecords,
  typeOf,
} from './written.ts';

type Bounds = { most: number; mostTexts: number };

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
