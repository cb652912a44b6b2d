import type { VNode } from 'preact';
import { digitsOf, spacedOut, wordsOf } from '../../search-text/search-text.ts';
import { markup } from '../markup.ts';

const word = /[\p{L}\p{N}\p{M}]+/gu;

/** A text with the searched words marked. `words` are as `spacedOut` writes them. */
export const marked = (text: string, words: readonly string[]): VNode => {
  const parts: (string | VNode)[] = [];
  let from = 0;
  for (const { found, index } of meantIn(text, words)) {
    parts.push(text.slice(from, index), markup`<mark>${found}</mark>`);
    from = index + found.length;
  }
  return markup`${parts}${text.slice(from)}`;
};

/** The words of a text that are meant, with their places. */
function* meantIn(text: string, words: readonly string[]) {
  for (const one of wordsIn(text, words)) if (isMeant(one.found, words)) yield one;
}

/** The words of a text; of a plain one those alone that contain a searched word, which most texts do not. */
function* wordsIn(text: string, words: readonly string[]) {
  const isPlain = /^[ -~]*$/.test(text) && !words.some((one) => one.includes(' '));
  if (!isPlain) {
    for (const { 0: found, index } of text.matchAll(word)) yield { found, index };
    return;
  }
  const lower = text.toLowerCase();
  const searched = new RegExp(words.map(RegExp.escape).join('|'), 'g');
  for (let match = searched.exec(lower); match?.[0]; match = searched.exec(lower)) {
    let [from, to] = [match.index, searched.lastIndex];
    while (isOfWord(lower[from - 1])) from -= 1;
    while (isOfWord(lower[to])) to += 1;
    searched.lastIndex = to;
    yield { found: text.slice(from, to), index: from };
  }
}

const isOfWord = (letter: string | undefined) => letter !== undefined && /[a-z0-9]/.test(letter);

/** A phone number, marked if it contains a searched number: people group the digits as they like. */
export const markedPhone = (text: string, words: readonly string[]): VNode =>
  words.some((one) => isLongNumber(one) && digitsOf(text).includes(one))
    ? markup`<mark>${text}</mark>`
    : markup`${text}`;

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

const lettersBefore = 60;
const lettersShown = 180;

/** The part of a long text around its first searched word, on one line. */
export const excerptOf = (text: string, words: readonly string[]): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const [first] = meantIn(line, words);
  const wanted = Math.max(0, (first?.index ?? 0) - lettersBefore);
  const from = wanted === 0 ? 0 : line.indexOf(' ', wanted) + 1;
  const to = from + lettersShown;
  if (to >= line.length) return `${from > 0 ? '… ' : ''}${line.slice(from)}`;
  const end = Math.max(line.lastIndexOf(' ', to), (first?.index ?? 0) + (first?.found.length ?? 0));
  return `${from > 0 ? '… ' : ''}${line.slice(from, end)} …`;
};
