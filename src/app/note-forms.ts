import type { Permission } from '../firm/permissions.ts';
import type { notesOn } from '../notes/verbs.ts';
import type { RecordPath } from './deleted-record.tsx';
import type { Fields } from './fields.ts';
import { form, type Page, type ShownPage, type Visit } from './visit.ts';

/** The forms of the notes on a record's page, `record`: to write, to change and to delete one. */
export const noteForms = (
  record: ShownPage<RecordPath>,
  write: Permission,
  notes: ReturnType<typeof notesOn>,
): Page[] => {
  const { path } = record;
  const back = (id: string) => path.replace(':id', id);
  const text = (fields: Fields) => fields.raw('text') ?? '';
  const add = async ({ actor, parameters: { id } }: Visit<RecordPath>, fields: Fields) => {
    await notes.add(actor, id, text(fields));
    return back(id);
  };
  const change = async ({ actor, parameters }: Visit<NotePath>, fields: Fields) => {
    const { id, noteId } = parameters;
    await notes.change(actor, id, noteId, text(fields));
    return back(id);
  };
  const remove = async ({ actor, parameters }: Visit<NotePath>) => {
    const { id, noteId } = parameters;
    await notes.remove(actor, id, noteId);
    return back(id);
  };
  return [
    form(`${path}/notes` as const, write, add, record, {
      once: true,
      said: 'Note added to {title}.',
    }),
    form(`${path}/notes/:noteId` as const, write, change, record, { said: 'Note changed.' }),
    form(`${path}/notes/:noteId/delete` as const, write, remove, record, { said: 'Note deleted.' }),
  ];
};

type NotePath = `${RecordPath}/notes/:noteId`;
