import type { Reader } from '../record/actor.ts';
import { type FileRow, maxFileBytes, readRows } from './file.ts';
import type { Mapping } from './state.ts';
import { contentOf } from './stored.ts';

type Kept = { rows: FileRow[]; length: number };

// Of several files, the latest are kept that are together no longer than the longest may be.
const kept = new Map<string, Kept>();

/** The rows of a file that is being imported. They are kept for the next step, here. */
export const rowsForStep = async (
  reader: Reader,
  id: string,
  { separator, countsBlankRows }: Mapping,
): Promise<FileRow[]> => {
  const found = kept.get(id);
  if (found) return found.rows;
  const content = await contentOf(reader, id);
  const { rows } = await readRows(content, separator, countsBlankRows ?? false);
  kept.set(id, { rows, length: content.length });
  let total = [...kept.values()].reduce((sum, { length }) => sum + length, 0);
  for (const [other, { length }] of kept) {
    if (total <= maxFileBytes) break;
    kept.delete(other);
    total -= length;
  }
  return rows;
};

/** Says that no step needs the rows any more. */
export const endReading = (id: string) => void kept.delete(id);
