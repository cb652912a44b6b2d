/** How far an import is, as it is stored. */
import type { DayOrder } from './cells.ts';
import type { Separator } from './file.ts';

/** How a file is read, and when its import and its undo began. */
export type Mapping = {
  separator: Separator;
  dayOrder: DayOrder;
  heads: string[];
  /** The field that each column fills; null if the column is left out. */
  columns: (string | null)[];
  /** The practice area of matters whose row has none. */
  practiceAreaId: string | null;
  /** Rows are numbered as in a spreadsheet. Files of earlier releases left blank rows out. */
  countsBlankRows?: true;
  /** Whether the rows were checked with these settings. */
  isChecked: boolean;
  /** When the import and its undo began: ISO 8601. */
  begunAt: string | null;
  undoBegunAt: string | null;
};

/** Where every count of an import begins. An import stores those that it has reached. */
export const noCounts = {
  rows: 0,
  // What the rows would become, when they were checked.
  new: 0,
  same: 0,
  refused: 0,
  /** Of the new ones, those with a name that the firm or the file already has. */
  namesakes: 0,
  // How many rows are imported so far, and what became of them.
  done: 0,
  made: 0,
  known: 0,
  left: 0,
  /** The last row that the undo has looked at. */
  looked: 0,
  undone: 0,
};

export type ImportCounts = typeof noCounts;

export type ImportState = 'columns' | 'preview' | 'running' | 'done' | 'undoing' | 'undone';

export const stateOf = (
  mapping: Mapping,
  { importedAt, undoneAt }: { importedAt: Date | null; undoneAt: Date | null },
): ImportState => {
  if (undoneAt) return 'undone';
  if (mapping.undoBegunAt) return 'undoing';
  if (importedAt) return 'done';
  if (mapping.begunAt) return 'running';
  return mapping.isChecked ? 'preview' : 'columns';
};

/** Whether the file can still be read in another way: its import has not begun. */
export const isOpen = (state: ImportState) => state === 'columns' || state === 'preview';
