import { sql } from 'drizzle-orm';
import type { Transaction } from '../postgres/pool.ts';
import { query, statement } from '../postgres/statement.ts';
import { knownWord } from './table.ts';

/** Only words of letters are taken for misspelled: of numbers each is as good as another. */
const correctable = /^\p{L}{4,64}$/u;

export const isCorrectable = (word: string): boolean => correctable.test(word);

/** Words of at least this length may have two letters wrong, shorter ones one. */
export const longWord = 7;

/**
 * What is left of a word's beginning without any one or two of its letters. Of two words that are
 * a small typo apart, some of it is the same, so that one finds the other.
 */
export const misspellingsOf = (word: string): string[] => {
  const letters = [...word];
  const beginning = letters.slice(0, longWord).join('');
  const once = withoutOne(beginning);
  const twice = letters.length < longWord ? [] : once.flatMap(withoutOne);
  return [...new Set([beginning, ...once, ...twice])];
};

const withoutOne = (word: string): string[] => {
  const letters = [...word];
  return letters.map((_, index) => letters.toSpliced(index, 1).join(''));
};

/** Words lately found stored, by firm: most of a new record's words are other records' as well. */
const lately = new Set<string>();
const mostLately = 100_000;

/** Remembers the words of a text, with the write that stores the text. Nothing needs to be waited for. */
export const learnWords = (transaction: Transaction, firmId: string, findableBy: string) => {
  // Sorted, so that two writes that learn the same words do not wait for each other in a circle.
  const words = [...new Set(findableBy.split(' ').filter(isCorrectable))].sort();
  const unknown = words.filter((word) => !lately.has(`${firmId} ${word}`));
  if (unknown.length === 0) return;
  for (const word of unknown) {
    const misspellings = `{${misspellingsOf(word)}}`;
    void transaction.run(insertWord, { firmId, word, misspellings });
  }
  transaction.afterCommit(() => {
    if (lately.size > mostLately) lately.clear();
    for (const word of unknown) lately.add(`${firmId} ${word}`);
  });
};

const insertWord = statement(() =>
  query
    .insert(knownWord)
    .values({
      firmId: sql.placeholder('firmId'),
      word: sql.placeholder('word'),
      misspellings: sql`${sql.placeholder('misspellings')}::text[]`,
    } as never)
    .onConflictDoNothing(),
);
