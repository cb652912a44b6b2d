import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  filledText,
  idOut,
  idText,
  momentText,
  nullable,
  reference,
  textOut,
} from '../base/shapes.ts';
import { longestNote } from '../notes/note.ts';

export const noteRow = answerOf('Note', {
  id: idOut(),
  leadId: nullable(idOut()),
  matterId: nullable(idOut()),
  text: textOut(longestNote),
  author: reference(),
  createdAt: momentText(),
  updatedAt: momentText(),
});

export const newNote = bodyOf('NewNote', {
  leadId: t.Optional(idText('The lead that it is about; or send matterId.')),
  matterId: t.Optional(idText('The matter that it is about; or send leadId.')),
  text: filledText(longestNote),
});

export const noteChange = bodyOf('NoteChange', { text: t.Optional(filledText(longestNote)) });

export type NoteRow = typeof noteRow.static;
export type NewNote = typeof newNote.static;
export type NoteChange = typeof noteChange.static;

/** For the API description. */
export const examples = {
  create: {
    matterId: '019f0000-0000-7000-8000-000000000006',
    text: 'Called about the hearing. She prefers mornings.',
  } satisfies NewNote,
  update: { text: 'Called about the hearing. She prefers afternoons.' } satisfies NoteChange,
  full: {
    id: '019f0000-0000-7000-8000-000000000011',
    leadId: null,
    matterId: '019f0000-0000-7000-8000-000000000006',
    text: 'Called about the hearing. She prefers mornings.',
    author: { id: '019f0000-0000-7000-8000-000000000007', name: 'Ada Harrow' },
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
  } satisfies NoteRow,
};
