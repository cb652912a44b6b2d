import type { Actor, Reader } from '../record/actor.ts';
import { withKeptPlans } from '../record/kept-plans.ts';
import type { Listed, Page } from '../record/page.ts';
import { isNumber } from '../search-text/known-words.ts';
import { lookForMeant, lookForParts, lookForWholes } from './look.ts';
import { type Detail, type Kinds, type Looks, type Matched, matchesOf } from './matches.ts';
import { type RunsOfKinds, runsOf } from './runs.ts';
import { type Piece, piecesHeld, wordsNear } from './spelling.ts';
import { viewFound } from './view.ts';
import type { FoundRow } from './wire.ts';
import { isShort, otherReadingsOf, piecesOf, type Reading, readingsOf } from './words.ts';

/**
 * A page of the records of these kinds that contain every searched word, the best first. It reads
 * the rows themselves, so it finds what was committed a moment ago on any instance. Only if nothing
 * is found, the words are treated as misspelled.
 */
export const search = async (
  actor: Actor,
  kinds: Kinds,
  q: string,
  page: Page,
): Promise<FoundByName> => {
  if (readingsOf(q).length === 0) return { rows: [], total: 0, words: [], isMeant: false };
  const searchAs = (isMeant: boolean) =>
    withLastRead(actor, async (reader) => {
      const names = namesIn(reader, kinds, page, 'name');
      const written = isMeant ? noLooks : await names.asWritten(q);
      const sought = written.looks ? written : await names.asMeant(q);
      return { last: names.find(sought), isMeant: !written.looks };
    });
  const asWritten = await searchAs(false);
  const isOver = asWritten.last.total > 0 || asWritten.isMeant;
  const { matches, total, words } = isOver ? asWritten.last : (await searchAs(true)).last;
  const isMeant = asWritten.isMeant || !isOver;
  return { rows: matches.map((match) => viewFound(match, words)), total, words, isMeant };
};

/** `words` are what the records were found by; `isMeant`: they are only similar to what was typed. */
type FoundByName = Listed<FoundRow> & { words: string[]; isMeant: boolean };

/**
 * Reads in one transaction with plans that are kept. What is read last is not waited for before: the end of
 * the transaction travels with it, and fails with it.
 */
export const withLastRead = async <Value, More>(
  actor: Actor,
  read: (reader: Reader) => Promise<{ last: Promise<Value> } & More>,
): Promise<{ last: Value } & More> => {
  const made = await withKeptPlans(actor, async (reader) => {
    const begun = await read(reader);
    begun.last.catch(() => {});
    return begun;
  });
  return { ...made, last: await made.last };
};

/** What was found, how many there are, and the words that they were found by. */
export type Matches<Shown extends Detail> = {
  matches: Matched<Shown>[];
  total: number;
  words: string[];
};

/** How to look for words, undefined if nothing can be found; and each of them once. */
export type Sought = { looks: Looks | undefined; words: string[] };

const noLooks: Sought = { looks: undefined, words: [] };

/** Finds records by their names and numbers within one transaction, which asks about each word once. */
export const namesIn = <Shown extends Detail>(
  reader: Reader,
  kinds: Kinds,
  page: Page,
  shown: Shown,
) => {
  const pieces = new Map<string, Promise<Piece | undefined>>();
  const near = new Map<string, Promise<string[]>>();
  let runs: RunsOfKinds | undefined;
  let reading: Promise<RunsOfKinds> | undefined;

  const held = async (asked: string[]): Promise<Map<string, Piece>> => {
    const unknown = [...new Set(asked)].filter((piece) => !pieces.has(piece));
    const answer = unknown.length > 0 ? piecesHeld(reader, unknown) : undefined;
    for (const [at, piece] of unknown.entries())
      pieces.set(piece, (async () => (await answer)?.[at])());
    const known = await Promise.all(asked.map((piece) => pieces.get(piece)));
    return new Map(known.filter((one) => one !== undefined).map((one) => [one.piece, one]));
  };

  const nearTo = (word: string): Promise<string[]> => {
    const found = near.get(word) ?? wordsNear(reader, word);
    near.set(word, found);
    return found;
  };

  const readRuns = async () => {
    runs = await (reading ??= runsOf(reader));
  };

  return {
    /** How to look for what contains every word of one of the readings. */
    asWritten: async (q: string): Promise<Sought> => {
      const readings = readingsOf(q);
      if (readings.length === 0) return noLooks;
      const lasts = readRuns();
      const others = await otherReadingsOf(reader, q);
      const all = [...readings, ...others].flat();
      const [pieces] = await Promise.all([held(all.flatMap(piecesOf)), lasts]);
      return { looks: looksFor(readings, others, pieces), words: [...new Set(all)] };
    },
    /** How to look for what the words of a reading may have meant, if that is something else. */
    asMeant: async (q: string): Promise<Sought> => {
      const readings = readingsOf(q);
      const [meant] = await Promise.all([meantBy(nearTo, readings), readRuns()]);
      const looks = meant.length > 0 ? { parts: meant.map(lookForMeant) } : undefined;
      return { looks, words: [...new Set(meant.flat(2))] };
    },
    /** Looks for it. May be the last read of the transaction. */
    find: async ({ looks, words }: Sought): Promise<Matches<Shown>> => {
      if (!looks || !runs) return { matches: [], total: 0, words };
      return { ...(await matchesOf(reader, kinds, runs, looks, words, page, shown)), words };
    },
  };
};

/**
 * How to look for what was typed, or for another way to write it; undefined if the firm knows, for each
 * of them, no word that contains one of theirs.
 */
const looksFor = (
  typed: Reading[],
  others: Reading[],
  pieces: Map<string, Piece>,
): Looks | undefined => {
  const isHeld = (piece: string) => {
    const { holding = [], isCut = false } = pieces.get(piece) ?? {};
    return isNumber(piece) || isCut || holding.length > 0;
  };
  const isKnown = (words: Reading) => words.flatMap(piecesOf).every(isHeld);
  const [known, otherKnown] = [typed.filter(isKnown), others.filter(isKnown)];
  const [first] = [...known, ...otherKnown];
  if (!first) return undefined;
  const looks = [...readingsByParts(known), ...otherKnown].map((words) => ({
    words,
    look: lookForParts(words, pieces) ?? (words === first ? undefined : lookForWholes(words)),
  }));
  const parts = looks.flatMap(({ look }) => look ?? []);
  const partsFirst =
    looks[0]?.words === first && looks[0].look !== undefined && isLongNumber(first);
  return { whole: lookForWholes(first), parts, partsFirst };
};

/** What has so many digits is in few records, even as a part of another number. */
const isLongNumber = (words: Reading) =>
  words.some((word) => piecesOf(word).some((piece) => isNumber(piece) && piece.length > 3));

/**
 * A text that contains a number also contains each group of its digits. Both are searched only if
 * some groups are so short that they match only the beginning of words.
 */
const readingsByParts = (readings: Reading[]): Reading[] =>
  readings[0]?.some((word) => isNumber(word) && isShort(word)) ? readings : readings.slice(0, 1);

/** For readings that differ from what was typed: the known words that each word may have meant. */
const meantBy = async (
  nearTo: (word: string) => Promise<string[]>,
  readings: Reading[],
): Promise<string[][][]> => {
  const meant = await Promise.all(readings.map((reading) => Promise.all(reading.map(nearTo))));
  return meant.filter(
    (words, at) =>
      words.every(({ length }) => length > 0) && words.join(' ') !== readings[at]?.join(' '),
  );
};
