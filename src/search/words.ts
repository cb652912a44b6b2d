import { searchable } from '../record/findable.ts';

/**
 * One way to read what was searched for: words, each with the spellings that will do for it. A
 * record is found by it when every word stands in its text, in one of its spellings.
 */
export type Reading = string[][];

/** More words than these do not tell records apart any better. */
const mostWords = 12;

/** A misspelled word may have been meant for so many words. */
export const mostSpellings = 4;

/**
 * The words as they stand, and with groups of digits put together: people group a phone number as
 * they like, while the groups of M-2026-0012 are words of their own.
 */
export const readingsOf = (q: string): Reading[] => {
  const words = searchable(q).trim().split(' ').filter(Boolean);
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const continues = isDigits(word) && isDigits(words[index - 1] ?? '');
    if (continues) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
  }
  return (joined.length < words.length ? [words, joined] : [words])
    .filter((reading) => reading.length > 0)
    .map((reading) => [...new Set(reading)].slice(0, mostWords).map((word) => [word]));
};

export const isDigits = (word: string) => /^\p{N}+$/u.test(word);

/** What a text must be like to hold a word: part of it, or its beginning where it is very short. */
export const patternOf = (word: string): string =>
  [...word].length < 3 ? `% ${word}%` : `%${word}%`;

/** How well a text holds a word: as a whole word, as the beginning of one, as a part, not at all. */
export const closeness = (text: string, word: string): number => {
  if (text.includes(` ${word} `)) return 3;
  if (text.includes(` ${word}`)) return 2;
  return [...word].length >= 3 && text.includes(word) ? 1 : 0;
};
