/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { digitsOf, spacedOut, wordsOf } from '../../search-text/search-text.ts';

const word = /[\p{L}\p{N}\p{M}]+/gu;

/** A text with the searched words marked. `words` are as `spacedOut` writes them. */
export const Marked = ({ text, words }: { text: string; words: readonly string[] }) => {
  if (isPlainlyWithout(text, words)) return <>{text}</>;
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(word)) {
    if (!isMeant(found, words)) continue;
    parts.push(text.slice(from, index), <mark>{found}</mark>);
    from = index + found.length;
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
};

/** Whether a glance shows that no word of a text is meant: most facts about a found record contain none. */
const isPlainlyWithout = (text: string, words: readonly string[]): boolean => {
  if (!/^[ -~]*$/.test(text)) return false;
  const lower = text.toLowerCase();
  return words.every((one) => !one.includes(' ') && !lower.includes(one));
};

/** A phone number, marked if it contains a searched number: people group the digits as they like. */
export const MarkedPhone = ({ text, words }: { text: string; words: readonly string[] }) =>
  words.some((one) => isLongNumber(one) && digitsOf(text).includes(one)) ? (
    <mark>{text}</mark>
  ) : (
    text
  );

const isLongNumber = (text: string) => /^[0-9]{3,}$/.test(text);

/** A shorter word is marked only where it begins one; a letter alone only where it stands alone. */
const leastInside = 3;

const isMeant = (found: string, words: readonly string[]): boolean => {
  const comparable = comparableOf(found);
  const plain = comparable.replace(/^0+(?=[0-9])/, '');
  return words.some((one) =>
    one.length === 1
      ? comparable === one || plain === one
      : comparable.startsWith(one) ||
        plain.startsWith(one) ||
        (one.length >= leastInside && comparable.includes(one)),
  );
};

// A page has hundreds of words, nearly all of them plain.
const comparableOf = (found: string) =>
  /^(?:[A-Za-z]+|[0-9]+)$/.test(found)
    ? found.toLowerCase()
    : wordsOf(found).map(spacedOut).join(' ');

const firstMeant = (line: string, words: readonly string[]) => {
  for (const match of line.matchAll(word)) if (isMeant(match[0], words)) return match;
  return undefined;
};

const lettersBefore = 60;
const lettersShown = 180;

/** The part of a long text around its first searched word, on one line. */
export const excerptOf = (text: string, words: readonly string[]): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const first = firstMeant(line, words);
  const wanted = Math.max(0, (first?.index ?? 0) - lettersBefore);
  const from = wanted === 0 ? 0 : line.indexOf(' ', wanted) + 1;
  const to = from + lettersShown;
  if (to >= line.length) return `${from > 0 ? '… ' : ''}${line.slice(from)}`;
  const end = Math.max(line.lastIndexOf(' ', to), (first?.index ?? 0) + (first?.[0].length ?? 0));
  return `${from > 0 ? '… ' : ''}${line.slice(from, end)} …`;
};
