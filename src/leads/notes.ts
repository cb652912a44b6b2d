import { notesOn } from '../notes/verbs.ts';
import { leadForChange } from './list.ts';

/** The notes about leads: those who see a lead write them. */
export const leadNotes = notesOn('lead', leadForChange);
