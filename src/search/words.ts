import { apart, wordsOf } from '../findable/findable.ts';

/** One way to read what was searched for: words, all of which a record must hold, each `apart`. */
export type Reading = string[];

/** More words than these do not tell records apart any better. */
const mostWords = 12;

/**
 * The words as they stand, and with groups of digits put together: people group a phone number as
 * they like, while the groups of M-2026-0012 are words of their own.
 */
export const readingsOf = (q: string): Reading[] => {
  const words = wordsOf(q);
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const continues = /^[0-9]+ [0-9]+$/.test(`${words[index - 1]} ${word}`);
    if (continues) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
  }
  return (joined.length < words.length ? [words, joined] : [words])
    .filter((reading) => reading.length > 0)
    .map((reading) => [...new Set(reading.map(apart))].slice(0, mostWords));
};

/** The letters and the digits of a word, each by themselves. */
export const piecesOf = (word: string): string[] => word.split(' ');

/** Words so short are looked for at the beginning of words only. */
export const isShort = (word: string) => [...word.replaceAll(' ', '')].length < 3;

/** What a text must be like to hold a word as such. */
export const wholePattern = (word: string): string => `% ${word} %`;

/** What a text must be like to hold a word or a part of one. */
export const partPattern = (word: string): string => (isShort(word) ? `% ${word}%` : `%${word}%`);

/** Parts of a word, of three letters or digits, or its beginning, as an index has them; together they are all of it. */
export const coveringParts = (word: string): string[] => {
  if (isShort(word)) return [`% ${word}`];
  const letters = [...word];
  const starts = Array.from({ length: Math.ceil(letters.length / 3) }, (_, at) =>
    Math.min(at * 3, letters.length - 3),
  );
  return starts.map((from) => `%${letters.slice(from, from + 3).join('')}`);
};

/** How well a text holds a word: as a whole word, as the beginning of one, as a part, not at all. */
export const closeness = (text: string, word: string): number => {
  if (text.includes(` ${word} `)) return 3;
  if (text.includes(` ${word}`)) return 2;
  return !isShort(word) && text.includes(word) ? 1 : 0;
};
