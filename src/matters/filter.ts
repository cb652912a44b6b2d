import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Given } from '../postgres/statement.ts';
import type { FieldConditions, FieldFilter, Words } from '../views/filter.ts';
import type { matterStatuses, teamRoles } from './table.ts';

/**
 * Which matters a list shows. The list's address has the same names, and reports link by them. Null is
 * any; `none` is an empty place. Days are calendar days, `YYYY-MM-DD`, both inclusive.
 */
export type MatterFilter = {
  /** `CURRENT`: not archived. */
  status: (typeof matterStatuses)[number] | 'CURRENT' | null;
  /** A practice area's id. */
  area: string | null;
  /** The id of the stage it sits in. */
  stage: string | null;
  /** A matter type's id. */
  type: string | 'none' | null;
  /** The id of a member who is its responsible attorney; `none`: it has no such attorney. */
  responsible: string | 'none' | null;
  /** The id of a member who is on its team, in any part; `none`: it has no team. */
  member: string | 'none' | null;
  /** The part that the member has on its team. */
  role: (typeof teamRoles)[number] | null;
  /** Whether it has a limitation date, and whether that is met; `missing`: its area expects one. */
  limitation: 'none' | 'missing' | 'open' | 'met' | null;
  limitationFrom: string | null;
  limitationTo: string | null;
  openedFrom: string | null;
  openedTo: string | null;
  closedFrom: string | null;
  closedTo: string | null;
  /** Words that it, or one of its clients, is found by. */
  q: string | null;
  fields: readonly FieldFilter[];
};

export const everyMatter: MatterFilter = {
  status: null,
  area: null,
  stage: null,
  type: null,
  responsible: null,
  member: null,
  role: null,
  limitation: null,
  limitationFrom: null,
  limitationTo: null,
  openedFrom: null,
  openedTo: null,
  closedFrom: null,
  closedTo: null,
  q: null,
  fields: [],
};

/** A filter as statements take it. */
export type Filtering = { firmId: string } & Omit<MatterFilter, 'q' | 'fields'> &
  Words &
  FieldConditions;

/** Whether the row of `matter` has the status that is asked for; null asks for any. */
export const isOfStatus = ({ status }: Given<Pick<Filtering, 'status'>>, of: SQL) =>
  sql`(${status}::text is null or ${of} = ${status}::text
    or (${status}::text = 'CURRENT' and ${of} <> 'ARCHIVE'))`;

/**
 * Whether the member who is asked for is a responsible attorney of the row of `matter`; `none` asks
 * for matters without one, null for all.
 */
export const isResponsible = (given: Given<'firmId'>, asked: Placeholder): SQL => sql`
  (${asked}::text is distinct from 'none' or matter.first_attorney_id is null)
  and (${asked}::text = 'none'
    or ${hasMember(given, asked, sql`and place.role = 'RESPONSIBLE_ATTORNEY'`)})`;

// The matters of a member are gathered once, not looked for at each matter.
const hasMember = ({ firmId }: Given<'firmId'>, asked: Placeholder, further: SQL) => sql`
  (${asked}::text is null or case when ${asked}::text = 'none'
    then matter.first_attorney_id is null and not exists (select from matter_team place
      where place.firm_id = ${firmId} and place.matter_id = matter.id ${further})
    else matter.id in (select place.matter_id from matter_team place
      where place.firm_id = ${firmId} and place.member_id = nullif(${asked}::text, 'none')::uuid
        ${further}) end)`;
