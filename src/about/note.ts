/** Notes as the API takes and sends them. What they are about says who may read and change them. */
import { desc, sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { leadNotes } from '../leads/notes.ts';
import { lead } from '../leads/table.ts';
import { matterNotes } from '../matters/notes.ts';
import { matter } from '../matters/table.ts';
import { isNoteAbout, type Note, notesWithAuthors } from '../notes/note.ts';
import { note } from '../notes/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type Acting, write } from '../record/write.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { mustHoldFor, type Named, subjectOf } from './subject.ts';
import type { NewNote, NoteChange, NoteRow } from './wire.ts';

const verbs = { lead: leadNotes, matter: matterNotes };

/**
 * Writes a note about the lead or the matter that is named. Throws `Refusal` as `subjectOf` does, and
 * invalid_request for its text.
 */
export const createNote = (actor: Acting, { leadId, matterId, text }: NewNote) =>
  write(actor, async (w) => {
    const { about, recordId } = await subjectOf(w, { leadId, matterId }, 'write');
    const id = await verbs[about].add(w, recordId, text);
    return viewNote(await noteSeen(w, id));
  });

/** Changes the member's own note. Throws `Refusal` not_found, forbidden, invalid_request. */
export const updateNote = (actor: Acting, id: string, { text }: NoteChange) =>
  write(actor, async (w) => {
    const { about, recordId } = await noteSeen(w, id);
    await mustHoldFor(w, about, 'write');
    if (text !== undefined) await verbs[about].change(w, recordId, id, text);
    return viewNote(await noteSeen(w, id));
  });

/** Removes a note: the author's right, and the owners'. Throws `Refusal` not_found, forbidden. */
export const removeNote = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const { about, recordId } = await noteSeen(w, id);
    await mustHoldFor(w, about, 'write');
    await verbs[about].remove(w, recordId, id);
  });

/**
 * One note. Throws `Refusal` not_found, also for one about a lead that the reader may not see; and
 * forbidden.
 */
export const readNote = async (reader: Reader, id: string) => {
  const found = await noteSeen(reader, id);
  await mustHoldFor(reader, found.about, 'read');
  return viewNote(found);
};

/** A page of the notes about one record, newest first. Throws `Refusal` as `subjectOf` does. */
export const listNotes = async (reader: Reader, page: Page, named: Named) => {
  const { recordId } = await subjectOf(reader, named, 'read');
  const ofRecord = { firmId: reader.firmId, recordId };
  const [rows, counted] = await Promise.all([
    reader.run(notePage, { ...ofRecord, ...page }),
    reader.first(countNotes, ofRecord),
  ]);
  return { rows: rows.map(viewNote), total: Number(counted?.count ?? 0) };
};

const noteSeen = async (reader: Reader, id: string) => {
  const found = await reader.first(oneNote, { ...viewerOf(reader), id });
  if (!found || found.about === 'contact') throw notFound();
  return { ...found, about: found.about };
};

const viewNote = ({ about, recordId, ...stored }: Note): NoteRow => ({
  id: stored.id,
  leadId: about === 'lead' ? recordId : null,
  matterId: about === 'matter' ? recordId : null,
  text: stored.text,
  author: { id: stored.memberId, name: stored.memberName },
  createdAt: stored.createdAt.toISOString(),
  updatedAt: stored.updatedAt.toISOString(),
});

const oneNote = statement((given: Given<Viewer & { id: string }>) =>
  notesWithAuthors().where(
    sql`${note.firmId} = ${given.firmId} and ${note.id} = ${given.id} and ${note.deletedAt} is null
      and (exists (select from ${matter} where ${matter.firmId} = ${given.firmId}
          and ${matter.id} = ${note.recordId} and ${matter.deletedAt} is null)
        or exists (select from ${lead} where ${lead.firmId} = ${given.firmId}
          and ${lead.id} = ${note.recordId} and ${lead.deletedAt} is null and ${canSeeLead(given)}))`,
  ),
);

const notePage = statement((given: Given<{ firmId: string; recordId: string } & Page>) =>
  notesWithAuthors()
    .where(isNoteAbout(given))
    .orderBy(desc(note.createdAt), desc(note.id))
    .limit(given.limit)
    .offset(given.offset),
);

const countNotes = statement((given: Given<'firmId' | 'recordId'>) =>
  query.select({ count: sql<string>`count(*)` }).from(note).where(isNoteAbout(given)),
);
