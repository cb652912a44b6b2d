import type { Actor, Reader } from '../record/actor.ts';
import { withKeptPlans } from '../record/kept-plans.ts';
import type { Page } from '../record/page.ts';
import { wordsOf } from '../search-text/search-text.ts';
import type { TextSource } from '../search-text/table.ts';
import { fewTextsWith, recordsOfTexts } from './few-texts.ts';
import type { Kinds } from './matches.ts';
import { recordsByNewest, recordsByText } from './newest-texts.ts';
import { recordsNumbered } from './numbers.ts';
import { type Matches, namesIn, withLastRead } from './search.ts';
import { type Details, detailsOf } from './shown.ts';
import { isByClient, viewFound } from './view.ts';
import { maxMatches } from './wire.ts';
import { readingsOf } from './words.ts';
import type { FoundByText, FoundText } from './written.ts';

/** A record as the application's search shows it. */
export type FoundRecordOfFirm = Details & {
  /** A matter whose client was found. */
  isByClient: boolean;
  /** That client, where it was asked for. */
  client?: string | undefined;
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
  const { last, isOver } = await withLastRead(actor, async (reader) => {
    const look = looking(reader, kinds, page, mostTexts);
    const asWritten = await look.asWritten(q);
    return asWritten
      ? { last: asWritten(), isOver: false }
      : { last: Promise.resolve(await otherwise(look, q)), isOver: true };
  });
  if (isOver || last.total > 0) return last;
  return withKeptPlans(actor, (reader) => otherwise(looking(reader, kinds, page, mostTexts), q));
};

const nothing: FoundOfFirm = { rows: [], total: 0, words: [], leftOut: [], isNumbered: false };

type Look = ReturnType<typeof looking>;

/** What is found if nothing contains all the words as they are written. */
const otherwise = async (look: Look, q: string): Promise<FoundOfFirm> => {
  const typed = typedWords(q);
  const each = typed.length < 2 ? [] : await Promise.all(typed.map(look.findAsWritten));
  const isEachKnown = each.every(({ total }) => total > 0);
  const ofAll = await firstOf([
    async () => (isEachKnown ? look.inTextAndRecord(q) : nothing),
    () => look.asMeant(q),
  ]);
  if (ofAll.total > 0 || isEachKnown) return ofAll;
  const words = await Promise.all(
    each.map(async (one, at) => (one.total > 0 ? one : look.asMeant(typed[at] ?? ''))),
  );
  const isKnown = (_: unknown, at: number) => (words[at]?.total ?? 0) > 0;
  const known = typed.filter(isKnown);
  const leftOut = typed.filter((word, at) => !isKnown(word, at));
  if (known.length === 0 || leftOut.length === 0) return nothing;
  const rest = known.join(' ');
  const ofRest =
    known.length === 1
      ? (words.find(isKnown) ?? nothing)
      : await firstOf([
          () => look.findAsWritten(rest),
          () => look.inTextAndRecord(rest),
          () => look.asMeant(rest),
        ]);
  return { ...ofRest, leftOut };
};

type Way = () => Promise<FoundOfFirm>;

const firstOf = async (ways: Way[]): Promise<FoundOfFirm> => {
  for (const way of ways) {
    const found = await way();
    if (found.total > 0) return found;
  }
  return nothing;
};

/** The ways to find all the words of what was typed, within one transaction. */
const looking = (reader: Reader, kinds: Kinds, page: Page, mostTexts: number) => {
  const most = page.offset + page.limit;
  const names = namesIn(reader, kinds, page, 'all');

  /** What was found by names and numbers, then what was found by texts. */
  const together = (
    byName: Matches<'all'>,
    numbered: Details[],
    texts: FoundByText,
  ): FoundOfFirm => {
    const isNumbered = ({ id }: { id: string }) => numbered.some((one) => one.id === id);
    const after = (place: number) => Math.max(0, place - byName.total);
    return {
      rows: [
        ...(page.offset === 0 ? numbered : []).map(plain),
        ...rowsOf(byName).filter((one) => !isNumbered(one)),
        ...texts.found.slice(after(page.offset), after(most)).map(withText),
      ],
      total: Math.max(byName.total, numbered.length) + texts.total,
      words: byName.words,
      leftOut: [],
      isNumbered: page.offset === 0 && numbered.length > 0,
    };
  };

  /** Undefined if nothing can be found; otherwise what looks for it, which may be the last read. */
  const asWritten = async (q: string): Promise<Way | undefined> => {
    const [words = []] = readingsOf(q);
    if (words.length === 0) return undefined;
    const [sought, numbers, few] = await Promise.all([
      names.asWritten(q),
      recordsNumbered(reader, kinds, q),
      fewTextsWith(reader, kinds, words, mostTexts),
    ]);
    if (!sought.looks && numbers.length === 0 && few?.length === 0) return undefined;
    const bounds = { most, mostTexts };
    const newest = few ? undefined : await recordsByNewest(reader, kinds, words, bounds);
    return async () => {
      const [byName, details, texts] = await Promise.all([
        names.find(sought),
        detailsOf(
          reader,
          numbers.map(({ id }) => id),
        ),
        few
          ? recordsOfTexts(reader, words, few, most)
          : (newest ?? recordsByText(reader, kinds, words, 'text', bounds)),
      ]);
      const numbered = numbers.flatMap(({ type, id }) => details.get(type + id) ?? []);
      return together(byName, numbered, texts);
    };
  };

  return {
    asWritten,
    findAsWritten: async (q: string) => (await asWritten(q))?.() ?? nothing,
    inTextAndRecord: async (q: string): Promise<FoundOfFirm> => {
      const [words = []] = readingsOf(q);
      if (words.length < 2) return nothing;
      const bounds = { most, mostTexts };
      const { found, total } = await recordsByText(reader, kinds, words, 'text and record', bounds);
      return { ...nothing, rows: found.slice(page.offset).map(withText), total, words };
    },
    asMeant: async (q: string): Promise<FoundOfFirm> => {
      if (readingsOf(q).length === 0) return nothing;
      const found = await names.find(await names.asMeant(q));
      return { ...nothing, rows: rowsOf(found), total: found.total, words: found.words };
    },
  };
};

const plain = (details: Details): FoundRecordOfFirm => ({
  ...details,
  isByClient: false,
  written: null,
});

const withText = ({ source, text, ...details }: FoundText): FoundRecordOfFirm => ({
  ...plain(details),
  written: text === null ? null : { source, text },
});

const rowsOf = ({ matches, words }: Matches<'all'>): FoundRecordOfFirm[] =>
  matches.map((match) => ({
    ...plain({ ...match, name: match.title ?? match.name }),
    isByClient: isByClient(viewFound(match, words)),
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
