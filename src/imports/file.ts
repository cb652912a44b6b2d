/** Reads CSV files as programs write them: in several encodings, with several separators. */
import { once } from 'node:events';
import { type Parser, parse } from 'csv-parse';
import { written } from '../base/numbers.ts';
import { openPace } from '../base/pace.ts';
import { invalid } from '../base/refusal.ts';

export const maxFileBytes = 10 * 1024 * 1024;
/** How many rows a file may have, without the headings. */
const maxRows = 20_000;
/** How many cells a row may have. */
const maxColumns = 200;
/** How long a row may be, in bytes of its cells, and in characters with what stands between them. */
const longestRow = 1024 * 1024;

/** The characters that can separate two cells. */
export const separators = [',', ';', '\t', '|'] as const;
export type Separator = (typeof separators)[number];

/** What each is called, in the middle of a sentence; more of them with an `s`. */
export const separatorWords: Record<Separator, string> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
};

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
  max_record_size: longestRow,
});

/** How much of a file is looked at to tell how it is written. */
const startLength = 64 * 1024;

/** The separator that gives the first rows the same number of cells, and the most cells. */
export const separatorIn = async (text: string): Promise<Separator> => {
  const start = text.slice(0, startLength);
  const giveWay = openPace();
  let best: { separator: Separator; score: number } = { separator: ',', score: 0 };
  for (const separator of separators) {
    const score = scoreOf(cellsOf((await cut(start, separator, 20, giveWay)).rows));
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
};

const scoreOf = (rows: (readonly string[])[]): number => {
  const width = rows[0]?.length ?? 0;
  if (width < 2) return 0;
  const alike = rows.filter((row) => row.length === width).length / rows.length;
  return alike * 1_000 + width;
};

/** A row of a file: its cells, and how many rows a spreadsheet shows above it, blank ones too. */
export type FileRow = { row: number; cells: readonly string[] };

/** The column headings of a file, and its rows below them that are not blank. */
type Read = { heads: string[]; rows: FileRow[] };

const cellsOf = (rows: readonly FileRow[]) => rows.map(({ cells }) => cells);

/**
 * Reads a file. Without `countsBlankRows`, rows are numbered as if it had no blank ones. Throws `Refusal` for too many rows, too many cells in one, a row that is too long,
 * for none, and for a quotation mark that is never closed.
 */
export const readRows = async (
  text: string,
  separator: Separator,
  countsBlankRows = true,
): Promise<Read> => {
  const { rows, failure } = await cut(text, separator, maxRows + 2);
  if (failure?.code === 'CSV_QUOTE_NOT_CLOSED') {
    throw invalid('A quotation mark in the file is never closed.');
  }
  if (failure?.code === 'CSV_MAX_RECORD_SIZE') throw tooLong();
  if (failure?.code?.startsWith('CSV_')) throw invalid('The file cannot be read as CSV.');
  if (failure) throw failure;
  if (rows.length > maxRows + 1) throw tooManyRows();
  const [heads, ...rest] = rows;
  if (!heads) throw invalid('The file is empty.');
  if (rest.length === 0) throw invalid('The file has no rows below its column headings.');
  return {
    heads: heads.cells.map((head) => head.trim()),
    rows: countsBlankRows ? rest : rest.map(({ cells }, at) => ({ row: at + 1, cells })),
  };
};

/** The first rows of a file, without the headings: those that begin and end in what is looked at. */
export const firstRows = async (text: string, separator: Separator): Promise<FileRow[]> => {
  const { rows } = await cut(text.slice(0, startLength), separator, 21);
  return rows.slice(1, text.length > startLength ? -1 : undefined);
};

/** Pieces are so small that cutting one never holds up the server, whatever it contains. */
const pieceLength = 1024;

type Failure = Error & { code?: string };
type Cut = { rows: FileRow[]; failure?: Failure };

/**
 * Cuts a text into its first `max` rows, piece by piece: others are served in between. Ends with
 * the first row that is too long or has too many cells, or after `max` rows of another width than
 * the first.
 */
const cut = async (
  text: string,
  separator: Separator,
  max: number,
  giveWay = openPace(),
): Promise<Cut> => {
  let blankRecords = 0;
  const above: number[] = [];
  const parser = parse({
    ...options(separator),
    on_record: (cells: string[], { empty_lines: blankLines }) => {
      if (cells.every(isBlank)) {
        blankRecords += 1;
        return null;
      }
      above.push(above.length + blankRecords + blankLines);
      return cells;
    },
  });
  const rows: FileRow[] = [];
  let widest = 0;
  let rowBegan = 0;
  let lines = 0;
  parser.on('data', (cells: string[]) => {
    widest = Math.max(widest, cells.length);
    rows.push({ row: above[rows.length] ?? 0, cells });
  });
  // Whoever writes to it hears of its failure, but a stream without a listener throws it as well.
  parser.on('error', () => {});
  try {
    for (let at = 0; at < text.length && rows.length < max; at += pieceLength) {
      await takeIn(parser, text.slice(at, at + pieceLength));
      if (widest > maxColumns) throw tooManyColumns();
      // The parser makes an error of each row of another width, also of the empty ones that it skips.
      if (parser.info.invalid_field_length > max) throw tooManyRows();
      // The parser counts a row's cells, but not what stands between them.
      if (parser.info.lines !== lines) rowBegan = at;
      lines = parser.info.lines;
      if (at - rowBegan > longestRow) throw tooLong();
      await giveWay();
    }
    if (rows.length < max) {
      const ended = once(parser, 'end');
      parser.end();
      await ended;
      if (widest > maxColumns) throw tooManyColumns();
    }
    return { rows: rows.slice(0, max) };
  } catch (error) {
    return { rows: rows.slice(0, max), failure: error as Failure };
  } finally {
    parser.destroy();
  }
};

const isBlank = (cell: string) => cell.trim() === '';

const takeIn = (parser: Parser, piece: string) =>
  new Promise<void>((taken, refuse) => {
    parser.write(piece, (error) => (error ? refuse(error) : taken()));
  });

const tooManyRows = () =>
  invalid(`The file has more than ${written(maxRows)} rows. Import it in several parts.`);

const tooManyColumns = () => invalid(`The file has more than ${maxColumns} columns.`);

const tooLong = () =>
  invalid('The file has a row of more than 1 MiB. Is a quotation mark missing?');
