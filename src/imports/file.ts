/** Reads CSV files as programs write them: in several encodings, with several separators. */
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { invalid } from '../base/refusal.ts';

/** How large a file may be. */
export const mostFileBytes = 10 * 1024 * 1024;
/** How many rows a file may have, without the headings. */
const mostRows = 20_000;
/** How many columns a file may have. */
const mostColumns = 200;

/** The characters that can separate two cells. */
export const separators = [',', ';', '\t', '|'] as const;
export type Separator = (typeof separators)[number];

/**
 * The text of a file in UTF-8, UTF-16 or Windows-1252, without its byte order mark. Throws `Refusal`
 * if it is no text.
 */
export const textIn = (bytes: Uint8Array): string => {
  const text = decoded(bytes);
  if (text.includes('\0')) {
    throw invalid(
      'This is not a CSV file. In your spreadsheet program, choose “Save as” and then CSV.',
    );
  }
  return text;
};

const decoded = (bytes: Uint8Array) => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // In UTF-16, most letters of most languages leave every second byte empty.
  if (bytes.length > 3 && first !== 0 && second === 0 && bytes[3] === 0) {
    return new TextDecoder('utf-16le').decode(bytes);
  }
  if (bytes.length > 3 && first === 0 && second !== 0 && bytes[2] === 0) {
    return new TextDecoder('utf-16be').decode(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

const options = (separator: Separator) => ({
  delimiter: separator,
  bom: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
});

/** The separator that gives the first rows the same number of cells, and the most cells. */
export const separatorIn = (text: string): Separator => {
  const start = text.slice(0, 64 * 1024);
  const scored = separators.map((separator) => ({ separator, score: scoreOf(start, separator) }));
  const [best] = scored.sort((one, other) => other.score - one.score);
  return best && best.score > 0 ? best.separator : ',';
};

const scoreOf = (text: string, separator: Separator): number => {
  try {
    const rows = parseAtOnce(text, { ...options(separator), to: 20 }) as string[][];
    const width = rows[0]?.length ?? 0;
    if (width < 2) return 0;
    const alike = rows.filter((row) => row.length === width).length / rows.length;
    return alike * 1_000 + width;
  } catch {
    return 0;
  }
};

/** The column headings of a file, and its rows with as many cells. */
export type Read = { heads: string[]; rows: string[][] };

const sliceLength = 64 * 1024;

function* slicesOf(text: string) {
  for (let at = 0; at < text.length; at += sliceLength) yield text.slice(at, at + sliceLength);
}

/**
 * Reads a file in pieces, so that the server answers others in between. Throws `Refusal` for too
 * many rows or columns, for none, and for a quotation mark that is never closed. In the beginning
 * of a file (`isPart`), the last row can be incomplete.
 */
export const readRows = async (
  text: string,
  separator: Separator,
  isPart = false,
): Promise<Read> => {
  const parser = Readable.from(slicesOf(text)).pipe(parse(options(separator)));
  const rows: string[][] = [];
  try {
    for await (const row of parser) {
      rows.push(row as string[]);
      if (rows.length > mostRows + 1) throw tooManyRows();
      if (rows.length % 1_000 === 0) await Bun.sleep(0);
    }
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'CSV_QUOTE_NOT_CLOSED' && !isPart) {
      throw invalid('A quotation mark in the file is never closed.');
    }
    if (code?.startsWith('CSV_') && !isPart) throw invalid('The file cannot be read as CSV.');
    if (!isPart || !code?.startsWith('CSV_')) throw error;
  }
  const [heads = [], ...rest] = rows;
  if (rest.length === 0) throw invalid('The file has no rows below its column headings.');
  if (heads.length > mostColumns) {
    throw invalid(`The file has more than ${mostColumns} columns.`);
  }
  return { heads: heads.map((head) => head.trim()), rows: rest };
};

const tooManyRows = () =>
  invalid(
    `The file has more than ${mostRows.toLocaleString('en-GB')} rows. Import it in several parts.`,
  );
