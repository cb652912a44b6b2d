/** A call that a person noted: a note on the lead, the matter or the contact, in plain words. */
import { contactNotes } from '../contacts/notes.ts';
import { updateLead } from '../leads/lead.ts';
import { leadNotes } from '../leads/notes.ts';
import { matterNotes } from '../matters/notes.ts';
import { type Acting, write } from '../record/write.ts';

/** From which side a call came. */
export const directions = ['in', 'out'] as const;

export type Call = {
  about: 'lead' | 'matter' | 'contact';
  recordId: string;
  direction: (typeof directions)[number];
  said: string;
  /** The lead's next step from now on; undefined if nothing is said of it. */
  nextTouch?: string | undefined;
};

const verbs = { lead: leadNotes, matter: matterNotes, contact: contactNotes };

/**
 * Notes a call: `Call in: …`. With a lead's next step, both are stored or neither. Returns the note's id. Throws `Refusal` as the
 * note and the change of the lead do.
 */
export const noteCall = (actor: Acting, { about, recordId, direction, said, nextTouch }: Call) =>
  write(actor, async (w) => {
    const text = said.trim() && `Call ${direction}: ${said.trim()}`;
    const id = await verbs[about].add(w, recordId, text);
    if (about === 'lead' && nextTouch) await updateLead(w, recordId, {}, { nextTouch });
    return { id };
  });
