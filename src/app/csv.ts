import { stringify } from 'csv-stringify/sync';

/**
 * A list as CSV. A cell that a spreadsheet would read as a formula (it begins with = + - @,
 * a tab or a return) gets an apostrophe in front.
 */
export const csvText = (head: readonly string[], rows: readonly string[][]): string =>
  stringify([head, ...rows], { escape_formulas: true, bom: true });

/** The same as a file that a browser saves. */
export const csvFile = (name: string, head: readonly string[], rows: readonly string[][]) =>
  new Response(csvText(head, rows), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  });
