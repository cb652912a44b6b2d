import { type SQL, sql } from 'drizzle-orm';
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
import { wereFrequent } from './newest-texts.ts';
import { maxMatches } from './wire.ts';
import { partPattern } from './words.ts';
import {
  askedPieces,
  comparing,
  type FoundByText,
  type FoundText,
  foundIn,
  foundNothing,
  inIndex,
  newestOf,
  patternOf,
  quoted,
  shownOfRecords,
  typeOf,
} from './written.ts';

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
  return newestAmong(await reader.run(few, values), values.most, mostTexts);
};

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

/** A text, and the record that it was written in or about: the newest one of each record. */
export type FewText = { id: string; kind: WrittenAbout; recordId: string; source: TextSource };

/** A text with the longest of the words, and whether it has the others. */
type TextWith = FewText & { hasOthers: boolean };

/** What is asked for words; undefined if it would find nothing. */
const valuesOfFew = (
  { firmId }: Pick<Reader, 'firmId'>,
  kinds: Kinds,
  words: string[],
  mostTexts: number,
): Few | undefined => {
  const about = recordKinds.filter(([, kind]) => kinds[kind]).map(([record]) => record);
  const pieces = askedPieces(words).toSorted((a, b) => b.piece.length - a.piece.length);
  const [longest, ...others] = pieces;
  if (!longest || about.length === 0) return undefined;
  return {
    firmId,
    about,
    // The index has the end of the firm's id before the run.
    asked: inIndex(longest).replace('@', `${firmId.slice(-8)}@`),
    others: [...others.map(patternOf), ...comparing(words, 'text').compared],
    most: (others.length === 0 ? mostTexts : maxMatches) + 1,
  };
};

const recordKinds: [WrittenAbout, keyof Kinds][] = [
  ['lead', 'leads'],
  ['matter', 'matters'],
  ['contact', 'contacts'],
];

/** The newest text of each record among what was found; undefined if these are not few. */
const newestAmong = (rows: TextWith[], most: number, mostTexts: number): FewText[] | undefined => {
  const found = rows.filter(({ hasOthers }) => hasOthers);
  if (rows.length >= most || found.length > mostTexts) return undefined;
  const newest = new Map<string, FewText>();
  for (const text of found) {
    const other = newest.get(text.kind + text.recordId);
    if (!other || other.id < text.id) newest.set(text.kind + text.recordId, text);
  }
  return [...newest.values()];
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

/** The first `most` texts with the longest word. */
const few = statement((given: Given<Few>) => {
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
});

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
