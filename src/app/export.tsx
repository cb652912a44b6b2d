/** @jsxImportSource preact */

import { stringify } from 'csv-stringify/sync';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import type { Visit } from './visit.ts';

/** The button that exports what the page shows. Only roles that may export data see it. */
export const Export = ({
  action,
  class: className = 'button only-wide',
}: {
  action: string;
  class?: string;
}) => {
  const { may } = useFrame().visit as Visit;
  if (!may('data:export')) return null;
  return (
    <form class="act" method="post" action={action} data-whole>
      <button class={className}>
        <Icon name="download" />
        Export
      </button>
    </form>
  );
};

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
