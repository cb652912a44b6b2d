import { addressForms, phoneReader } from '../contacts/same-address.ts';
import { readFirm } from '../firm/firm.ts';
import type { Reader } from '../record/actor.ts';
import { digitsOf, spacedOut, wordsOf } from '../search-text/search-text.ts';

/**
 * One way to read a search: words, all of which a record must contain, each as `spacedOut` writes it.
 */
export type Reading = string[];

/** More words than this do not narrow a search any further. */
const maxWords = 12;

/**
 * The words as typed, and with groups of digits joined: people group the digits of a phone number
 * as they like, but the groups of M-2026-0012 are separate words.
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
    .map((reading) => [...new Set(reading.map(spacedOut))].slice(0, maxWords));
};

// As people write phone numbers, and with as many digits as one has at least.
const likePhone = /^[+(]?[\d\s().\-/+]*$/;
const fewestDigits = 7;

/**
 * Other ways to write the phone number or the mail address that was typed: a number without its country
 * code, a domain in ASCII or in letters.
 */
export const otherReadingsOf = async (reader: Reader, q: string): Promise<Reading[]> => {
  const typed = readingsOf(q).map((reading) => reading.join(' '));
  const others = q.includes('@') ? addressForms(q) : await numberForms(reader, q.trim());
  return others
    .map((form) => wordsOf(form).map(spacedOut))
    .filter((reading) => reading.length > 0 && !typed.includes(reading.join(' ')));
};

const numberForms = async (reader: Reader, q: string): Promise<string[]> => {
  if (!likePhone.test(q) || digitsOf(q).length < fewestDigits) return [];
  const read = await phoneReader((await readFirm(reader)).timeZone);
  const { e164, digits } = read(q);
  return e164 && digits ? [digits] : [];
};

/** The letters and the digits of a word, separately. */
export const piecesOf = (word: string): string[] => word.split(' ');

/** Words this short match only the beginning of words. */
export const isShort = (word: string) => [...word.replaceAll(' ', '')].length < 3;

/** The pattern of a text that contains a whole word. */
export const wholePattern = (word: string): string => `% ${word} %`;

/** The pattern of a text that contains a word or a part of one. */
export const partPattern = (word: string): string => (isShort(word) ? `% ${word}%` : `%${word}%`);

/**
 * Parts of a word with three letters or digits, or its beginning, as the index has them. Together
 * they cover the word.
 */
export const coveringParts = (word: string): string[] => {
  if (isShort(word)) return [`% ${word}`];
  const letters = [...word];
  const starts = Array.from({ length: Math.ceil(letters.length / 3) }, (_, at) =>
    Math.min(at * 3, letters.length - 3),
  );
  return starts.map((from) => `%${letters.slice(from, from + 3).join('')}`);
};

/**
 * How well a text matches a word: as a whole word, as the beginning of one, as a part, or not at
 * all.
 */
export const closeness = (text: string, word: string): number => {
  if (text.includes(` ${word} `)) return maxCloseness;
  if (text.includes(` ${word}`)) return 2;
  return !isShort(word) && text.includes(word) ? 1 : 0;
};

export const maxCloseness = 3;
