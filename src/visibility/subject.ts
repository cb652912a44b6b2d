/**
 * What a task or an event is about, for statements that read some: a matter, or a lead until that is hired. One
 * about a private lead does not exist for those who may not see the lead.
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { member, role } from '../firm/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import type { Given } from '../postgres/statement.ts';
import { canSeeLead, type Viewer, type ViewerColumns } from './visibility.ts';

/** The record that something is about. */
export type AboutRecord = {
  about: 'lead' | 'matter';
  id: string;
  number: string;
  /** A matter's title, or the name of a lead's contact. */
  title: string;
};

/** The columns of a row that say what it is about. */
export type Part = Record<'firmId' | 'matterId' | 'leadId', SQLWrapper>;

/**
 * Joins what a row is about, deleted records left out: as `matter`, or as `lead` with its `contact`, if
 * they may see it. Ask `isAbout` too: without it, rows about nothing that they may see stay. `deletedToo` joins
 * a deleted matter as well.
 */
export const joinSubject = (part: Part, by: ViewerColumns, deletedToo = false): SQL => sql`
  left join ${matter} on ${matter.firmId} = ${part.firmId} and ${matter.id} = ${part.matterId}
    ${deletedToo ? sql`` : sql`and ${matter.deletedAt} is null`}
  left join ${lead} on ${lead.firmId} = ${part.firmId} and ${lead.id} = ${part.leadId}
    and ${part.matterId} is null and ${lead.deletedAt} is null and ${canSeeLead(by)}
  left join ${contact} on ${contact.firmId} = ${lead.firmId} and ${contact.id} = ${lead.contactId}
    and ${contact.deletedAt} is null`;

/** Whether `joinSubject` found what the row is about. */
export const isAbout = sql`coalesce(${matter.id}, ${lead.id}) is not null`;

/**
 * The same for a statement that holds the row: what a row is about is there, and they may see it.
 */
export const isAboutSeen = (part: Part, by: ViewerColumns): SQL => sql`(
  exists (select from ${matter} where ${matter.firmId} = ${by.firmId} and ${matter.id} = ${part.matterId}
    and ${matter.deletedAt} is null)
  or ${part.matterId} is null and exists (select from ${lead} where ${lead.firmId} = ${by.firmId}
    and ${lead.id} = ${part.leadId} and ${lead.deletedAt} is null and ${canSeeLead(by)}))`;

/** The member of a row of `member` and its `role` as the one who sees. */
export const ofMember = (firmId: ViewerColumns['firmId']): ViewerColumns => ({
  firmId,
  memberId: sql`member.id`,
  seesPrivate: sql`role.holds_all`,
});

/** Whether the `role` of a row may read such records. */
export const roleReads = (kind: 'leads' | 'matters'): SQL =>
  sql.raw(`(role.holds_all or '${kind}:read' = any(role.permissions))`);

/** `isAboutSeen` by the member of a row, whose `role` may read the kind of record that it is about. */
export const isAboutRead = (part: Part, firmId: ViewerColumns['firmId']): SQL => sql`(
  (role.holds_all or ${aboutOf(part)} || 's:read' = any(role.permissions))
  and ${isAboutSeen(part, ofMember(firmId))})`;

/** `isAbout`, of a kind of record that the reader's role may read. */
export const mayReadAbout = (by: Given<Viewer>): SQL => sql`(
  ${matter.id} is not null and ${mayRead('matters', by)}
  or ${lead.id} is not null and ${mayRead('leads', by)})`;

const mayRead = (kind: 'leads' | 'matters', by: Given<Viewer>): SQL => sql`(${by.seesPrivate}
  or exists (select from ${member} join ${role} on ${role.firmId} = ${member.firmId} and ${role.id} = ${member.roleId}
    where ${member.firmId} = ${by.firmId} and ${member.id} = ${by.memberId}
      and (${role.holdsAll} or ${sql.raw(`'${kind}:read'`)} = any(${role.permissions}))))`;

/** Which kind of record a row is about. */
export const aboutOf = (part: Part) =>
  sql`case when ${part.matterId} is null then 'lead' else 'matter' end`;

const subjectNumber = sql`coalesce(${matter.number}, ${lead.number})`;

const subjectTitle = sql`case when ${matter.id} is null then ${contact.name} else ${matter.title} end`;

/** What the row is about, as columns; `recordOf` makes an `AboutRecord` of them. */
export const subjectColumns = sql`
  case when ${matter.id} is null then 'lead' else 'matter' end as about,
  coalesce(${matter.id}, ${lead.id})::text as "recordId",
  ${subjectNumber} as number, ${subjectTitle} as "recordTitle"`;

/** The number and the name of what the row is about: `M-12 Quill v. Rook`. */
export const subjectWords = sql`concat_ws(' ', ${subjectNumber}, ${subjectTitle})`;

/** What `subjectColumns` gives. A lead that has lost its contact has no title. */
export type SubjectColumns = {
  about: AboutRecord['about'];
  recordId: string;
  number: string;
  recordTitle: string | null;
};

export const recordOf = ({
  about,
  recordId,
  number,
  recordTitle,
}: SubjectColumns): AboutRecord => ({
  about,
  id: recordId,
  number,
  title: recordTitle ?? 'Contact deleted',
});
