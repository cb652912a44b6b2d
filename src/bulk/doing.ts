/** What can be done to several records at once, and how each of them gets back what it had. */
import type { Changes } from '../audit/table.ts';
import { invalid } from '../base/refusal.ts';
import type { Permission } from '../firm/permissions.ts';
import { addAssignees, assignLead } from '../leads/assignees.ts';
import { tellOfSeveralLater } from '../leads/jobs.ts';
import { updateLead } from '../leads/lead.ts';
import { declineLead, setLeadStatus } from '../leads/status.ts';
import { tellTeamsOfSeveralLater } from '../matters/jobs.ts';
import { updateMatter } from '../matters/matter.ts';
import { addStaff, changeTeam, replaceStaff } from '../matters/team.ts';
import type { Write } from '../record/write.ts';
import type { BulkAct, BulkKind } from './table.ts';

type Doing = {
  /** Who may: what a role must hold. */
  needs: Permission;
  /** Does it to one record, and tells nobody. Throws `Refusal` before it has written anything. */
  change(w: Write, id: string, act: BulkAct): Promise<unknown>;
  /** Tells those whom it concerns, once each, when all records are done. */
  tell(w: Write, bulkId: string, act: BulkAct): void;
  /** Gives a record back what a change took from it, and tells nobody. */
  takeBack(w: Write, id: string, changes: Changes): Promise<unknown>;
};

/** No news: it is told of all together, or who has it again had it before. */
const quietly = () => undefined;
const severally = { as: 'one of several' } as const;

const textBefore = (changes: Changes, field: string) => (changes[field]?.before ?? '') as string;

const leads: Doing = {
  needs: 'leads:write',
  change(w, id, { what, choice, memberIds }) {
    if (what === 'move') return updateLead(w, id, { leadStageColumnId: choice });
    if (what === 'assign') {
      const assign = choice === 'replace' ? assignLead : addAssignees;
      return assign(w, id, memberIds, quietly);
    }
    if (what === 'not-hired') return declineLead(w, id, { reasonId: choice });
    return setLeadStatus(w, id, statusIn(choice));
  },
  tell(w, bulkId, { what, memberIds }) {
    if (what === 'assign') tellOfSeveralLater(w, bulkId, memberIds);
  },
  takeBack(w, id, changes) {
    const before = (field: string) => textBefore(changes, field);
    if (changes.leadStageId) {
      return updateLead(w, id, { leadStageColumnId: before('leadStageId') }, { isUndo: true });
    }
    if (changes.assignees) {
      return assignLead(w, id, changes.assignees.before as string[], quietly);
    }
    if (before('status') === 'NOT_HIRED' || !changes.status) {
      return declineLead(w, id, { reasonId: before('notHiredReasonId') || null });
    }
    return setLeadStatus(w, id, statusIn(before('status')));
  },
};

const statusIn = (text: string) => {
  if (text === 'ACTIVE' || text === 'DRAFT' || text === 'ARCHIVE') return text;
  throw invalid('The form did not say which status. Reload the page.');
};

const matters: Doing = {
  needs: 'matters:write',
  change(w, id, { what, choice, memberIds }) {
    if (what === 'move') return updateMatter(w, id, { practiceAreaStageColumnId: choice });
    if (what === 'assign') {
      const give = choice === 'replace' ? replaceStaff : addStaff;
      return give(w, id, memberIds, quietly);
    }
    return updateMatter(w, id, { status: statusIn(choice) }, severally);
  },
  tell(w, bulkId, { what, choice }) {
    if (what === 'assign') tellTeamsOfSeveralLater(w, bulkId, 'matter.added');
    if (what === 'status' && choice === 'ARCHIVE') {
      tellTeamsOfSeveralLater(w, bulkId, 'matter.archived');
    }
  },
  takeBack(w, id, changes) {
    if (changes.stageId) {
      const practiceAreaStageColumnId = textBefore(changes, 'stageId');
      return updateMatter(w, id, { practiceAreaStageColumnId }, { isUndo: true });
    }
    if (changes.team) return changeTeam(w, id, changes.team.before as TeamBefore, quietly);
    const status = statusIn(textBefore(changes, 'status'));
    return updateMatter(w, id, { status }, severally);
  },
};

type TeamBefore = Parameters<typeof changeTeam>[2];

/** By the kind of record. */
export const doing: Record<BulkKind, Doing> = { lead: leads, matter: matters };
