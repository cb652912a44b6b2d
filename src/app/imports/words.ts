import type { ImportState } from '../../imports/state.ts';
import type { ImportedKind } from '../../imports/table.ts';
import { counted } from '../numbers.ts';

export const kindWords: Record<ImportedKind, { name: string; one: string; hint: string }> = {
  contact: {
    name: 'Contacts',
    one: 'contact',
    hint: 'People and companies, each with email addresses and phone numbers.',
  },
  lead: {
    name: 'Leads',
    one: 'lead',
    hint: 'Each row creates a lead and its contact. Nobody gets a notification.',
  },
  matter: {
    name: 'Matters',
    one: 'matter',
    hint: 'Import the contacts first: clients are found by their names.',
  },
};

export const stateWords: Record<ImportState, string> = {
  columns: 'Not started',
  preview: 'Checked',
  running: 'Importing',
  done: 'Imported',
  undoing: 'Undoing',
  undone: 'Undone',
};

/** A number of records in words: `1 contact`, `1,200 contacts`. */
export const records = (number: number, kind: ImportedKind) => counted(number, kindWords[kind].one);
