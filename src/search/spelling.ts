import { sql } from 'drizzle-orm';
import { distanceBetween, maxTypos } from '../base/spelling.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { hashed, isOfFirm } from '../search-text/index-keys.ts';
import { isNumber } from '../search-text/known-words.ts';
import { knownWord } from '../search-text/table.ts';
import { canSeeWord, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { maxHolding } from './wire.ts';
import { coveringParts, partPattern } from './words.ts';

/** The letters or the digits of a searched word, and the known words that contain them. */
export type Piece = {
  piece: string;
  /** Empty if none does, and if there are too many to list. */
  holding: string[];
  /** Whether there are more than `maxHolding`. */
  isCut: boolean;
};

/**
 * The known words that contain each of these pieces, or begin with it if it is very short. Words of digits
 * cannot be known: nothing holds them.
 */
export const piecesHeld = async (reader: Reader, pieces: string[]): Promise<Piece[]> => {
  const asked = pieces.filter((piece) => !isNumber(piece));
  const values = {
    parts: asked.map((piece) => coveringParts(piece).join('|')),
    patterns: asked.map(partPattern),
  };
  const isNeeded = asked.length > 0;
  const found = isNeeded ? await reader.run(holding, { ...viewerOf(reader), ...values }) : [];
  const held = new Map(found.map(({ pattern, count, words }) => [pattern, { count, words }]));
  return pieces.map((piece) => {
    const { count = 0, words = null } = held.get(partPattern(piece)) ?? {};
    return { piece, holding: words?.split(' ') ?? [], isCut: count > maxHolding };
  });
};

/** A misspelled word may have meant up to this many words. */
const maxSpellings = 4;

const correctable = /^\p{L}{4,64}$/u;

/**
 * The known words nearest to a word, including itself if it is known. Only itself if it cannot be
 * corrected.
 */
export const wordsNear = async (reader: Reader, word: string): Promise<string[]> => {
  if (!correctable.test(word)) return [word];
  const max = maxTypos(word);
  const found = await reader.run(nearWords, { ...viewerOf(reader), word });
  return [...new Set(found.map((near) => near.word))]
    .map((near) => ({ near, distance: distanceBetween(word, near, max) }))
    .filter(({ distance }) => distance <= max)
    .sort((a, b) => a.distance - b.distance || a.near.localeCompare(b.near))
    .slice(0, maxSpellings)
    .map(({ near }) => near);
};

// A word may be known twice, from a private record and from another one.
const maxHoldingRows = 2 * (maxHolding + 1);

type Holding = { pattern: string; count: number; words: string | null };
type Asked = Viewer & { parts: string[]; patterns: string[] };

const holding = statement(
  (given: Given<Asked>) => sql<Holding>`
    select asked.pattern, held.count, held.words
    from unnest(${given.parts}::text[], ${given.patterns}::text[]) asked(parts, pattern)
      cross join lateral (
        select count(distinct word)::int as count,
          case when count(distinct word) <= ${sql.raw(String(maxHolding))} then string_agg(distinct word, ' ') end as words
        from (
          select ${knownWord.word} from ${knownWord}
          where word_part_keys(firm_id, word) @> ${hashed(sql`string_to_array(asked.parts, '|')`, given.firmId, sql`0`)}
            and ${isOfFirm(knownWord.firmId, given.firmId)} and ' ' || word like asked.pattern and ${canSeeWord(given)}
          limit ${sql.raw(String(maxHoldingRows))}) word) held`,
);

const nearWords = statement(
  (given: Given<Viewer & { word: string }>) => sql<{ word: string }>`
    select ${knownWord.word} from ${knownWord}
    where misspelling_keys(firm_id, word) && misspelling_keys(${given.firmId}, ${given.word})
      and ${isOfFirm(knownWord.firmId, given.firmId)} and ${canSeeWord(given)}
    limit 5000`,
);
