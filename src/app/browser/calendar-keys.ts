/** Keys in the calendar: from day to day, in a week from hour to hour, and to the days before and after. */

const ways: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  k: [-1, 0],
  j: [1, 0],
};

/**
 * Does what an arrow, J or K does in the calendar; false if that is nothing. On a day or an hour they go to the one beside
 * it, where Enter adds an event. From elsewhere J goes to today, and the arrows to the sides show other days.
 */
export const walkCalendar = ({ key, target }: KeyboardEvent): boolean => {
  const cell = (target as Element).closest<HTMLTableCellElement>('table.calendar td');
  const way = ways[key.length === 1 ? key.toLowerCase() : key];
  if (!way || (target as Element).closest('[type=radio]')) return false;
  if (cell) return focusIn(beside(cell, way));
  const side = { ArrowLeft: 'prev', ArrowRight: 'next' }[key];
  const link = document.querySelector<HTMLElement>(`main .calendar-bar [rel="${side}"]`);
  if (side) link?.click();
  return side ? link !== null : key.length === 1 && way[0] > 0 && focusIn(todayOrFirst());
};

const beside = (cell: HTMLTableCellElement, [down, right]: readonly [number, number]) => {
  const row = cell.parentElement as HTMLTableRowElement;
  const rows = [...(row.parentElement as HTMLTableSectionElement).rows];
  const next = rows[rows.indexOf(row) + down]?.cells[cell.cellIndex + right];
  return next?.matches('td') ? next : cell;
};

/** Where the keys go in: to today, if it is shown, or to the first day. */
const todayOrFirst = () => {
  const tables = [...document.querySelectorAll<HTMLTableElement>('main table.calendar')];
  const table = tables.find((one) => one.checkVisibility());
  const today = table?.querySelector('[aria-current="date"]')?.closest('th, td');
  const column = today?.matches('th') ? (today as HTMLTableCellElement).cellIndex : undefined;
  // The head of a week names the day; its first hour stands below it.
  if (column !== undefined) return table?.tBodies[0]?.rows[1]?.cells[column];
  return today ?? table?.querySelector('tbody td');
};

/** What adds an event there, or else the day. */
const focusIn = (cell: Element | null | undefined): boolean => {
  const link =
    cell?.querySelector<HTMLElement>('.adds') ?? cell?.querySelector<HTMLElement>('a[href]');
  link?.focus();
  return link !== null && link !== undefined;
};
