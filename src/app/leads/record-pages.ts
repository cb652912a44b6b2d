import { invalid, invalidField, notFound } from '../../base/refusal.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { undoHire } from '../../hiring/hire.ts';
import { assignLead } from '../../leads/assignees.ts';
import { removeLead, updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { leadNotes } from '../../leads/notes.ts';
import { leadRecord, readDeletedLead } from '../../leads/record.ts';
import { declineLead, restoreLead, setLeadStatus } from '../../leads/status.ts';
import { leadChange } from '../../leads/wire.ts';
import type { Reader } from '../../record/actor.ts';
import { changeContactBy, contactTexts } from '../contacts/changes.ts';
import { customFields } from '../custom-fields.tsx';
import { deletedRecord } from '../deleted-record.tsx';
import { checked, type Fields } from '../fields.ts';
import { afterReturn } from '../left-out.tsx';
import { changeFrom, textsOf } from '../records/field.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { type Lead, leadFields } from './fields.tsx';
import { hire } from './hire.tsx';
import { assigneesText, leavingRule } from './lead-details.tsx';
import { showLead } from './lead-page.tsx';

type LeadVisit = Visit<'/leads/:id'>;

const textsNow = async (reader: Reader, { parameters }: LeadVisit) => {
  const lead = await leadRecord(reader, parameters.id);
  return textsOf({ ...leadFields, ...customFields<Lead>(lead.defined) }, lead);
};

const changeLead = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  const { id } = parameters;
  const own = customFields<Lead>(await customFieldsOn(actor, 'LEAD'));
  const body = checked(leadChange, changeFrom({ ...leadFields, ...own }, fields));
  await updateLead(actor, id, body);
  return `/leads/${id}`;
};

const assigneesNow = async (reader: Reader, { parameters }: LeadVisit) => ({
  assigneeIds: assigneesText(await leadRecord(reader, parameters.id)),
});

const assign = async ({ actor, parameters, session }: LeadVisit, fields: Fields) => {
  const { id } = parameters;
  const wanted = fields.all('assigneeIds');
  const { isPrivate } = await readLead(actor, id);
  const stays = !isPrivate || actor.seesPrivate || wanted.includes(session.member.id);
  // The verb itself refuses to leave a private lead without an assignee.
  if (!stays && wanted.length > 0 && !fields.has('leaves')) {
    throw invalidField('assigneeIds', leavingRule);
  }
  await assignLead(actor, id, wanted);
  return `/leads/${id}`;
};

const changeStatus = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  const status = fields.text('status');
  if (status !== 'ACTIVE' && status !== 'DRAFT' && status !== 'ARCHIVE') {
    throw invalid('A lead can be made active, a draft, or archived.');
  }
  await setLeadStatus(actor, parameters.id, status);
  return `/leads/${parameters.id}`;
};

const decline = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  const reasonId = fields.text('reasonId') || null;
  await declineLead(actor, parameters.id, { reasonId, note: fields.raw('note') });
  return `/leads/${parameters.id}`;
};

const editContact = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  const { contact } = await readLead(actor, parameters.id);
  if (!contact) throw notFound();
  await changeContactBy(actor, contact.id, fields);
  return `/leads/${parameters.id}`;
};

const contactNow = async (reader: Reader, { parameters }: LeadVisit) => {
  const { contact } = await readLead(reader, parameters.id);
  return contact ? contactTexts(reader, contact.id) : {};
};

const addNote = async ({ actor, parameters }: LeadVisit, fields: Fields) => {
  await leadNotes.add(actor, parameters.id, fields.raw('text') ?? '');
  return `/leads/${parameters.id}`;
};

type NoteVisit = Visit<'/leads/:id/notes/:noteId'>;

const editNote = async ({ actor, parameters }: NoteVisit, fields: Fields) => {
  const { id, noteId } = parameters;
  await leadNotes.change(actor, id, noteId, fields.raw('text') ?? '');
  return `/leads/${id}`;
};

const deleteNote = async ({ actor, parameters }: NoteVisit) => {
  await leadNotes.remove(actor, parameters.id, parameters.noteId);
  return `/leads/${parameters.id}`;
};

const deleteLead = async ({ actor, parameters }: LeadVisit) => {
  await removeLead(actor, parameters.id);
  return `/leads/${parameters.id}/deleted`;
};

const restore = async ({ actor, parameters }: LeadVisit) => {
  return afterReturn(`/leads/${parameters.id}`, await restoreLead(actor, parameters.id));
};

const takeHireBack = async ({ actor, parameters }: LeadVisit) => {
  await undoHire(actor, parameters.id);
  return `/leads/${parameters.id}`;
};

const showDeleted = async ({ actor, parameters }: LeadVisit): Promise<Shown> => {
  const { id, number } = await readDeletedLead(actor, parameters.id);
  return deletedRecord({
    path: `/leads/${id}`,
    name: `Lead ${number}`,
    place: '/leads',
    nouns: 'leads',
    words: 'It is no longer on the board, in lists or in the search. Its contact stays.',
  });
};

const leadPage = page('/leads/:id', 'leads:read', showLead);
const deletedPage = page(
  '/leads/:id/deleted',
  { allOf: ['leads:read', 'leads:write'] },
  showDeleted,
);

/** A hire decides on the lead and makes a matter. */
const hires = { allOf: ['leads:write', 'matters:write'] } as const;

export const leadRecordPages: Page[] = [
  leadPage,
  form('/leads/:id', 'leads:write', changeLead, leadPage, { guard: textsNow }),
  form('/leads/:id/assignees', 'leads:write', assign, leadPage, { guard: assigneesNow }),
  form('/leads/:id/status', 'leads:write', changeStatus, leadPage),
  form('/leads/:id/not-hired', 'leads:write', decline, leadPage),
  form('/leads/:id/contact', 'contacts:write', editContact, leadPage, { guard: contactNow }),
  form('/leads/:id/notes', 'leads:write', addNote, leadPage, { once: true }),
  form('/leads/:id/notes/:noteId', 'leads:write', editNote, leadPage),
  form('/leads/:id/notes/:noteId/delete', 'leads:write', deleteNote, leadPage),
  form('/leads/:id/hire', hires, hire, leadPage, { once: true }),
  form('/leads/:id/undo-hire', hires, takeHireBack, leadPage),
  form('/leads/:id/delete', 'leads:write', deleteLead, leadPage),
  deletedPage,
  form('/leads/:id/restore', 'leads:write', restore, deletedPage),
];
