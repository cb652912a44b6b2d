import { assigneesOf, assignLead } from '../../leads/assignees.ts';
import { updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { declineLead, setLeadStatus } from '../../leads/status.ts';
import type { Several } from '../bulk.tsx';

export const severalLeads: Several = {
  nouns: 'leads',
  numberOf: async (actor, id) => (await readLead(actor, id)).publicId,
  changes: {
    'all-move': (stageId) => (actor, id) => updateLead(actor, id, { leadStageColumnId: stageId }),
    'all-assign': (memberId) => async (actor, id) => {
      await readLead(actor, id);
      const now = memberId === 'none' ? [] : await assigneesOf(actor, id);
      const wanted = memberId === 'none' ? [] : [...now.map((one) => one.id), memberId];
      return assignLead(actor, id, wanted);
    },
    'all-status': (status) => (actor, id) =>
      setLeadStatus(actor, id, status === 'ARCHIVE' ? 'ARCHIVE' : 'ACTIVE'),
    'all-not-hired': (reasonId) => (actor, id) => declineLead(actor, id, { reasonId }),
  },
};
