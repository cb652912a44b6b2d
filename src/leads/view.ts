import type { Email, Phone } from '../contacts/table.ts';
import { type DefinedField, viewCustomFields } from '../custom-fields/custom-field.ts';
import type { StoredValues } from '../custom-fields/table.ts';
import { type Include, includesNothing } from '../record/page.ts';
import { lead } from './table.ts';
import type { LeadFull, LeadRow } from './wire.ts';

/** What of a lead is read, and shown in lists. */
export const leadColumns = {
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

/** A lead as it is read: with the current names of what it refers to, null if that is gone. */
type LeadWithNames = Pick<typeof lead.$inferSelect, keyof typeof leadColumns> & {
  contactName: string | null;
  practiceAreaName: string | null;
  /** Read only for a caller who asked for more. */
  emails?: Email[] | null;
  phones?: Phone[] | null;
  externalId?: string | null;
};

export const viewLead = (lead: LeadWithNames, include: Include = includesNothing): LeadRow => {
  const view = {
    id: lead.id,
    publicId: lead.number,
    status: lead.status,
    value: lead.value,
    isPrivate: lead.isPrivate,
    leadStageColumnId: lead.leadStageId,
    contact: lead.contactName === null ? null : { id: lead.contactId, name: lead.contactName },
    practiceArea:
      lead.practiceAreaId === null || lead.practiceAreaName === null
        ? null
        : { id: lead.practiceAreaId, name: lead.practiceAreaName },
    createdAt: lead.createdAt.toISOString(),
    updatedAt: lead.updatedAt.toISOString(),
  };
  return include.size === 0 ? view : withMore(view, lead, include);
};

const withMore = (view: LeadRow, lead: LeadWithNames, include: Include): LeadRow => {
  const { emails, phones, externalId = null } = lead;
  const addresses = include.has('contact') && { emails: emails ?? [], phones: phones ?? [] };
  return {
    ...view,
    contact: view.contact && { ...view.contact, ...addresses },
    ...(include.has('externalId') && { externalId }),
  };
};

export const viewLeadFull = (
  lead: LeadWithNames & { customFields: StoredValues },
  defined: readonly DefinedField[],
  include?: Include,
): LeadFull => ({ ...viewLead(lead, include), ...viewCustomFields(defined, lead.customFields) });
