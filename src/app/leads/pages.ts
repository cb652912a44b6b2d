import { invalid, invalidField, notFound } from '../../base/refusal.ts';
import { undoHire } from '../../hiring/hire.ts';
import { type AssigneesChange, assigneesOf, assignLead } from '../../leads/assignees.ts';
import { removeLead, updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { leadNotes } from '../../leads/notes.ts';
import { leadRecord, readDeletedLead } from '../../leads/record.ts';
import { declineLead, restoreLead, setLeadStatus } from '../../leads/status.ts';
import { leadChange, leadChangeByPeople } from '../../leads/wire.ts';
import type { Reader } from '../../record/actor.ts';
import { contactEdit } from '../contacts/changes.ts';
import { type Deletion, deletePages } from '../deleted-record.tsx';
import { checked, type Fields, originalName } from '../fields.ts';
import { boardAndList } from '../records/board-and-list.ts';
import { editForm, editOf } from '../records/forms.tsx';
import { namesInWords, saying, sayingStatus, statusIn } from '../said.ts';
import { noteForms } from '../timeline.tsx';
import { undoField } from '../undo.ts';
import { form, type GoTo, type Page, page, type Undo, type Visit } from '../visit.ts';
import { leadActs, showBoard, stageField } from './board.tsx';
import { type Lead, leadFields } from './fields.tsx';
import { hire } from './hire.tsx';
import { assigneesText, leavingRule } from './lead-details.tsx';
import { showLead } from './lead-page.tsx';
import { listForms, severalLeads, showList } from './list.tsx';
import { newLeadPages } from './new-lead.tsx';
import { noContact } from './words.tsx';

const boardAndListPages = boardAndList({
  list: 'leads',
  showBoard,
  showList,
  listForms,
  several: severalLeads,
  kinds: leadActs,
  change: async (visit, { kind, id }, fields, again) => {
    const { actor } = visit;
    if (kind === 'assign') {
      const change = await assignLead(actor, id, fields.all('assigneeIds'));
      return sayingAssigned(visit, again, id, change);
    }
    const body = checked(leadChange, { [stageField]: fields.text(stageField) });
    await updateLead(actor, id, body, { isUndo: fields.has(undoField) });
    return again;
  },
  now: async (reader, { kind, id }) =>
    kind === 'move' ? { [stageField]: (await readLead(reader, id)).leadStageColumnId ?? '' } : {},
});

type LeadVisit = Visit<'/leads/:id'>;

const leadEdit = editOf<Lead>({
  fields: leadFields,
  holder: 'LEAD',
  read: leadRecord,
  change: (actor, id, sent, fields) => {
    const { nextTouch, ...body } = checked(leadChangeByPeople, sent);
    return updateLead(actor, id, body, { nextTouch, isUndo: fields.has(undoField) });
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

/** The end of a form that changed who works on a lead: `Assigned Ada Byron to Cy Moss.` */
export const sayingAssigned = async (
  { actor, may }: Visit,
  path: string,
  leadId: string,
  { before, after }: AssigneesChange,
): Promise<GoTo> => {
  // Who has left a private lead may no longer see it.
  const lead = may('leads:read') && (await readLead(actor, leadId).catch(() => undefined));
  const leadName = lead ? (lead.contact?.name ?? noContact) : 'the lead';
  const names = (await assigneesOf(actor, leadId)).map(({ name }) => name);
  const words =
    names.length === 0
      ? `Nobody is assigned to ${leadName} now.`
      : `Assigned ${leadName} to ${namesInWords(names)}.`;
  return saying(path, words, back(leadId, before, after));
};

/** Those from before, unless somebody else changed them again. */
const back = (id: string, before: string[], after: string[]): Undo => ({
  action: `/leads/${id}/assignees`,
  fields: [
    [originalName('assigneeIds'), after.toSorted().join('\n')],
    ...before.map((one): [string, string] => ['assigneeIds', one]),
  ],
});

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

export const leadPages: Page[] = [
  ...boardAndListPages,
  ...newLeadPages,
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
