import type { Actor, Reader } from '../record/actor.ts';
import { withKeptPlans } from '../record/kept-plans.ts';
import type { Page } from '../record/page.ts';
import { wordsOf } from '../search-text/search-text.ts';
import type { TextSource } from '../search-text/table.ts';
import type { Kinds } from './matches.ts';
import { type Numbered, recordsNumbered } from './numbers.ts';
import { type Matches, searchAsMeant, searchAsWritten } from './search.ts';
import { type Details, detailsOf, textsByIds } from './shown.ts';
import { viewFound } from './view.ts';
import { maxMatches } from './wire.ts';
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
 * then records by what was written in or about them, of which the newest `mostTexts` are looked
 * at. If nothing contains all the words, those are left out that nothing contains.
 */
export const find = async (
  actor: Actor,
  kinds: Kinds,
  q: string,
  page: Page,
  mostTexts = maxMatches,
): Promise<FoundOfFirm> => {
  const look = looking(actor, kinds, page, mostTexts);
  const found = await look.asWritten(q);
  if (found.total > 0) return shown(actor, found, []);
  const typed = typedWords(q);
  const each = typed.length < 2 ? [] : await Promise.all(typed.map(look.asWritten));
  const isEachKnown = each.every(({ total }) => total > 0);
  const ofAll = await firstOf([
    async () => (isEachKnown ? look.inTextAndRecord(q) : nothing),
    () => look.asMeant(q),
  ]);
  if (ofAll.total > 0 || isEachKnown) return shown(actor, ofAll, []);
  const words = await Promise.all(
    each.map(async (one, at) => (one.total > 0 ? one : look.asMeant(typed[at] ?? ''))),
  );
  const isKnown = (_: unknown, at: number) => (words[at]?.total ?? 0) > 0;
  const known = typed.filter(isKnown);
  const leftOut = typed.filter((word, at) => !isKnown(word, at));
  if (known.length === 0 || leftOut.length === 0) return shown(actor, nothing, []);
  const rest = known.join(' ');
  const ofRest =
    known.length === 1
      ? (words.find(isKnown) ?? nothing)
      : await firstOf([
          () => look.asWritten(rest),
          () => look.inTextAndRecord(rest),
          () => look.asMeant(rest),
        ]);
  return shown(actor, ofRest, leftOut);
};

type Found = { hits: Hit[]; total: number; words: string[]; isNumbered?: boolean };
type Hit = Numbered | FoundText | FoundByName;
type FoundByName = { type: Details['type']; id: string; isByClient: boolean; details: Details };
type Way = () => Promise<Found>;

const nothing: Found = { hits: [], total: 0, words: [] };

const firstOf = async (ways: Way[]): Promise<Found> => {
  for (const way of ways) {
    const found = await way();
    if (found.total > 0) return found;
  }
  return nothing;
};

/** The ways to find all the words of what was typed. */
const looking = (actor: Actor, kinds: Kinds, page: Page, mostTexts: number) => {
  const most = page.offset + page.limit;
  const byText = (reader: Reader, words: string[], standing: Standing) =>
    recordsByText(reader, kinds, words, standing, { most, mostTexts });
  return {
    asWritten: async (q: string): Promise<Found> => {
      const [words = []] = readingsOf(q);
      if (words.length === 0) return nothing;
      let texts = { found: [] as FoundText[], total: 0 };
      let numbered: Numbered[] = [];
      const names = await searchAsWritten(actor, kinds, q, page, 'all', async (reader) => {
        [numbered, texts] = await Promise.all([
          recordsNumbered(reader, kinds, q),
          byText(reader, words, 'text'),
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
    inTextAndRecord: async (q: string): Promise<Found> => {
      const [words = []] = readingsOf(q);
      if (words.length < 2) return nothing;
      const texts = await withKeptPlans(actor, (reader) =>
        byText(reader, words, 'text and record'),
      );
      return { hits: texts.found.slice(page.offset), total: texts.total, words };
    },
    asMeant: async (q: string): Promise<Found> => {
      if (readingsOf(q).length === 0) return nothing;
      const names = await searchAsMeant(actor, kinds, q, page, 'all');
      return { hits: byName(names), total: names.total, words: names.spellings };
    },
  };
};

const byName = ({ matches, spellings }: Matches<'all'>): FoundByName[] =>
  matches.map((match) => ({
    type: match.type,
    id: match.id,
    isByClient: viewFound(match, spellings).matched === 'client',
    details: { ...match, name: match.title ?? match.name },
  }));

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
  const others = hits.filter((hit) => !('details' in hit)).map(({ id }) => id);
  const textIds = hits.flatMap((hit) => ('textId' in hit ? [hit.textId] : []));
  const [details, texts] = await readShown(actor, others, textIds);
  const rows = hits.flatMap((hit): FoundRecordOfFirm[] => {
    if ('details' in hit) return [{ ...hit.details, isByClient: hit.isByClient, written: null }];
    const of = details.get(hit.type + hit.id);
    if (!of) return [];
    const text = 'textId' in hit && texts.get(hit.textId);
    const written = text ? { source: hit.source, text } : null;
    return [{ ...of, isByClient: false, written }];
  });
  return { rows, total, words, leftOut, isNumbered };
};

const readShown = (actor: Actor, ids: string[], textIds: string[]) =>
  ids.length === 0
    ? ([new Map<string, Details>(), new Map<string, string>()] as const)
    : withKeptPlans(actor, (reader) =>
        Promise.all([detailsOf(reader, ids), textsByIds(reader, textIds)]),
      );
