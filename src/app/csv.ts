import { stringify } from 'csv-stringify/sync';

/**
 * A list as CSV. A cell that a spreadsheet would read as a formula (it begins with = + - @,
 * a tab or a return, also after what nobody sees) gets an apostrophe in front. What another separator
 * would cut is in quotation marks.
 */
export const csvText = (head: readonly string[], rows: readonly string[][]): string =>
  stringify(
    [head, ...rows].map((row) => row.map(withoutHiddenFormula)),
    { escape_formulas: true, quoted_match: /[;\t]/, bom: true },
  );

const hiddenFormula = /^[\p{Default_Ignorable_Code_Point}\p{Cf}\s]+[=+\-@＝＋－＠]/u;

const withoutHiddenFormula = (cell: string) => (hiddenFormula.test(cell) ? `'${cell}` : cell);

/** The same as a file that a browser saves. */
export const csvFile = (name: string, head: readonly string[], rows: readonly string[][]) =>
  new Response(csvText(head, rows), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  });
