import { assignLead } from '../../leads/assignees.ts';
import { updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { leadChange } from '../../leads/wire.ts';
import { checked } from '../fields.ts';
import { boardAndList } from '../records/board-and-list.ts';
import { sayingAssigned } from './assigned.ts';
import { showBoard } from './board.tsx';
import { severalLeads } from './bulk.ts';
import { leadActs, stageField } from './card-dialogs.tsx';
import { listForms, showList } from './list.tsx';

export const leadPages = boardAndList({
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
    await updateLead(actor, id, checked(leadChange, { [stageField]: fields.text(stageField) }));
    return again;
  },
  now: async (reader, { kind, id }) =>
    kind === 'move' ? { [stageField]: (await readLead(reader, id)).leadStageColumnId ?? '' } : {},
});
