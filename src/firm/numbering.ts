import type { Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import {
  changeNumberFormat,
  checkNumberFormat,
  type Numbered,
  numberFormatOf,
  numbersToCome,
} from '../register/numbering.ts';
import { firm } from './table.ts';

const previewed = 3;

/**
 * The next three numbers of a kind of record in a format, without those that an earlier format has
 * given. Throws `Refusal` invalid_request for a wrong format.
 */
export const previewNumbers = (reader: Reader, kind: Numbered, format: string) =>
  numbersToCome(reader, kind, checked(format), previewed);

/**
 * From the next lead or matter on, uses this format; the counter goes on. Throws `Refusal`
 * invalid_request for a wrong format.
 */
export const setNumberFormat = (actor: Acting, kind: Numbered, format: string) =>
  write(actor, async (w) => {
    const after = checked(format);
    const before = await numberFormatOf(w, kind);
    if (after === before) return;
    changeNumberFormat(w, kind, after);
    w.record('update', firm, w.firmId, { [`numbering.${kind}`]: { before, after } });
  });

const checked = (format: string) => {
  const trimmed = format.trim();
  checkNumberFormat('format', trimmed);
  return trimmed;
};
