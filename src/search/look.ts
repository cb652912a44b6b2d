import { isNumber } from '../search-text/known-words.ts';
import type { Piece } from './spelling.ts';
import { coveringParts, isShort, partPattern, piecesOf, wholePattern } from './words.ts';

/**
 * One search. The index is asked for parts of texts, and says which records may match. If it is
 * asked for nothing, the newest records may match.
 */
export type Look = {
  /** The index must have all of these for a record. */
  all: string[];
  /** And at least one of each of these sets; there are at most two. */
  any: string[][];
  /** What the record's text must then contain. */
  patterns: string[];
};

export const lookForWholes = (words: string[]): Look => ({
  ...setsFrom(words.flatMap(piecesOf).map((piece) => [piece])),
  patterns: words.map(wholePattern),
});

/**
 * A look for all words or parts of words, by their pieces; undefined if it would find no more than
 * the look for whole words.
 */
export const lookForParts = (words: string[], pieces: Map<string, Piece>): Look | undefined => {
  const held = words.flatMap((word) =>
    piecesOf(word)
      // A short piece before another one may be the end of a word. The index has only beginnings.
      .filter((piece, at, all) => at === all.length - 1 || !isShort(piece))
      .map((piece) => pieces.get(piece) ?? { piece, holding: [], isCut: false }),
  );
  if (held.every(holdsOnlyItself)) return undefined;
  const sets = held.filter(({ isCut }) => !isCut).flatMap(setsFor);
  return { ...setsFrom(sets), patterns: words.map(partPattern) };
};

const holdsOnlyItself = ({ piece, holding, isCut }: Piece) =>
  !isNumber(piece) && !isCut && holding.every((word) => word === piece);

/** A look for the words that misspelled words may have meant, the likeliest first. */
export const lookForMeant = (words: string[][]): Look => {
  // The index alone answers what several words can satisfy.
  const open = words.filter((meant) => meant.length > 1).slice(0, maxSets);
  const closed = words.flatMap((meant) => (open.includes(meant) ? [] : meant.slice(0, 1)));
  const sets = closed.flatMap(piecesOf).flatMap((piece) => setsFor({ piece, holding: [] }));
  return { all: setsFrom(sets).all, any: open, patterns: closed.map(partPattern) };
};

const setsFor = ({ piece, holding }: Pick<Piece, 'piece' | 'holding'>): string[][] =>
  isNumber(piece)
    ? coveringParts(piece).map((part) => [part])
    : [[...new Set([piece, ...holding])]];

const maxSets = 2;

/**
 * The index is asked for at most this many words that a record must have. The others are only
 * compared.
 */
const maxOfAll = 6;

const setsFrom = (sets: string[][]): Pick<Look, 'all' | 'any'> => {
  const all = sets.filter((set) => set.length === 1).flat();
  const any = sets.filter((set) => set.length > 1).toSorted((a, b) => a.length - b.length);
  return {
    all: [...new Set(all)].toSorted((a, b) => b.length - a.length).slice(0, maxOfAll),
    any: any.slice(0, maxSets),
  };
};
