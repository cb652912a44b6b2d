import { invalid, invalidField, notFound } from '../../base/refusal.ts';
import { undoHire } from '../../hiring/hire.ts';
import { assignLead } from '../../leads/assignees.ts';
import { removeLead, updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { leadNotes } from '../../leads/notes.ts';
import { leadRecord, readDeletedLead } from '../../leads/record.ts';
import { declineLead, restoreLead, setLeadStatus } from '../../leads/status.ts';
import { leadChangeByPeople } from '../../leads/wire.ts';
import type { Reader } from '../../record/actor.ts';
import { contactEdit } from '../contacts/changes.ts';
import { type Deletion, deletePages } from '../deleted-record.tsx';
import { checked, type Fields } from '../fields.ts';
import { noteForms } from '../note-forms.ts';
import { editForm, editOf } from '../records/edit.ts';
import { saying, sayingStatus, statusIn } from '../said.ts';
import { form, type Page, page, type Undo, type Visit } from '../visit.ts';
import { sayingAssigned } from './assigned.ts';
import { type Lead, leadFields } from './fields.tsx';
import { hire } from './hire.tsx';
import { assigneesText, leavingRule } from './lead-details.tsx';
import { showLead } from './lead-page.tsx';

type LeadVisit = Visit<'/leads/:id'>;

const leadEdit = editOf<Lead>({
  fields: leadFields,
  holder: 'LEAD',
  read: leadRecord,
  change: (actor, id, sent) => {
    const { nextTouch, ...body } = checked(leadChangeByPeople, sent);
    return updateLead(actor, id, body, { nextTouch });
  },
});

const assigneesNow = async (reader: Reader, { parameters }: LeadVisit) => ({
  assigneeIds: assigneesText(await leadRecord(reader, parameters.id)),
});

const assign = async (visit: LeadVisit, fields: Fields) => {
  const { actor, parameters, session } = visit;
  const { id } = parameters;
  const wanted = fields.all('assigneeIds');
  const { isPrivate } = await readLead(actor, id);
  const stays = !isPrivate || actor.seesPrivate || wanted.includes(session.member.id);
  // The verb itself refuses to leave a private lead without an assignee.
  if (!stays && wanted.length > 0 && !fields.has('leaves')) {
    throw invalidField('assigneeIds', leavingRule);
  }
  return sayingAssigned(visit, `/leads/${id}`, id, await assignLead(actor, id, wanted));
};

const changeStatus = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  const { id } = parameters;
  const status = statusIn(fields.text('status'));
  if (!status) throw invalid('A lead can be made active, a draft, or archived.');
  const { status: before } = await readLead(actor, id);
  await setLeadStatus(actor, id, status);
  return sayingStatus(`/leads/${id}`, before, status);
};

const decline = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  const { id } = parameters;
  const reasonId = fields.text('reasonId') || null;
  const before = statusIn((await readLead(actor, id)).status);
  await declineLead(actor, id, { reasonId, note: fields.raw('note') });
  const undo: Undo | undefined = before && {
    action: `/leads/${id}/status`,
    fields: [['status', before]],
  };
  return saying(`/leads/${id}`, 'Not hired: {title}.', undo);
};

const editContact = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  const { contact } = await readLead(actor, parameters.id);
  if (!contact) throw notFound();
  await contactEdit.change(actor, contact.id, fields);
  return `/leads/${parameters.id}`;
};

const contactNow = async (reader: Reader, { parameters }: LeadVisit) => {
  const { contact } = await readLead(reader, parameters.id);
  return contact ? contactEdit.now(reader, contact.id) : {};
};

const takeHireBack = async ({ actor, parameters }: LeadVisit) => {
  await undoHire(actor, parameters.id);
  return `/leads/${parameters.id}`;
};

const deletion: Deletion = {
  list: 'leads',
  remove: removeLead,
  readDeleted: async (reader, id) => ({
    name: `Lead ${(await readDeletedLead(reader, id)).number}`,
    words: 'The lead is no longer on the board, in lists or in the search. Its contact stays.',
  }),
  restore: restoreLead,
};

const leadPage = page('/leads/:id', 'leads:read', showLead);
/** A hire decides on the lead and makes a matter. */
const hires = { allOf: ['leads:write', 'matters:write'] } as const;

export const leadRecordPages: Page[] = [
  leadPage,
  editForm(leadPage, 'leads:write', leadEdit),
  form('/leads/:id/assignees', 'leads:write', assign, leadPage, { guard: assigneesNow }),
  form('/leads/:id/status', 'leads:write', changeStatus, leadPage),
  form('/leads/:id/not-hired', 'leads:write', decline, leadPage),
  form('/leads/:id/contact', 'contacts:write', editContact, leadPage, {
    guard: contactNow,
    said: 'Contact changed: {title}.',
  }),
  ...noteForms(leadPage, 'leads:write', leadNotes),
  form('/leads/:id/hire', hires, hire, leadPage, { once: true }),
  form('/leads/:id/undo-hire', hires, takeHireBack, leadPage, {
    said: 'Hire undone. {title} is an active lead again.',
  }),
  ...deletePages(deletion, leadPage),
];
