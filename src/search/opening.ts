import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { Kinds } from './matches.ts';
import { lastOrdinalsOf, type RunsOfKinds, runsUpToAll } from './runs.ts';
import { type Piece, piecesIn, valuesHolding, wordsHolding } from './spelling.ts';
import {
  type FewText,
  newestAmong,
  type TextWith,
  textsWith,
  valuesOfFew,
  wereFrequent,
} from './written.ts';

/** What the application's search knows before it looks for records. */
export type Opening = {
  runs: RunsOfKinds;
  /** The known words that hold each piece. */
  pieces: Piece[];
  /** The texts with all the words, as `fewTextsWith` gives them. */
  few: FewText[] | undefined;
};

/** What a search asks first, in one statement: the runs, the known words that hold pieces, and the texts with words. */
export const openingOf = async (
  reader: Reader,
  kinds: Kinds,
  words: string[],
  pieces: string[],
  mostTexts: number,
): Promise<Opening> => {
  const isFrequent = wereFrequent(reader.firmId, words);
  const few = (isFrequent ? undefined : valuesOfFew(reader, kinds, words, mostTexts)) ?? noTexts;
  const rows = await reader.run(opening, { ...viewerOf(reader), ...valuesHolding(pieces), ...few });
  const of = (part: Row['part']) => rows.filter((row) => row.part === part);
  const lasts = of('last').map(({ kind, count }) => ({ kind, last: count }));
  const held = of('word').map(({ kind, count, words }) => ({
    pattern: kind,
    count: Number(count),
    words,
  }));
  return {
    runs: runsUpToAll(lasts),
    pieces: piecesIn(held, pieces),
    few: isFrequent
      ? undefined
      : newestAmong(of('text') as (Row & TextWith)[], few.most, mostTexts),
  };
};

const noTexts = { about: [], asked: '', others: [], most: 1 };

/** `kind` and `count` are a kind of record and its last ordinal, or a pattern and how many words it has. */
type Row = {
  part: 'last' | 'word' | 'text';
  kind: string;
  count: string;
  words: string | null;
} & {
  [Column in Exclude<keyof TextWith, 'kind'>]: TextWith[Column] | null;
};

type Values = Viewer & {
  parts: string[];
  patterns: string[];
  about: string[];
  asked: string;
  others: string[];
  most: number;
};

const opening = statement(
  (given: Given<Values>) => sql<Row>`
    select 'last' as part, kind, last as count, null as words, null::uuid as id, null::uuid as "recordId",
      null as source, null::boolean as "hasOthers" from (${lastOrdinalsOf(given.firmId)}) last
    union all
    select 'word', pattern, count, words, null, null, null, null from (${wordsHolding(given)}) held
    union all
    select 'text', kind, 0, null, id, "recordId", source, "hasOthers" from (${textsWith(given)}) few`,
);
