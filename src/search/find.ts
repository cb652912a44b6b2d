import type { Actor, Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { wordsOf } from '../search-text/search-text.ts';
import type { TextSource } from '../search-text/table.ts';
import type { Kinds } from './matches.ts';
import { type Numbered, recordsNumbered } from './numbers.ts';
import { keepPlans, searchAsMeant, searchAsWritten } from './search.ts';
import { type Details, detailsOf, textsByIds } from './shown.ts';
import { viewFound } from './view.ts';
import { readingsOf } from './words.ts';
import { type FoundText, recordsByText, type Standing } from './written.ts';

/** A record as the application's search shows it. */
export type FoundRecordOfFirm = Details & {
  /** A matter whose client was found. */
  isByClient: boolean;
  /** The text that was found, if the record was found by one. */
  written: { source: TextSource; text: string } | null;
};

export type FoundOfFirm = {
  rows: FoundRecordOfFirm[];
  total: number;
  /** The words that they were found by, each as `spacedOut` writes it. */
  words: string[];
  /** Words as they were typed that nothing which the reader may see contains. The others were searched. */
  leftOut: string[];
  /** Whether the first record has exactly the searched number. */
  isNumbered: boolean;
};

/**
 * What the application finds: what `search` finds, with the record first that has exactly this number;
 * then leads and matters by what was written in or about them. If nothing contains all the words, those
 * are left out that nothing contains.
 */
export const find = async (
  actor: Actor,
  kinds: Kinds,
  q: string,
  page: Page,
): Promise<FoundOfFirm> => {
  const found = await firstOf(waysToFind(actor, kinds, q, page));
  if (found.total > 0) return shown(actor, found, []);
  const { known, leftOut } = await knownAndNot(actor, kinds, q);
  if (known.length === 0 || leftOut.length === 0) return shown(actor, found, []);
  const rest = known.join(' ');
  const ofRest = await firstOf(waysToFind(actor, kinds, rest, page));
  return shown(actor, ofRest, leftOut);
};

type Found = { hits: Hit[]; total: number; words: string[]; isNumbered?: boolean };
type Hit =
  | Numbered
  | FoundText
  | { type: 'CONTACT' | 'LEAD' | 'MATTER'; id: string; isByClient: boolean };
type Way = () => Promise<Found>;

const nothing: Found = { hits: [], total: 0, words: [] };

const firstOf = async (ways: Way[]): Promise<Found> => {
  for (const way of ways) {
    const found = await way();
    if (found.total > 0) return found;
  }
  return nothing;
};

/** The ways to find all words, each for when the ones before it have found nothing. */
const waysToFind = (actor: Actor, kinds: Kinds, q: string, page: Page): Way[] => {
  const [words = []] = readingsOf(q);
  if (words.length === 0) return [];
  const most = page.offset + page.limit;
  const byText = (reader: Reader, standing: Standing) =>
    recordsByText(reader, kinds, words, standing, most);
  return [
    async () => {
      let texts = { found: [] as FoundText[], total: 0 };
      let numbered: Numbered[] = [];
      const names = await searchAsWritten(actor, kinds, q, page, async (reader) => {
        [numbered, texts] = await Promise.all([
          recordsNumbered(reader, kinds, q),
          byText(reader, 'text'),
        ]);
      });
      const isNumbered = ({ id }: { id: string }) => numbered.some((one) => one.id === id);
      const after = (place: number) => Math.max(0, place - names.total);
      return {
        hits: [
          ...(page.offset === 0 ? numbered : []),
          ...byName(names).filter((one) => !isNumbered(one)),
          ...texts.found.slice(after(page.offset), after(most)),
        ],
        total: Math.max(names.total, numbered.length) + texts.total,
        words: names.spellings,
        isNumbered: page.offset === 0 && numbered.length > 0,
      };
    },
    async () => {
      if (words.length === 1) return nothing;
      const texts = await actor.database.transaction(
        async ({ run, first }) => {
          void run(keepPlans);
          return byText({ ...actor, run, first }, 'text and record');
        },
        { of: actor.firmId },
      );
      return { hits: texts.found.slice(page.offset), total: texts.total, words };
    },
    async () => {
      const names = await searchAsMeant(actor, kinds, q, page);
      return { hits: byName(names), total: names.total, words: names.spellings };
    },
  ];
};

const byName = ({ matches, spellings }: Awaited<ReturnType<typeof searchAsMeant>>) =>
  matches.map((match) => ({
    type: match.type,
    id: match.id,
    isByClient: viewFound(match, spellings).matched === 'client',
  }));

/** Of what was typed, the words that something contains which the reader may see, and the others. */
const knownAndNot = async (actor: Actor, kinds: Kinds, q: string) => {
  const known: string[] = [];
  const leftOut: string[] = [];
  const typed = typedWords(q);
  if (typed.length < 2) return { known, leftOut };
  for (const word of typed) {
    const one = { limit: 1, offset: 0 };
    const { total } = await firstOf(waysToFind(actor, kinds, word, one));
    (total > 0 ? known : leftOut).push(word);
  }
  return { known, leftOut };
};

const mostAsked = 12;

/** The words as they were typed, and a number whose digits are grouped as one. */
const typedWords = (q: string): string[] => {
  const typed: string[] = [];
  for (const word of q.split(/\s+/).filter((one) => wordsOf(one).length > 0)) {
    const before = typed.at(-1);
    if (before && isDigits(before) && isDigits(word)) typed[typed.length - 1] = `${before} ${word}`;
    else typed.push(word);
  }
  return typed.slice(0, mostAsked);
};

const isDigits = (text: string) => /^[^\p{L}]*[0-9][^\p{L}]*$/u.test(text);

const shown = async (
  actor: Actor,
  { hits, total, words, isNumbered = false }: Found,
  leftOut: string[],
): Promise<FoundOfFirm> => {
  const textIds = hits.flatMap((hit) => ('textId' in hit ? [hit.textId] : []));
  const [details, texts] = await Promise.all([
    detailsOf(
      actor,
      hits.map(({ id }) => id),
    ),
    textsByIds(actor, textIds),
  ]);
  const rows = hits.flatMap((hit): FoundRecordOfFirm[] => {
    const of = details.get(hit.type + hit.id);
    const text = 'textId' in hit && texts.get(hit.textId);
    return of
      ? [
          {
            ...of,
            isByClient: 'isByClient' in hit && hit.isByClient,
            written: text ? { source: (hit as FoundText).source, text } : null,
          },
        ]
      : [];
  });
  return { rows, total, words, leftOut, isNumbered };
};
