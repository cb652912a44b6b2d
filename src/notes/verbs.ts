import { notFound } from '../base/refusal.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { changeNote, removeNote, type Subject, storeNote } from './note.ts';

/**
 * The verbs for notes about a kind of record. `hold` gives the record, locked, if the writer may see it;
 * without it each verb throws `Refusal` not_found. `touch` does
 * what a new note does to the record.
 */
export const notesOn = <Held>(
  about: Subject['about'],
  hold: (w: Write, recordId: string) => Promise<Held | undefined>,
  touch?: (w: Write, held: Held) => Promise<void>,
) => {
  const mustSee = async (w: Write, recordId: string) => {
    const held = await hold(w, recordId);
    if (!held) throw notFound();
    return held;
  };
  return {
    /** Writes a note. Throws `Refusal` invalid_request for its text. */
    add: (actor: Acting, recordId: string, text: string) =>
      write(actor, async (w) => {
        const held = await mustSee(w, recordId);
        await touch?.(w, held);
        return storeNote(w, { about, recordId }, text);
      }),
    /** Changes the acting member's own note. Throws `Refusal` forbidden, invalid_request. */
    change: (actor: Acting, recordId: string, noteId: string, text: string) =>
      write(actor, async (w) => {
        await mustSee(w, recordId);
        await changeNote(w, recordId, noteId, text);
      }),
    /** Removes a note: the author's right, and the owners'. Throws `Refusal` forbidden. */
    remove: (actor: Acting, recordId: string, noteId: string) =>
      write(actor, async (w) => {
        await mustSee(w, recordId);
        await removeNote(w, recordId, noteId);
      }),
  };
};
