import { notesOn } from '../notes/verbs.ts';
import { matterForChange } from './list.ts';

export const matterNotes = notesOn('matter', matterForChange);
