import { type Column, sql } from 'drizzle-orm';
import { index } from 'drizzle-orm/pg-core';

/**
 * Text as it is compared in a search: lower case, accents taken off, everything but letters and
 * digits a space, one space before each word and after the last.
 */
export const searchable = (text: string): string =>
  ` ${text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('đ', 'd')
    .replaceAll('æ', 'ae')
    .replaceAll('œ', 'oe')
    .replaceAll('ı', 'i')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** The digits of a phone number as one word: people group them as they like. */
export const digitsOf = (text: string): string => text.normalize('NFKC').replaceAll(/\D/g, '');

/** What a record is found by: its texts and numbers, made comparable. */
export const findableText = (texts: (string | null)[], numbers: string[] = []): string =>
  searchable([...texts.filter((text) => text !== null), ...numbers.map(digitsOf)].join(' '));

/**
 * Records of one kind come in runs of so many, by their ordinal: a search that has found enough in
 * the newest runs leaves the others alone. The index knows a record's run.
 */
export const runSize = 5_000;

/** The run that a record is in, as the index knows it. */
export const runOf = (table: { ordinal: Column }) =>
  sql`(${table.ordinal} / ${sql.raw(String(runSize))})`;

/** The index over a table's `findableBy`, by firm and run, of what is not deleted. */
export const findableIndex = (
  name: string,
  table: { firmId: Column; ordinal: Column; findableBy: Column },
) =>
  index(name)
    .using('gin', table.firmId as never, runOf(table), sql`${table.findableBy} gin_trgm_ops`)
    // A long list of entries not yet merged would make every search slower.
    .with({ gin_pending_list_limit: 256 })
    .where(sql`deleted_at is null`);
