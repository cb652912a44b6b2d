/** @jsxImportSource preact */
import { distanceBetween } from '../base/spelling.ts';
import type { Page } from './page.ts';
import { plain, sectionsOf } from './sections.ts';

type Entry = { title: string; of: string; href: string; text: string; lower: string };

/** The places of all pages that can be found: each heading with its text; and all their words. */
export type Places = { entries: readonly Entry[]; words: readonly string[] };

export const placesOf = (pages: readonly Page[]): Places => {
  const entries = entriesOf(pages);
  return { entries, words: [...new Set(entries.flatMap(({ lower }) => lettersIn(lower)))] };
};

const entriesOf = (pages: readonly Page[]): Entry[] =>
  pages.flatMap(({ path, title, markdown }) =>
    sectionsOf(markdown).map((section, at) => {
      const text = plain(section.text).replaceAll(/\s+/g, ' ');
      return {
        title: at === 0 ? title : section.title,
        of: at === 0 ? '' : title,
        href: at === 0 ? path : `${path}#${section.anchor}`,
        text,
        lower: `${title} ${section.title} ${text}`.toLowerCase(),
      };
    }),
  );

/** A search is of words of at most this many letters in all. */
const longest = 100;
const most = 20;

/** The words of a search. They have no letter that means something in a regular expression. */
const wordsOf = (query: string): string[] =>
  query
    .slice(0, longest)
    .toLowerCase()
    .match(/[\p{L}\p{N}_/-]+/gu) ?? [];

const lettersIn = (text: string): string[] => text.match(/\p{L}{4,}/gu) ?? [];

/** The words of a search, each that occurs nowhere as the known word from which one letter parts it. */
const corrected = ({ entries, words }: Places, sought: readonly string[]): string[] =>
  sought.map((word) => {
    const isKnown = entries.some(({ lower }) => lower.includes(word));
    if (isKnown || !/^\p{L}{4,}$/u.test(word)) return word;
    const isNear = (one: string) =>
      Math.abs(one.length - word.length) < 2 && distanceBetween(word, one, 1) === 1;
    return words.find(isNear) ?? word;
  });

/** What is found for some words: all must occur. Titles count more, and pages more than their parts. */
const find = ({ entries }: Places, words: readonly string[]): Entry[] => {
  if (words.length === 0) return [];
  const weight = ({ title, of }: Entry) => {
    const inTitle = words.filter((word) => title.toLowerCase().includes(word)).length;
    return inTitle * 2 + (of === '' ? 1 : 0);
  };
  return entries
    .filter(({ lower }) => words.every((word) => lower.includes(word)))
    .map((place) => ({ place, weight: weight(place) }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map(({ place }) => place);
};

/** The text around the first of the words, from one word to another, with what was found marked. */
const Around = ({ place: { text }, words }: { place: Entry; words: readonly string[] }) => {
  const found = text.toLowerCase().indexOf(words[0] ?? '');
  const from = found < 60 ? 0 : text.indexOf(' ', found - 60) + 1;
  const to = text.length < from + 160 ? text.length : text.lastIndexOf(' ', from + 160);
  const any = new RegExp(`(${words.join('|')})`, 'i');
  return (
    <p>
      {from > 0 && '… '}
      {text
        .slice(from, to)
        .split(any)
        .map((part, at) => (at % 2 === 1 ? <mark>{part}</mark> : part))}
      {to < text.length && ' …'}
    </p>
  );
};

/** The page of a search. */
export const Found = ({ places, query }: { places: Places; query: string }) => {
  const sought = wordsOf(query);
  const words = corrected(places, sought);
  const found = find(places, words);
  const isOther = found.length > 0 && words.join() !== sought.join();
  return (
    <div class="doc one">
      <div class="text">
        <h1>{query ? `Search: ${query.slice(0, longest)}` : 'Search'}</h1>
        {isOther && <p>This is what was found for “{words.join(' ')}”.</p>}
        {query && found.length === 0 && (
          <p>Nothing was found. Try one word, a path like /v1/leads, or the code of an error.</p>
        )}
        <ol class="found">
          {found.map((one) => (
            <li>
              <a href={one.href}>{one.title}</a>
              {one.of && <span class="of"> {one.of}</span>}
              <Around place={one} words={words} />
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
};
