import { isNumber } from '../findable/known-words.ts';
import { coveringParts, isShort, partPattern, piecesOf, wholePattern } from './words.ts';

/**
 * What is looked for in one go. An index is asked for parts of texts, and says which records may be
 * meant; where it is asked for nothing, the newest records may be.
 */
export type Look = {
  /** It must have all of these of a record. */
  all: string[];
  /** And at least one of each of these; two sets at the most. */
  any: string[][];
  /** What the record's text must be like then. */
  patterns: string[];
};

/** The letters or the digits of a word that is searched for, and the known words that hold them, or some of these. */
export type Piece = { piece: string; holding: string[]; isCut: boolean };

/** A look for all words as such. */
export const lookForWholes = (words: string[]): Look => ({
  ...setsFrom(words.flatMap(piecesOf).map((piece) => [piece])),
  patterns: words.map(wholePattern),
});

/** A look for all words or parts of words, by their pieces; undefined where it would find no more than one for wholes. */
export const lookForParts = (words: string[], pieces: Map<string, Piece>): Look | undefined => {
  const held = words.flatMap((word) =>
    piecesOf(word)
      // Before another piece a short one may be how a word ends, and only beginnings can be asked for.
      .filter((piece, at, all) => at === all.length - 1 || !isShort(piece))
      .map((piece) => pieces.get(piece) ?? { piece, holding: [], isCut: false }),
  );
  if (held.every(holdsOnlyItself)) return undefined;
  const sets = held.filter(({ isCut }) => !isCut).flatMap(setsFor);
  return { ...setsFrom(sets), patterns: words.map(partPattern) };
};

const holdsOnlyItself = ({ piece, holding }: Piece) =>
  !isNumber(piece) && holding.every((word) => word === piece);

/** A look for what misspelled words may have been meant for, the likeliest first of each. */
export const lookForMeant = (words: string[][]): Look => {
  // What several words will do for, the index alone can say.
  const open = words.filter((meant) => meant.length > 1).slice(0, mostSets);
  const closed = words.flatMap((meant) => (open.includes(meant) ? [] : meant.slice(0, 1)));
  const sets = closed.flatMap(piecesOf).flatMap((piece) => setsFor({ piece, holding: [] }));
  return { all: setsFrom(sets).all, any: open, patterns: closed.map(partPattern) };
};

const setsFor = ({ piece, holding }: Pick<Piece, 'piece' | 'holding'>): string[][] =>
  isNumber(piece)
    ? coveringParts(piece).map((part) => [part])
    : [[...new Set([piece, ...holding])]];

const mostSets = 2;

/** The index is asked for so many that a record must have; the other words are only compared. */
const mostOfAll = 6;

const setsFrom = (sets: string[][]): Pick<Look, 'all' | 'any'> => {
  const all = sets.filter((set) => set.length === 1).flat();
  const any = sets.filter((set) => set.length > 1).toSorted((a, b) => a.length - b.length);
  return {
    all: [...new Set(all)].toSorted((a, b) => b.length - a.length).slice(0, mostOfAll),
    any: any.slice(0, mostSets),
  };
};
