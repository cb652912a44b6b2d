/** What a backup says of itself, in its first line. */
export type Manifest = {
  matterhorn: 'backup';
  format: number;
  /** The Matterhorn that made it, and the major version of its Postgres. */
  version: string;
  postgres: number;
  /** When the newest migration of its tables was made: milliseconds since 1970. */
  migration: number;
  /** ISO 8601, in UTC, by the database's clock. */
  madeAt: string;
  /** In the order in which their rows follow. */
  tables: TableSum[];
  sequences: Sequence[];
  firms: Head[];
};

/**
 * How many rows a table has, the sum of a number that Postgres makes of each, and how many bytes
 * its lines take at most (not in format 1).
 */
export type TableSum = { name: string; rows: number; checksum: string; mostBytes?: number };

/** The state of a sequence; whole numbers as text. */
export type Sequence = { name: string; lastValue: string; isCalled: boolean };

/**
 * The end of a firm's audit log: the number of seals, and the last one. Kept elsewhere, it proves
 * everything before it.
 */
export type Head = { firmId: string; seals: string; hash: string | null };

/**
 * This program writes this format, and reads it and older ones. Format 1 has no sizes and no
 * signature.
 */
export const format = 2;

export const rowsIn = ({ tables }: Manifest) => tables.reduce((all, { rows }) => all + rows, 0);
