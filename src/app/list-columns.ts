import { csvFile } from './csv.ts';
import type { Column } from './table.tsx';

/** A column of a list: how a cell is shown, and how it is exported. */
export type FileColumn<Row> = Column<Row> & {
  key: string;
  text(row: Row, as: { now: Date; timeZone: string }): string;
};

/**
 * The columns that an address asks for, in their order; the first `usual` ones where it does not say.
 * Those `always` named are shown in any case.
 */
export const chosenColumns = <Row>(
  query: URLSearchParams,
  all: readonly FileColumn<Row>[],
  usual: number,
  always: string,
): readonly FileColumn<Row>[] => {
  const asked = query.getAll('columns').flatMap((text) => text.split(','));
  const keys = asked.some((key) => all.some((column) => column.key === key))
    ? [always, ...asked]
    : all.slice(0, usual).map(({ key }) => key);
  return all.filter(({ key }) => keys.includes(key));
};

export const listFile = <Row>(
  name: string,
  columns: readonly FileColumn<Row>[],
  rows: readonly Row[],
  timeZone: string,
): Response => {
  const as = { now: new Date(), timeZone };
  return csvFile(
    name,
    columns.map((column) => column.name),
    rows.map((row) => columns.map(({ text }) => text(row, as))),
  );
};
