import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { contact } from '../contacts/table.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { query, statement } from '../postgres/statement.ts';
import { practiceArea } from '../practice-areas/table.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { atLargestPage, pagesOf } from '../register/position.ts';
import { countOf, eachBlockLength } from '../register/register.ts';
import { lead, leadAssignee } from './table.ts';
import { viewLead, viewLeadFull } from './view.ts';

/** One lead with its custom fields. Throws `Refusal` not_found, also for a private one the reader may not see. */
export const readLead = async (reader: Reader, id: string) => {
  const { firmId, memberId } = reader;
  const [found, defined] = await Promise.all([
    reader.first(reader.seesPrivate ? anyLead : visibleLead, { firmId, memberId, id }),
    customFieldsOn(reader, 'LEAD'),
  ]);
  if (!found) throw notFound();
  return viewLeadFull(found, defined);
};

/** A page of the leads the reader may see, newest first. */
export const listLeads = async (reader: Reader, page: Page) => {
  const { firmId, memberId, seesPrivate } = reader;
  const [rows, { live, livePrivate }, own] = await Promise.all([
    seesPrivate ? pageOfAll(reader, page) : pageOfVisible(reader, page),
    countOf(reader, lead),
    seesPrivate ? undefined : reader.first(countOwnPrivate, { firmId, memberId }),
  ]);
  const total = seesPrivate ? live : live - livePrivate + Number(own?.count ?? 0);
  return { rows: rows.map(viewLead), total };
};

/** A lead the writer may see, held against changes until the commit. */
export const leadForChange = (reader: Reader, id: string) => {
  const { firmId, memberId } = reader;
  return reader.first(reader.seesPrivate ? anyForChange : visibleForChange, {
    firmId,
    memberId,
    id,
  });
};

const isOfFirm = and(eq(lead.firmId, sql.placeholder('firmId')), isNull(lead.deletedAt)) as SQL;

const isOwnOrPublic = sql`(not ${lead.isPrivate} or exists (
  select from ${leadAssignee} where ${leadAssignee.firmId} = ${lead.firmId}
    and ${leadAssignee.leadId} = ${lead.id} and ${leadAssignee.memberId} = ${sql.placeholder('memberId')}))`;

const isThisLead = and(isOfFirm, eq(lead.id, sql.placeholder('id'))) as SQL;

const contactOfLead = (of: { firmId: unknown; contactId: unknown }) =>
  sql`${contact.firmId} = ${of.firmId} and ${contact.id} = ${of.contactId} and ${contact.deletedAt} is null`;

const areaOfLead = (of: { firmId: unknown; practiceAreaId: unknown }) =>
  sql`${practiceArea.firmId} = ${of.firmId} and ${practiceArea.id} = ${of.practiceAreaId}`;

const rowColumns = {
  id: lead.id,
  number: lead.number,
  status: lead.status,
  value: lead.value,
  isPrivate: lead.isPrivate,
  leadStageId: lead.leadStageId,
  contactId: lead.contactId,
  practiceAreaId: lead.practiceAreaId,
  createdAt: lead.createdAt,
  updatedAt: lead.updatedAt,
};

const names = { contactName: contact.name, practiceAreaName: practiceArea.name };

const one = (condition: SQL) =>
  query
    .select({ ...rowColumns, customFields: lead.customFields, ...names })
    .from(lead)
    .leftJoin(contact, contactOfLead(lead))
    .leftJoin(practiceArea, areaOfLead(lead))
    .where(condition);

const anyLead = statement(() => one(isThisLead));
const visibleLead = statement(() => one(and(isThisLead, isOwnOrPublic) as SQL));

const forChange = (condition: SQL) =>
  query
    .select({
      ...{ ...rowColumns, firmId: lead.firmId, ordinal: lead.ordinal, deletedAt: lead.deletedAt },
      ...{ cameThroughApi: lead.cameThroughApi, customFields: lead.customFields },
      ...names,
    })
    .from(lead)
    .leftJoin(contact, contactOfLead(lead))
    .leftJoin(practiceArea, areaOfLead(lead))
    .where(condition)
    .for('update', { of: lead });

const anyForChange = statement(() => forChange(isThisLead));
const visibleForChange = statement(() => forChange(and(isThisLead, isOwnOrPublic) as SQL));

// The page is cut before the names are looked up, so that skipped records cost no look-up.
const pageOf = (inPage: SQL) => {
  const page = query
    .select({ ...rowColumns, firmId: lead.firmId, ordinal: lead.ordinal })
    .from(lead)
    .where(inPage)
    .orderBy(desc(lead.ordinal))
    .limit(atLargestPage)
    .as('page');
  return query
    .select({
      ...{ id: page.id, number: page.number, status: page.status, value: page.value },
      ...{ isPrivate: page.isPrivate, leadStageId: page.leadStageId, contactId: page.contactId },
      ...{
        practiceAreaId: page.practiceAreaId,
        createdAt: page.createdAt,
        updatedAt: page.updatedAt,
      },
      ...names,
    })
    .from(page)
    .leftJoin(contact, contactOfLead(page))
    .leftJoin(practiceArea, areaOfLead(page))
    .orderBy(desc(page.ordinal))
    .limit(sql.placeholder('limit'));
};

const ownPrivate = sql`from ${leadAssignee} join ${lead}
    on ${lead.firmId} = ${leadAssignee.firmId} and ${lead.id} = ${leadAssignee.leadId}
  where ${leadAssignee.firmId} = ${sql.placeholder('firmId')}
    and ${leadAssignee.memberId} = ${sql.placeholder('memberId')}
    and ${lead.isPrivate} and ${lead.deletedAt} is null`;

const countOwnPrivate = statement(
  () => sql<{ count: string }>`select count(*) as count ${ownPrivate}`,
);

const ownPrivateByBlock = statement(
  () => sql<{ length: number; block: number; live: number }>`
    select length, (${lead.ordinal} / length)::int as block, count(*)::int as live
    from (select ${lead.ordinal} ${ownPrivate}) lead, ${eachBlockLength} group by 1, 2`,
);

const pageOfAll = pagesOf(lead, isOfFirm, pageOf);
const pageOfVisible = pagesOf(lead, and(isOfFirm, isOwnOrPublic) as SQL, pageOf, (reader) =>
  reader.run(ownPrivateByBlock, { firmId: reader.firmId, memberId: reader.memberId }),
);
