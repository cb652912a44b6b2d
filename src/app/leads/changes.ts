import { invalid } from '../../base/refusal.ts';
import { assignLead } from '../../leads/assignees.ts';
import { updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { leadChange } from '../../leads/wire.ts';
import type { Reader } from '../../record/actor.ts';
import { changeSeveral, isForSeveral } from '../bulk.tsx';
import { checked, type Fields } from '../fields.ts';
import { addressWith } from '../list.tsx';
import type { GoTo, Visit } from '../visit.ts';
import { sayingAssigned } from './assigned.ts';
import { severalLeads } from './bulk.ts';
import { leadAct } from './card-dialogs.tsx';

/** The forms of board and list. After a change they show the same page again. */
export const changeLeads = async (visit: Visit, fields: Fields): Promise<GoTo> => {
  const { actor, query } = visit;
  const path = addressWith('/leads', query, {});
  if (isForSeveral(fields)) return changeSeveral(visit, path, fields, severalLeads);
  const act = leadAct(fields.raw('do'));
  if (!act) throw invalid('The form did not say what to do. Reload the page.');
  if (act.kind === 'assign') {
    const change = await assignLead(actor, act.id, fields.all('assigneeIds'));
    return sayingAssigned(visit, path, act.id, change);
  }
  await moveLead(visit, act.id, fields);
  return path;
};

/** Moves a lead to a stage. */
const moveLead = ({ actor }: Visit, id: string, fields: Fields) => {
  const body = checked(leadChange, { leadStageColumnId: fields.text('leadStageColumnId') });
  return updateLead(actor, id, body);
};

/** The stage of the lead that a form moves, now. */
export const stageNow = async (reader: Reader, _: Visit, fields: Fields) => {
  const act = leadAct(fields.raw('do'));
  if (act?.kind !== 'move') return {};
  const { leadStageColumnId } = await readLead(reader, act.id);
  return { leadStageColumnId: leadStageColumnId ?? '' };
};
