import { stringify } from 'csv-stringify/sync';

/**
 * A list as a CSV file. A cell that a spreadsheet would read as a formula (it begins with = + - @,
 * a tab or a return) gets an apostrophe in front.
 */
export const csvFile = (name: string, head: readonly string[], rows: readonly string[][]) =>
  new Response(stringify([head, ...rows], { escape_formulas: true, bom: true }), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  });
