/** @jsxImportSource preact */
/** The tables of reports: on the page, and in the file. */
import type { ComponentChild } from 'preact';
import { written } from '../../base/numbers.ts';
import { Scrolls } from '../table.tsx';

/** A number that opens the list it counts. Zero opens nothing. */
export type Count = { count: number; href: string };

export const Counted = ({ count, href }: Count) =>
  count === 0 ? <>0</> : <a href={href}>{written(count)}</a>;

/** A share in per cent; null if there is nothing to share. */
export const shareWords = (share: number | null): string =>
  share === null ? '–' : `${Math.round(share * 100)}%`;

export const shareOf = (count: number, all: number) => (all === 0 ? null : count / all);

/** A column of a table. The first one names the row. */
export type Column<Row> = {
  name: string;
  /** Its name in the file, if it has another there. */
  fileName?: string;
  /** It stands on the page or in the file alone. */
  only?: 'page' | 'file' | undefined;
  /** A phone has no room for it. */
  isWide?: boolean;
  /** It explains the figure before it. */
  isSoft?: boolean;
  /** What it contains: a number with its list, or words. */
  count?(row: Row): Count;
  text?(row: Row): string | null;
  /** Stands for a missing text. */
  none?: string;
  /** Words below the text. */
  below?(row: Row): string | false;
  /** A bar with this share of its width, alone or before its words. */
  bar?(row: Row): Bar;
  /** The words of the file, if it has others. */
  inFile?(row: Row): string;
};

type Bar = { share: number; isEnd?: boolean | undefined };

/** How it looks: a chart whose bars have numbers; figures; or a block of figures for each row. */
type Look = 'bars' | 'figures' | 'blocks';

type TableProps<Row> = {
  id: string;
  title: string;
  /** More of its heading. */
  beside?: ComponentChild;
  look?: Look;
  /** A chart shows the heads of its columns, too. */
  heads?: boolean;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The last row: of all. */
  all?: Row;
  note?: ComponentChild;
  /** Whether the page and the file have it; by default both do. */
  only?: 'page' | 'file';
};

/** A part of a report's page, and its lines in the file. */
export type Table = {
  Part?: () => ComponentChild;
  file?(): { head: string[]; lines: string[][] };
};

/** More rows of a free text would not help. The file has them all. */
const maxRows = 100;

/** A table of a report. */
export const table = <Row,>(props: TableProps<Row>): Table => ({
  ...(props.only !== 'file' && { Part: () => <TableOnPage {...props} /> }),
  ...(props.only !== 'page' && { file: () => fileWith(props) }),
});

const fileWith = <Row,>({ columns, rows }: TableProps<Row>) => {
  const inFile = columns.filter(({ only }) => only !== 'page');
  return {
    head: inFile.map(({ name, fileName }) => fileName ?? name),
    lines: rows.map((row) => inFile.map((column) => fileText(column, row))),
  };
};

const fileText = <Row,>({ count, text, none = '', inFile }: Column<Row>, row: Row) => {
  if (inFile) return inFile(row);
  return count ? String(count(row).count) : (text?.(row) ?? none);
};

/** The lines of all tables, under the first one's head. */
export const fileOf = (tables: readonly Table[]) => {
  const files = tables.flatMap(({ file }) => file?.() ?? []);
  return { head: files[0]?.head ?? [], lines: files.flatMap(({ lines }) => lines) };
};

const TableOnPage = <Row,>(props: TableProps<Row>) => {
  const { id, title, beside, look = 'figures', heads, columns, rows, all, note } = props;
  const shown = columns.filter(({ only }) => only !== 'file');
  const further = rows.length - maxRows;
  const drawn = (
    <table class={tableClasses[look]}>
      <thead class={look === 'bars' && !heads ? 'hide' : undefined}>
        <tr>
          {shown.map((column, at) =>
            column.name === '' ? (
              <td />
            ) : (
              <th scope="col" class={classOf(column, at)}>
                {column.name}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{rows.slice(0, maxRows).map((row) => rowOf(row, shown, look))}</tbody>
      {all && <tfoot>{rowOf(all, shown, look)}</tfoot>}
    </table>
  );
  return (
    <section aria-labelledby={id}>
      <h2 id={id} class="part">
        {title}
        {beside}
      </h2>
      {look === 'bars' ? (
        <div class="chart">{drawn}</div>
      ) : (
        <Scrolls label={`Table: ${title}`}>{drawn}</Scrolls>
      )}
      {further > 0 && <p class="muted">And {written(further)} more, less often.</p>}
      {note && <p class="foot small">{note}</p>}
    </section>
  );
};

const tableClasses: Record<Look, string> = {
  bars: 'bars',
  figures: 'table',
  blocks: 'table loads',
};

const classOf = <Row,>({ bar, isWide, isSoft }: Column<Row>, at: number) => {
  if (at === 0 || bar) return undefined;
  return `number${isWide ? ' only-wide' : ''}${isSoft ? ' soft' : ''}`;
};

const rowOf = <Row,>(row: Row, columns: readonly Column<Row>[], look: Look) => (
  <tr>
    {columns.map((column, at) => {
      const { name, count, text, none, bar, below } = column;
      const words = count ? (
        <Counted {...count(row)} />
      ) : (
        (text?.(row) ?? <span class="muted">{none}</span>)
      );
      if (at === 0) {
        const more = below?.(row);
        return (
          <th scope="row">
            {look === 'bars' ? <span>{words}</span> : words}
            {more && <div class="small muted">{more}</div>}
          </th>
        );
      }
      return (
        <td class={classOf(column, at)} data-name={look === 'blocks' ? name : undefined}>
          {bar && text && (
            <span class="load">
              <Drawn {...bar(row)} />
              {words}
            </span>
          )}
          {bar && !text && <Drawn {...bar(row)} />}
          {!bar && words}
        </td>
      );
    })}
  </tr>
);

/** A bar of a chart. The number beside it says the same. */
const Drawn = ({ share, isEnd }: Bar) => (
  <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rest" width="1000" height="16" />
    <rect class={isEnd ? 'end-ok' : 'bar-of'} width={Math.round(share * 1000)} height="16" />
  </svg>
);

/** A row of a chart: a count, and its share of all. */
export type BarRow = Count & { name: string; isEnd?: boolean };

/** Counts with bars of their shares: a chart that is also a table, readable without colours. */
export const bars = (props: {
  id: string;
  title: string;
  /** What the rows are, and what they count. */
  heads: readonly [rows: string, counted: string];
  all: number;
  rows: readonly BarRow[];
}): Table => {
  const { heads, all, ...others } = props;
  const share = ({ count }: BarRow) => shareOf(count, all);
  return table<BarRow>({
    ...others,
    look: 'bars',
    only: 'page',
    columns: [
      { name: heads[0], text: ({ name }) => name },
      { name: '', bar: (row) => ({ share: share(row) ?? 0, isEnd: row.isEnd }) },
      { name: heads[1], count: (row) => row },
      { name: 'Share', isSoft: true, text: (row) => shareWords(share(row)) },
    ],
  });
};
