import { and, desc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { notFound } from '../base/refusal.ts';
import { contact } from '../contacts/table.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import { practiceArea } from '../practice-areas/table.ts';
import type { Reader } from '../record/actor.ts';
import { type Include, includesNothing, type Page } from '../record/page.ts';
import { atLargestPage, type PageValues, pagesOf } from '../register/position.ts';
import { ownPrivateByBlock, totalSeen } from '../visibility/counts.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { lead } from './table.ts';
import { leadColumns, viewLead, viewLeadFull } from './view.ts';

/**
 * One lead with its custom fields. Throws `Refusal` not_found, also for a private one the reader
 * may not see.
 */
export const readLead = async (reader: Reader, id: string, include: Include = includesNothing) => {
  const [stored, defined] = await Promise.all([
    reader.first(include.size === 0 ? leadById : leadWithMore, { ...viewerOf(reader), id }),
    customFieldsOn(reader, 'LEAD'),
  ]);
  if (!stored) throw notFound();
  return viewLeadFull(stored, defined, include);
};

/** A page of the leads the reader may see, newest first. */
export const listLeads = async (
  reader: Reader,
  page: Page,
  _parameters: object = {},
  include: Include = includesNothing,
) => {
  const pages = include.size === 0 ? leadPage : leadPageWithMore;
  const [rows, total] = await Promise.all([pages(reader, page), totalSeen(reader, 'lead')]);
  return { rows: rows.map((row) => viewLead(row, include)), total };
};

/** A lead that the writer may see, locked against changes until the commit. */
export const leadForChange = (reader: Reader, id: string) =>
  reader.first(forChange, { ...viewerOf(reader), id });

const isSeen = (given: Given<Viewer>) =>
  and(eq(lead.firmId, given.firmId), isNull(lead.deletedAt), canSeeLead(given)) as SQL;

const isThisLead = (given: Given<Viewer & { id: string }>) =>
  and(isSeen(given), eq(lead.id, given.id)) as SQL;

const contactOfLead = (of: { firmId: unknown; contactId: unknown }) =>
  sql`${contact.firmId} = ${of.firmId} and ${contact.id} = ${of.contactId} and ${contact.deletedAt} is null`;

const areaOfLead = (of: { firmId: unknown; practiceAreaId: unknown }) =>
  sql`${practiceArea.firmId} = ${of.firmId} and ${practiceArea.id} = ${of.practiceAreaId}`;

const names = { contactName: contact.name, practiceAreaName: practiceArea.name };
const addresses = { emails: contact.emails, phones: contact.phones };

const others = { externalId: lead.externalId, firmId: lead.firmId, ordinal: lead.ordinal };

type Columns = Record<string, PgColumn>;

/** Selects one lead that the reader may see, with more of it. */
export const selectLead = <More extends Record<string, PgColumn | SQL.Aliased>>(
  more: More,
  given: Given<Viewer & { id: string }>,
) =>
  query
    .select({ ...leadColumns, customFields: lead.customFields, ...names, ...more })
    .from(lead)
    .leftJoin(contact, contactOfLead(lead))
    .leftJoin(practiceArea, areaOfLead(lead))
    .where(isThisLead(given));

const leadById = shortStatement((given: Given<Viewer & { id: string }>) => selectLead({}, given));

/** The same, with all that `include` can ask for. */
const leadWithMore = shortStatement((given: Given<Viewer & { id: string }>) =>
  selectLead({ ...addresses, externalId: lead.externalId }, given),
);

const forChange = statement((given: Given<Viewer & { id: string }>) =>
  query
    .select({ ...getTableColumns(lead), ...names })
    .from(lead)
    .leftJoin(contact, contactOfLead(lead))
    .leftJoin(practiceArea, areaOfLead(lead))
    .where(isThisLead(given))
    .for('update', { of: lead }),
);

// The page is cut before the names are looked up, so that skipped records cost no look-up.
const buildPage = (inPage: SQL, given: Given<PageValues>) => pageWith({}, inPage, given);

/** The same, with all that `include` can ask for. */
const buildPageWithMore = (inPage: SQL, given: Given<PageValues>) =>
  pageWith(addresses, inPage, given);

const pageWith = <OfContact extends Columns>(
  ofContact: OfContact,
  inPage: SQL,
  given: Given<PageValues>,
) => {
  const page = query
    .select({ ...leadColumns, ...others })
    .from(lead)
    .where(inPage)
    .orderBy(desc(lead.ordinal))
    .limit(atLargestPage)
    .as('page');
  const { firmId, ordinal, ...columns } = page._.selectedFields;
  return query
    .select({ ...columns, ...names, ...ofContact })
    .from(page)
    .leftJoin(contact, contactOfLead({ ...columns, firmId }))
    .leftJoin(practiceArea, areaOfLead({ ...columns, firmId }))
    .orderBy(desc(ordinal))
    .limit(given.limit);
};

const leadPage = pagesOf(lead, isSeen, buildPage, ownPrivateByBlock('lead'));
const leadPageWithMore = pagesOf(lead, isSeen, buildPageWithMore, ownPrivateByBlock('lead'));
