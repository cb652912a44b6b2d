import { note } from '../notes/table.ts';
import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import { createNote, listNotes, readNote, removeNote, updateNote } from './note.ts';
import { subjectParameters } from './subject.ts';
import { examples, newNote, noteChange, noteRow } from './wire.ts';

export const notes = resource({
  name: 'notes',
  noun: 'note',
  description:
    'What members wrote about a lead or a matter. Only its author changes a note; its author and owners delete it. The scope needs the permission of the record that the note is about.',
  shapes: { row: noteRow, full: noteRow, create: newNote, update: noteChange },
  listParameters: subjectParameters,
  examples,
  told: { table: note },
  refusals: { list: ['not_found'], create: ['not_found'], update: [] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listNotes,
  read: readNote,
  create: createNote,
  update: updateNote,
  remove: removeNote,
});
