import { type AssigneesChange, assigneesOf } from '../../leads/assignees.ts';
import { readLead } from '../../leads/list.ts';
import { originalName } from '../fields.ts';
import { namesInWords, saying } from '../said.ts';
import type { GoTo, Undo, Visit } from '../visit.ts';
import { noContact } from './words.tsx';

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
