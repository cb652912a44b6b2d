import { sql } from 'drizzle-orm';
import { distanceBetween, maxTypos } from '../base/spelling.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { hashed, isOfFirm } from '../search-text/index-keys.ts';
import { knownWord } from '../search-text/table.ts';
import { canSeeWord, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { maxHolding } from './wire.ts';
import { coveringParts, partPattern } from './words.ts';

/**
 * The known words that contain a part, or begin with it if it is very short. More than
 * `maxHolding` if there are more.
 */
export const wordsHolding = async (reader: Reader, part: string): Promise<string[]> => {
  const found = await reader.run(holdingWords, {
    ...viewerOf(reader),
    parts: coveringParts(part),
    pattern: partPattern(part),
  });
  return [...new Set(found.map(({ word }) => word))];
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

const holdingWords = statement(
  (given: Given<Viewer & { parts: string[]; pattern: string }>) => sql<{ word: string }>`
    select ${knownWord.word} from ${knownWord}
    where word_part_keys(firm_id, word) @> ${hashed(given.parts, given.firmId, sql`0`)}
      and ${isOfFirm(knownWord.firmId, given.firmId)} and ' ' || word like ${given.pattern} and ${canSeeWord(given)}
    limit ${sql.raw(String(maxHoldingRows))}`,
);

const nearWords = statement(
  (given: Given<Viewer & { word: string }>) => sql<{ word: string }>`
    select ${knownWord.word} from ${knownWord}
    where misspelling_keys(firm_id, word) && misspelling_keys(${given.firmId}, ${given.word})
      and ${isOfFirm(knownWord.firmId, given.firmId)} and ${canSeeWord(given)}
    limit 5000`,
);
