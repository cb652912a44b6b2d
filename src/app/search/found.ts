/** A search result: a record, a page or a command. */
export type Found = {
  path: string;
  name: string;
  sub?: string;
  number?: string;
  /** Other words by which the palette finds a page. */
  also?: string;
};

/** What the palette knows when it opens. */
export type PaletteProps = { member: string; places: Found[]; commands: Found[] };
