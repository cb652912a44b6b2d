import type { Changes } from '../../audit/table.ts';
import { addAssignees, assignLead } from '../../leads/assignees.ts';
import { tellOfSeveralLater } from '../../leads/jobs.ts';
import { updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { readOverview } from '../../leads/overview.ts';
import { declineLead, setLeadStatus } from '../../leads/status.ts';
import type { Actor } from '../../record/actor.ts';
import { leadChoicesOf } from '../../views/choices.ts';
import { chosenNames, nameIn, type Several, tickedIn } from '../bulk.tsx';
import { statusIn } from '../said.ts';
import { filterIn } from './fields.tsx';

const byAge = { by: 'created', isDown: false } as const;

export const severalLeads: Several = {
  noun: 'lead',
  found: ({ actor, query, session }, max) =>
    readOverview(actor, filterIn(query, session.member.id), byAge, { limit: max, offset: 0 }),
  numberOf: async (actor, id) => (await readLead(actor, id)).publicId,
  changes: {
    'all-move': {
      change: (stageId) => (actor, id) => updateLead(actor, id, { leadStageColumnId: stageId }),
      said: async (reader, many, stageId) => {
        const { leadStages } = await leadChoicesOf(reader);
        return `Moved ${many} to ${nameIn(leadStages, stageId)}.`;
      },
    },
    'all-assign': {
      change: (how, fields, ids) => {
        const tell = tellOfSeveralLater(ids);
        const memberIds = tickedIn(fields, how);
        if (how === 'replace') {
          return async (actor, id) => {
            await readLead(actor, id);
            return assignLead(actor, id, memberIds, tell);
          };
        }
        return async (actor, id) => {
          await readLead(actor, id);
          return addAssignees(actor, id, memberIds, tell);
        };
      },
      said: async (reader, many, how, fields) => {
        const names = chosenNames((await leadChoicesOf(reader)).members, fields);
        if (!names) return `Nobody is assigned to ${many} now.`;
        return how === 'replace'
          ? `Assigned ${many} to ${names}, and to nobody else.`
          : `Assigned ${many} to ${names}.`;
      },
    },
    'all-status': {
      change: (text) => (actor, id) => setLeadStatus(actor, id, statusIn(text) ?? 'ACTIVE'),
      said: (_, many, text) => (text === 'ARCHIVE' ? `Archived ${many}.` : `Made ${many} active.`),
    },
    'all-not-hired': {
      change: (reasonId) => (actor, id) => declineLead(actor, id, { reasonId }),
      said: async (reader, many, reasonId) => {
        const { notHiredReasons } = await leadChoicesOf(reader);
        return `Not hired: ${many}. ${nameIn(notHiredReasons, reasonId)}.`;
      },
    },
  },
  takeBack: async (actor, id, changes) => {
    await readLead(actor, id);
    return takeBackOf(actor, id, changes);
  },
};

/** Who works on a lead again, as before, has no news. */
const tellNobody = () => undefined;

const takeBackOf = (actor: Actor, id: string, changes: Changes) => {
  const before = (field: string) => (changes[field]?.before ?? '') as string;
  if (changes.leadStageId)
    return updateLead(actor, id, { leadStageColumnId: before('leadStageId') });
  if (changes.assignees)
    return assignLead(actor, id, changes.assignees.before as string[], tellNobody);
  const status = statusIn(before('status'));
  if (status) return setLeadStatus(actor, id, status);
  return declineLead(actor, id, { reasonId: before('notHiredReasonId') || null });
};
