import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import { createLead, removeLead, updateLead } from './lead.ts';
import { listLeads, readLead } from './list.ts';
import { lead } from './table.ts';
import { examples, leadChange, leadFull, leadRow, newLead } from './wire.ts';

export const leads = resource({
  name: 'leads',
  noun: 'lead',
  description:
    "Prospective clients in the firm's intake pipeline. Creating a lead always creates its contact. A PERSON, the default, needs firstName or lastName; a COMPANY needs companyName.",
  shapes: { row: leadRow, full: leadFull, create: newLead, update: leadChange },
  examples,
  includes: { contact: { needs: 'contacts:read' }, externalId: {} },
  told: {
    table: lead,
    as: {
      number: 'publicId',
      leadStageId: 'leadStageColumnId',
      contactId: 'contact',
      practiceAreaId: 'practiceArea',
      assignee: 'assignees',
      assignees: 'assignees',
    },
    statuses: { HIRED: 'hired', NOT_HIRED: 'not_hired', ARCHIVE: 'archived' },
  },
  refusals: {
    create: ['not_found', 'not_configured', 'invalid_custom_field'],
    update: ['conflict', 'invalid_custom_field'],
  },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listLeads,
  read: readLead,
  create: createLead,
  update: updateLead,
  remove: removeLead,
});
