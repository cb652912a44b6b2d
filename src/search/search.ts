import type { Actor, Reader } from '../record/actor.ts';
import { withKeptPlans } from '../record/kept-plans.ts';
import type { Listed, Page } from '../record/page.ts';
import { isNumber } from '../search-text/known-words.ts';
import { lookForMeant, lookForParts, lookForWholes, type Piece } from './look.ts';
import { type Detail, type Kinds, type Looks, type Matched, matchesOf } from './matches.ts';
import { runsOf } from './runs.ts';
import { wordsHolding, wordsNear } from './spelling.ts';
import { viewFound } from './view.ts';
import { type FoundRow, maxHolding } from './wire.ts';
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
): Promise<Listed<FoundRow>> => {
  if (readingsOf(q).length === 0) return { rows: [], total: 0 };
  const asWritten = await searchAsWritten(actor, kinds, q, page, 'name');
  const found =
    asWritten.total > 0 ? asWritten : await searchAsMeant(actor, kinds, q, page, 'name');
  const rows = found.matches.map((match) => viewFound(match, found.spellings));
  return { rows, total: found.total };
};

/** What was found, how many there are, and the words that they were found by. */
export type Matches<Shown extends Detail> = {
  matches: Matched<Shown>[];
  total: number;
  spellings: string[];
};

/**
 * A page of the records that contain every word of one of the readings. `beside` asks more in the same
 * transaction, and is waited for with it.
 */
export const searchAsWritten = async <Shown extends Detail>(
  actor: Actor,
  kinds: Kinds,
  q: string,
  page: Page,
  shown: Shown,
  beside?: (reader: Reader) => Promise<void>,
): Promise<Matches<Shown>> => {
  const readings = readingsOf(q);
  return lookFor(actor, kinds, page, shown, async (reader) => {
    const [made] = await Promise.all([
      otherReadingsOf(reader, q).then(async (others) => ({
        looks: await looksFor(reader, readings, others),
        words: [...readings, ...others].flat(),
      })),
      beside?.(reader),
    ]);
    return made;
  });
};

/** A page of the records that contain what the words of a reading may have meant. */
export const searchAsMeant = <Shown extends Detail>(
  actor: Actor,
  kinds: Kinds,
  q: string,
  page: Page,
  shown: Shown,
) =>
  lookFor(actor, kinds, page, shown, async (reader) => {
    const readings = readingsOf(q);
    const meant = await meantBy(reader, readings);
    const looks = meant.length > 0 ? { parts: meant.map(lookForMeant) } : undefined;
    return { looks, words: meant.flat(2) };
  });

/** Makes looks, undefined if nothing can be found, and looks for them, all with plans that are kept. */
const lookFor = async <Shown extends Detail>(
  actor: Actor,
  kinds: Kinds,
  page: Page,
  shown: Shown,
  make: (reader: Reader) => Promise<{ looks: Looks | undefined; words: string[] }>,
): Promise<Matches<Shown>> => {
  const { spellings, looking } = await withKeptPlans(actor, async (reader) => {
    const [runs, { looks, words }] = await Promise.all([runsOf(reader), make(reader)]);
    const spellings = [...new Set(words)];
    const looking = looks && matchesOf(reader, kinds, runs, looks, spellings, page, shown);
    // Not awaited: the end of the transaction travels with it, and fails with it.
    looking?.catch(() => {});
    return { spellings, looking };
  });
  return { matches: [], total: 0, ...(await looking), spellings };
};

/**
 * How to look for what was typed, or for another way to write it; undefined if the firm knows, for each
 * of them, no word that contains one of theirs.
 */
const looksFor = async (
  reader: Reader,
  typed: Reading[],
  others: Reading[],
): Promise<Looks | undefined> => {
  const held = await Promise.all(
    [...new Set([...typed, ...others].flat().flatMap(piecesOf))].map((piece) =>
      heldBy(reader, piece),
    ),
  );
  const pieces = new Map(held.map((piece) => [piece.piece, piece]));
  const isKnown = (words: Reading) =>
    words.flatMap(piecesOf).every((piece) => {
      return isNumber(piece) || (pieces.get(piece)?.holding.length ?? 0) > 0;
    });
  const [known, otherKnown] = [typed.filter(isKnown), others.filter(isKnown)];
  const [first] = [...known, ...otherKnown];
  if (!first) return undefined;
  const parts = [...readingsByParts(known), ...otherKnown].flatMap(
    (words) => lookForParts(words, pieces) ?? (words === first ? [] : lookForWholes(words)),
  );
  return { whole: lookForWholes(first), parts };
};

/**
 * A text that contains a number also contains each group of its digits. Both are searched only if
 * some groups are so short that they match only the beginning of words.
 */
const readingsByParts = (readings: Reading[]): Reading[] =>
  readings[0]?.some((word) => isNumber(word) && isShort(word)) ? readings : readings.slice(0, 1);

const heldBy = async (reader: Reader, piece: string): Promise<Piece> => {
  const holding = isNumber(piece) ? [] : await wordsHolding(reader, piece);
  return { piece, holding, isCut: holding.length > maxHolding };
};

/** For readings that differ from what was typed: the known words that each word may have meant. */
const meantBy = async (reader: Reader, readings: Reading[]): Promise<string[][][]> => {
  const meant = await Promise.all(
    readings.map((reading) => Promise.all(reading.map((word) => wordsNear(reader, word)))),
  );
  return meant.filter(
    (words, at) =>
      words.every(({ length }) => length > 0) && words.join(' ') !== readings[at]?.join(' '),
  );
};
