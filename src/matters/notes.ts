import { notesOn } from '../notes/verbs.ts';
import { matterForChange } from './list.ts';

/** The notes about matters. */
export const matterNotes = notesOn('matter', matterForChange);
