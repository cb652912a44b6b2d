/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { type RowFrame, useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { addressWith } from './list.tsx';
import { markup } from './markup.ts';
import { rememberedByAddress, rememberedRows } from './remembered.ts';

/** A column: its name, its cell, and whether the list can be sorted by it. */
export type Column<Row> = {
  name: string;
  /** Tells it from other columns of the same name. */
  key?: string;
  cell(row: Row, frame: RowFrame): ComponentChild;
  /** The column's name in the address: `?sort=name`, `?sort=-name`. */
  sort?: string;
  /** The cell's classes: `line-1`, `line-2` for a phone, `number`, `cut`, `nowrap`. */
  class?: string;
  /** The row's name, a heading for screen readers. */
  isHead?: boolean;
};

/**
 * A table of records. With `pick`, rows can be ticked, and the form around it sends their ids. Rows
 * of a long list are remembered if their cells depend on nothing but the row (`isLong`).
 */
export const Table = <Row,>({
  id,
  caption,
  columns,
  rows,
  pick,
  isLong = false,
}: {
  /** The id of its rows, if they are what the page is for. */
  id?: 'list';
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  pick?: Picked<Row>;
  isLong?: boolean;
}) => {
  const frame = useFrame();
  const heads = columns.map(({ name, sort, class: className }) => ({
    name,
    sort,
    class: className,
  }));
  const write = rowWith(columns, pick);
  const written = isLong
    ? rememberedRows(
        `${caption} ${pick && 'picks'} ${JSON.stringify([heads, columns.map(({ key }) => key)])}`,
        frame,
        write,
      )
    : (row: Row) => write(row, frame);
  return (
    <div class="table-box">
      <table class={pick ? 'table folds picks' : 'table folds'}>
        <caption class="hide">{caption}</caption>
        <thead>
          <Heads columns={heads} picks={pick ? rows.length : null} />
        </thead>
        <tbody id={id} tabIndex={id && -1}>{markup`${rows.map(written)}`}</tbody>
      </table>
    </div>
  );
};

type Picked<Row> = (row: Row) => { id: string; name: string };

/** How a row is written. What is around its cells is the same in each row. */
const rowWith = <Row,>(columns: readonly Column<Row>[], pick: Picked<Row> | undefined) => {
  const parts = pick
    ? [
        '<tr><td class="pick"><label><input type="checkbox" name="id" data-key="x" value="',
        '" aria-label="Select ',
        '"/></label></td>',
      ]
    : ['<tr>'];
  for (const { class: className, isHead } of columns) {
    const [tag, scope] = isHead ? ['th', ' scope="row"'] : ['td', ''];
    parts.push(
      `${parts.pop()}<${tag}${scope}${className ? ` class="${className}"` : ''}>`,
      `</${tag}>`,
    );
  }
  parts.push(`${parts.pop()}</tr>`);
  return (row: Row, frame: RowFrame) => {
    const cells = columns.map(({ cell }) => cell(row, frame));
    if (!pick) return markup(parts, ...cells);
    const { id, name } = pick(row);
    return markup(parts, id, name, ...cells);
  };
};

export const rowName = (path: string, name: string) =>
  markup`<a class="name" href="${path}" title="${name}" data-key="e">${name}</a>`;

type ColumnHead = { name: string; sort: string | undefined; class: string | undefined };

const Heads = rememberedByAddress(
  ({ columns, picks }: { columns: ColumnHead[]; picks: number | null }) => (
    <tr>
      {picks !== null && (
        <td class="pick">
          <label>
            <input type="checkbox" aria-label={`Select all ${picks}`} />
          </label>
        </td>
      )}
      {columns.map((column) => (
        <Head {...column} />
      ))}
    </tr>
  ),
);

const Head = ({ name, sort, class: className }: ColumnHead) => {
  const { visit } = useFrame();
  const by = visit.query.get('sort') ?? '';
  const isSorted = sort !== undefined && (by === sort || by === `-${sort}`);
  const isDown = by.startsWith('-');
  const number = className?.includes('number') ? 'number' : undefined;
  if (sort === undefined) {
    const isCut = className?.includes('cut');
    return (
      <th scope="col" class={isCut ? 'cut' : number} title={isCut ? name : undefined}>
        {name}
      </th>
    );
  }
  const next = addressWith(visit.path, visit.query, {
    sort: isSorted && !isDown ? `-${sort}` : sort,
    page: null,
  });
  return (
    <th
      scope="col"
      class={number}
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
    >
      <a href={next}>
        {name}
        {isSorted && <Icon name={isDown ? 'arrow-down' : 'arrow-up'} />}
      </a>
    </th>
  );
};

/** A table that scrolls sideways where the window is narrow, also by keys. */
export const Scrolls = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keys too
  <section class="table-box scrolls" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
