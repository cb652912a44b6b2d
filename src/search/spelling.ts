import { sql } from 'drizzle-orm';
import { distanceBetween, mostTypos } from '../base/spelling.ts';
import { arrayOf } from '../findable/known-words.ts';
import { knownWord } from '../findable/table.ts';
import { statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { hashed, isOfFirm } from './index-keys.ts';
import { mostHolding } from './wire.ts';
import { coveringParts, partPattern } from './words.ts';

/** The known words that hold a part, or begin with it where it is very short; one too many where they are more. */
export const wordsHolding = async (reader: Reader, part: string): Promise<string[]> => {
  const found = await reader.run(holdingWords, {
    firmId: reader.firmId,
    parts: arrayOf(coveringParts(part)),
    pattern: partPattern(part),
  });
  return found.map(({ word }) => word);
};

/** A misspelled word may have been meant for so many words. */
const mostSpellings = 4;

const correctable = /^\p{L}{4,64}$/u;

/** The known words nearest to a word, itself among them where it is known; itself where it is no word to correct. */
export const wordsNear = async (reader: Reader, word: string): Promise<string[]> => {
  if (!correctable.test(word)) return [word];
  const most = mostTypos(word);
  return (await reader.run(nearWords, { firmId: reader.firmId, word }))
    .map((near) => ({ near: near.word, distance: distanceBetween(word, near.word, most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || a.near.localeCompare(b.near))
    .slice(0, mostSpellings)
    .map(({ near }) => near);
};

const holdingWords = statement(
  () => sql<{ word: string }>`
    select ${knownWord.word} from ${knownWord}
    where word_part_keys(firm_id, word) @> ${hashed(sql.placeholder('parts'), sql`0`)}
      and ${isOfFirm(knownWord.firmId)} and ' ' || word like ${sql.placeholder('pattern')}
    limit ${sql.raw(String(mostHolding + 1))}`,
);

const nearWords = statement(
  () => sql<{ word: string }>`
    select ${knownWord.word} from ${knownWord}
    where misspelling_keys(firm_id, word) && misspelling_keys(${sql.placeholder('firmId')}, ${sql.placeholder('word')})
      and ${isOfFirm(knownWord.firmId)}
    limit 5000`,
);
