import { sql } from 'drizzle-orm';
import { query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { isCorrectable, longWord, misspellingsOf } from '../record/known-words.ts';
import { knownWord } from '../record/table.ts';
import { mostSpellings, type Reading } from './words.ts';

/** A reading with the words the firm knows that each word may have been meant for; undefined without any. */
export const correctedFrom = async (
  reader: Reader,
  reading: Reading,
): Promise<Reading | undefined> => {
  const corrected = await Promise.all(
    reading.map(async ([word = '']) =>
      isCorrectable(word) ? await spellingsNear(reader, word) : [word],
    ),
  );
  const isAnyOther = corrected.some((spellings, at) => spellings.join() !== reading[at]?.join());
  return isAnyOther && corrected.every(({ length }) => length > 0) ? corrected : undefined;
};

/** The known words nearest to a word, itself among them where it is known. */
const spellingsNear = async (reader: Reader, word: string): Promise<string[]> => {
  const misspellings = `{${misspellingsOf(word)}}`;
  const known = await reader.run(nearWords, { firmId: reader.firmId, misspellings });
  const most = [...word].length < longWord ? 1 : 2;
  return known
    .map((near) => ({ near: near.word, distance: distanceBetween(word, near.word, most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || a.near.localeCompare(b.near))
    .slice(0, mostSpellings)
    .map(({ near }) => near);
};

const nearWords = statement(() =>
  query
    .select({ word: knownWord.word })
    .from(knownWord)
    .where(
      sql`${knownWord.firmId} = ${sql.placeholder('firmId')}
        and ${knownWord.misspellings} && ${sql.placeholder('misspellings')}::text[]`,
    )
    .limit(5_000),
);

/** How many letters are wrong, missing, too many or swapped with the next; more than `most` is not told apart. */
export const distanceBetween = (one: string, other: string, most: number): number => {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        cell(row, j) + 1,
        cell(next, j - 1) + 1,
        cell(row, j - 1) + (isSame ? 0 : 1),
        isSwapped ? cell(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return cell(row, b.length);
};

const cell = (row: number[], at: number) => row[at] ?? Number.POSITIVE_INFINITY;
