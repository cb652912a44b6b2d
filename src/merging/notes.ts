/** The notes about a contact, when it is merged. */
import { sql } from 'drizzle-orm';
import { note } from '../notes/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { findByText } from '../search-text/written-text.ts';

/** The notes about a contact, held until the commit. */
export const notesHeld = (w: Write, contactId: string) =>
  w.run(heldNotes, { firmId: w.firmId, contactId });

type Stored = typeof note.$inferSelect;

/** Makes these notes be about another contact. */
export const moveNotes = (w: Write, notes: readonly Stored[], recordId: string) => {
  for (const stored of notes) {
    const { id, about, text } = stored;
    w.update(note, stored, { recordId });
    findByText(w, { id, source: 'note', about, recordId, text });
  }
};

const heldNotes = statement(({ firmId, contactId }: Given<'firmId' | 'contactId'>) =>
  query
    .select()
    .from(note)
    .where(
      sql`${note.firmId} = ${firmId} and ${note.recordId} = ${contactId} and ${note.about} = 'contact'
        and ${note.deletedAt} is null`,
    )
    .orderBy(note.id)
    .for('update'),
);
