import { notFound } from '../base/refusal.ts';
import { changeNote, removeNote, storeNote } from '../notes/note.ts';
import type { Actor } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { leadForChange } from './list.ts';

/** Writes a note about a lead. Throws `Refusal` not_found for the lead, invalid_request for the text. */
export const noteLead = (actor: Actor, leadId: string, text: string) =>
  write(actor, async (w) => {
    await mustSee(w, leadId);
    return storeNote(w, { about: 'lead', recordId: leadId }, text);
  });

/** Changes the acting member's own note. Throws `Refusal` not_found, forbidden, invalid_request. */
export const changeLeadNote = (actor: Actor, leadId: string, noteId: string, text: string) =>
  write(actor, async (w) => {
    await mustSee(w, leadId);
    await changeNote(w, leadId, noteId, text);
  });

/** Removes a note: the author's right, and the owners'. Throws `Refusal` not_found, forbidden. */
export const removeLeadNote = (actor: Actor, leadId: string, noteId: string) =>
  write(actor, async (w) => {
    await mustSee(w, leadId);
    await removeNote(w, leadId, noteId);
  });

const mustSee = async (w: Write, leadId: string) => {
  if (!(await leadForChange(w, leadId))) throw notFound();
};
