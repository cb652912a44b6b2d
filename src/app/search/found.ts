/** One thing to go to: a record, a page, a command. */
export type Found = { path: string; name: string; sub?: string };

/** What the palette knows when it is opened. */
export type PaletteProps = { member: string; places: Found[]; commands: Found[] };
