/**
 * Who may see a private lead and its contact, in one place (docs/contract.md, Leads; Records).
 * Leads and contacts are above in the order of floors, so that custom fields and notifications can
 * ask too: only their tables are named here.
 *
 * - A private lead is seen by its assignees and by the owners.
 * - A contact that came with a private lead, and is not a client of a matter, is seen by those who
 * see the lead, deleted or not (`contact.is_private`, kept by contacts/privacy.ts).
 */

import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { contact } from '../contacts/table.ts';
import { lead, leadAssignee } from '../leads/table.ts';
import type { Given } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';

/** What a statement gets of its reader, to ask what they may see. */
export type Viewer = Pick<Reader, 'firmId' | 'memberId' | 'seesPrivate'>;

/** The same, taken from a reader. */
export const viewerOf = ({ firmId, memberId, seesPrivate }: Reader): Viewer => ({
  firmId,
  memberId,
  seesPrivate,
});

/**
 * Who reads, as a statement names them: by values, or by columns of a member and of their role. The
 * firm is always a value, so that each part of a statement names it.
 */
export type ViewerColumns = Record<'memberId' | 'seesPrivate', SQLWrapper | Placeholder> & {
  firmId: SQLWrapper | Placeholder;
};

/** The lead that a contact came with. */
const origin = alias(lead, 'origin');

// Values and not `exists`, which Postgres may answer by reading all that the member is assigned to.

/** Whether the row of `lead` is one that they may see. */
export const canSeeLead = (
  by: ViewerColumns,
): SQL => sql`(not ${lead.isPrivate} or ${by.seesPrivate}
  or (select true from ${leadAssignee} where ${leadAssignee.firmId} = ${by.firmId}
    and ${leadAssignee.leadId} = ${lead.id} and ${leadAssignee.memberId} = ${by.memberId}))`;

/** Whether the row of `contact` is one that they may see. */
export const canSeeContact = (
  by: ViewerColumns,
): SQL => sql`(not ${contact.isPrivate} or ${by.seesPrivate}
  or (select true from ${lead} ${origin} join ${leadAssignee} on ${leadAssignee.firmId} = ${origin.firmId}
      and ${leadAssignee.leadId} = ${origin.id} and ${leadAssignee.memberId} = ${by.memberId}
    where ${origin.firmId} = ${by.firmId} and ${origin.contactId} = ${contact.id} limit 1))`;

/** Kinds of record that may be private. */
export type Hideable = 'lead' | 'contact';

export type Own = Given<Pick<Viewer, 'firmId' | 'memberId'>>;

/** The private records that a member sees as an assignee of the lead. */
export const ownPrivate: Record<Hideable, (own: Own) => SQL> = {
  lead: ({ firmId, memberId }) => sql`from ${leadAssignee}
    join ${lead} on ${lead.firmId} = ${leadAssignee.firmId} and ${lead.id} = ${leadAssignee.leadId}
    where ${leadAssignee.firmId} = ${firmId} and ${leadAssignee.memberId} = ${memberId}
      and ${lead.isPrivate} and ${lead.deletedAt} is null`,
  contact: ({ firmId, memberId }) => sql`from ${leadAssignee}
    join ${lead} ${origin} on ${origin.firmId} = ${leadAssignee.firmId} and ${origin.id} = ${leadAssignee.leadId}
    join ${contact} on ${contact.firmId} = ${origin.firmId} and ${contact.id} = ${origin.contactId}
    where ${leadAssignee.firmId} = ${firmId} and ${leadAssignee.memberId} = ${memberId}
      and ${contact.isPrivate} and ${contact.deletedAt} is null`,
};

/**
 * Whether the row of `known_word` is a word of what they may see, or of what everyone could once
 * see.
 */
export const canSeeWord = (by: Given<Viewer>): SQL => {
  const holdsIt = (kind: Hideable) => sql`(select true ${ownPrivate[kind](by)}
    and ${sql.raw(kind)}.findable_by like '% ' || known_word.word || ' %' limit 1)`;
  return sql`(not known_word.is_private or ${by.seesPrivate}
    or ${holdsIt('contact')} or ${holdsIt('lead')})`;
};
