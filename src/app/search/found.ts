/** A search result: a record, a page or a command. */
export type Found = {
  path: string;
  name: string;
  sub?: string;
  number?: string;
  /** Where it is known: it does not contain what was typed, but words like it. */
  isSimilar?: true;
  /** Other words by which the palette finds a page. */
  also?: string;
};

/** How much of what is typed is searched for. What is asked stands in an address, which has a limit of its own. */
export const maxSearched = 200;

/** What the palette knows when it opens. */
export type PaletteProps = { member: string; places: Found[]; commands: Found[] };
