import type { Permission } from '../firm/permissions.ts';
import { csvFile } from './export.tsx';
import { type RowFrame, rowFrameAt } from './frame.tsx';
import type { WritingIn } from './moments.tsx';
import type { Column } from './table.tsx';

/** A column of a list: how a cell is shown, and how it is exported. */
export type FileColumn<Row> = Column<Row> & {
  key: string;
  /** Only who has this permission may see it. */
  needs?: Permission;
  /** It is shown only if it is chosen. */
  isExtra?: boolean;
  text(row: Row, as: RowFrame): string;
};

/** The keys of the columns that an address names. */
export const columnsNamed = (query: URLSearchParams): string[] =>
  query.getAll('columns').flatMap((text) => text.split(','));

/** The columns that an address asks for, in their order, and the row's name in any case. */
export const chosenColumns = <Row>(
  query: URLSearchParams,
  all: readonly FileColumn<Row>[],
): readonly FileColumn<Row>[] => {
  const asked = columnsNamed(query);
  const isAsked = all.some(({ key }) => asked.includes(key));
  return all.filter(({ key, isHead, isExtra }) =>
    isAsked ? isHead || asked.includes(key) : !isExtra,
  );
};

export const listFile = <Row>(
  name: string,
  columns: readonly FileColumn<Row>[],
  rows: readonly Row[],
  writing: WritingIn,
): Response => {
  const as = rowFrameAt(new Date(), writing);
  return csvFile(
    name,
    columns.map((column) => column.name),
    rows.map((row) => columns.map(({ text }) => text(row, as))),
  );
};
