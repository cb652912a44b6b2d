import { notesOn } from '../notes/verbs.ts';
import { leadForChange } from './list.ts';
import { touch } from './next-touch.ts';

/** The notes about leads: those who see a lead write them. A new one answers a next step that was due. */
export const leadNotes = notesOn('lead', leadForChange, touch);
