/**
 * Who may see a private lead and its contact, in one place (docs/contract.md, Leads; Records).
 * Leads and contacts are above in the order of floors, so that custom fields and notifications can
 * ask too: their tables are named here by hand.
 *
 * - A private lead is seen by its assignees and by the owners.
 * - A contact that came with a private lead, and is not a client of a matter, is seen by those who
 * see the lead, deleted or not (`contact.is_private`, kept by contacts/privacy.ts).
 */
import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
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

// Values and not `exists`, which Postgres may answer by reading all that the member is assigned to.

/** Whether the row of `lead` is one that they may see. */
export const canSeeLead = (by: ViewerColumns): SQL => sql`(not lead.is_private or ${by.seesPrivate}
  or (select true from lead_assignee where lead_assignee.firm_id = ${by.firmId}
    and lead_assignee.lead_id = lead.id and lead_assignee.member_id = ${by.memberId}))`;

/** Whether the row of `contact` is one that they may see. */
export const canSeeContact = (
  by: ViewerColumns,
): SQL => sql`(not contact.is_private or ${by.seesPrivate}
  or (select true from lead origin join lead_assignee on lead_assignee.firm_id = origin.firm_id
      and lead_assignee.lead_id = origin.id and lead_assignee.member_id = ${by.memberId}
    where origin.firm_id = ${by.firmId} and origin.contact_id = contact.id limit 1))`;

/** Kinds of record that may be private. */
export type Hideable = 'lead' | 'contact';

export type Own = Given<Pick<Viewer, 'firmId' | 'memberId'>>;

/** The private records that a member sees as an assignee of the lead. */
export const ownPrivate: Record<Hideable, (own: Own) => SQL> = {
  lead: ({ firmId, memberId }) => sql`from lead_assignee
    join lead on lead.firm_id = lead_assignee.firm_id and lead.id = lead_assignee.lead_id
    where lead_assignee.firm_id = ${firmId} and lead_assignee.member_id = ${memberId}
      and lead.is_private and lead.deleted_at is null`,
  contact: ({ firmId, memberId }) => sql`from lead_assignee
    join lead origin on origin.firm_id = lead_assignee.firm_id and origin.id = lead_assignee.lead_id
    join contact on contact.firm_id = origin.firm_id and contact.id = origin.contact_id
    where lead_assignee.firm_id = ${firmId} and lead_assignee.member_id = ${memberId}
      and contact.is_private and contact.deleted_at is null`,
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
