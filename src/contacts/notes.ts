import { notesOn } from '../notes/verbs.ts';
import { contactHeld } from './contact.ts';

/** The notes about contacts: those who see a contact write them. The API has none of them. */
export const contactNotes = notesOn('contact', contactHeld);
