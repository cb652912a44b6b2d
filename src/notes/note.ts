import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { member } from '../firm/table.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import type { WrittenAbout } from '../search-text/table.ts';
import { findByText, findNoLonger } from '../search-text/written-text.ts';
import { note } from './table.ts';

export const longestNote = 20_000;

/** A record that notes are written about; its own folder says who may see and change it. */
export type Subject = { about: WrittenAbout; recordId: string };

export type Note = Subject & {
  id: string;
  text: string;
  memberId: string;
  memberName: string;
  createdAt: Date;
  updatedAt: Date;
};

/**
 * The notes about these records, newest first. The caller has checked that the reader sees the records.
 */
export const notesAbout = async (reader: Reader, ...recordIds: string[]): Promise<Note[]> => {
  const given = { firmId: reader.firmId, recordIds };
  const newest = await reader.run(newestNotesOfRecords, given);
  return newest.length <= fewNotes ? newest : reader.run(allNotesOfRecords, given);
};

/** So many notes are short enough for the connection of short statements. */
const fewNotes = 30;

/** Notes with the names of their authors, as a statement begins; the caller says which. */
export const notesWithAuthors = () =>
  query
    .select({
      id: note.id,
      about: note.about,
      recordId: note.recordId,
      text: note.text,
      memberId: note.memberId,
      memberName: member.name,
      createdAt: note.createdAt,
      updatedAt: note.updatedAt,
    })
    .from(note)
    .innerJoin(member, and(eq(member.firmId, note.firmId), eq(member.id, note.memberId)));

/** Whether a note is about this record, and there. */
export const isNoteAbout = ({ firmId, recordId }: Given<'firmId' | 'recordId'>) =>
  and(eq(note.firmId, firmId), eq(note.recordId, recordId), isNull(note.deletedAt));

const notesOfRecords = ({ firmId, recordIds }: Given<{ firmId: string; recordIds: string[] }>) =>
  notesWithAuthors()
    .where(
      and(
        eq(note.firmId, firmId),
        sql`${note.recordId} = any(${recordIds}::uuid[])`,
        isNull(note.deletedAt),
      ),
    )
    .orderBy(desc(note.id));

const newestNotesOfRecords = shortStatement(
  (given: Given<{ firmId: string; recordIds: string[] }>) =>
    notesOfRecords(given).limit(fewNotes + 1),
);

const allNotesOfRecords = statement(notesOfRecords);

/**
 * Writes a note of the acting member about a record, in their write. Throws `Refusal`
 * invalid_request for an empty or overlong text.
 */
export const storeNote = async (
  w: Write,
  subject: Subject,
  text: string,
  moment: Date | Promise<Date> = w.now(),
): Promise<string> => {
  const { firmId, memberId } = w;
  if (memberId === null) throw new Error('A note is written by a member.');
  const checked = noteText(text);
  const at = await moment;
  const id = newId();
  w.create(note, {
    firmId,
    id,
    ...subject,
    memberId,
    text: checked,
    ...(w.author.keyId !== null && { cameThroughApi: true }),
    createdAt: at,
    updatedAt: at,
  });
  findByText(w, { id, source: 'note', ...subject, text: checked });
  return id;
};

/**
 * Changes a note. Throws `Refusal` not_found, forbidden for another person's note, invalid_request
 * for its text.
 */
export const changeNote = async (w: Write, recordId: string, id: string, text: string) => {
  const checked = noteText(text);
  const [stored, now] = await Promise.all([noteForChange(w, recordId, id), w.now()]);
  if (stored.memberId !== w.memberId) throw onlyItsAuthor('change');
  if (!w.update(note, stored, { text: checked, updatedAt: now })) return;
  findByText(w, { id, source: 'note', about: stored.about, recordId, text: checked });
};

/** Removes a note. Its author and the owners may do this. Throws `Refusal` not_found, forbidden. */
export const removeNote = async (w: Write, recordId: string, id: string) => {
  const [stored, now] = await Promise.all([noteForChange(w, recordId, id), w.now()]);
  if (stored.memberId !== w.memberId && !w.seesPrivate) throw onlyItsAuthor('delete');
  w.remove(note, stored, now);
  findNoLonger(w, id);
};

const noteText = (text: string) => {
  const trimmed = text.trim();
  if (trimmed === '') throw invalidField('text', 'must not be empty');
  if ([...trimmed].length > longestNote) {
    const rule = `must have at most ${longestNote} characters`;
    throw invalidField('text', { rule, kind: { kind: 'tooLong', max: longestNote } });
  }
  return trimmed;
};

const onlyItsAuthor = (doing: string) =>
  new Refusal('forbidden', `Only the author of a note can ${doing} it.`);

const noteForChange = async (w: Write, recordId: string, id: string) => {
  const stored = await w.first(heldNote, { firmId: w.firmId, recordId, id });
  if (!stored) throw notFound();
  return stored;
};

const heldNote = statement(({ firmId, recordId, id }: Given<'firmId' | 'recordId' | 'id'>) =>
  query
    .select()
    .from(note)
    .where(
      and(
        eq(note.firmId, firmId),
        eq(note.recordId, recordId),
        eq(note.id, id),
        isNull(note.deletedAt),
      ),
    )
    .for('update'),
);
