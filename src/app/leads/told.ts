import type { Changes } from '../../audit/table.ts';
import { nameLabels } from '../contacts/fields.tsx';
import {
  cameAndWent,
  changedFields,
  type Entry,
  idsOf,
  listed,
  moveTold,
  type Named,
  nameOf,
  namesIn,
  type Sentence,
} from '../timeline-said.ts';

/** What happened to a lead. */
export const leadTold = ({ action, changes }: Entry, named: Named): Sentence[] => {
  if (action === 'create') return created(changes, named);
  if (action === 'delete') return [{ icon: 'trash-2', words: 'deleted the lead' }];
  if ('deletedAt' in changes) return [{ icon: 'undo-2', words: 'restored the lead' }];
  const told = [
    ...statusTold(changes, named),
    ...moveTold(changes.leadStageId, named),
    ...assignedTold(changes, named),
    ...privacyTold(changes),
  ];
  const changed = changedFields(changes, leadFields, named);
  if (changed.length > 0) told.push({ icon: 'pencil', words: `changed ${listed(changed)}` });
  return told.length > 0 ? told : [{ icon: 'pencil', words: 'changed the lead' }];
};

const created = (changes: Changes, named: Named): Sentence[] => {
  const made: Sentence = { icon: 'plus', words: 'created the lead', isFirst: true };
  const assigned = namesIn(changes.assignees?.after ?? changes.assignee?.after, named);
  return assigned.length > 0
    ? [made, { icon: 'user-plus', words: `assigned ${listed(assigned)}`, isFirst: true }]
    : [made];
};

const statusTold = (changes: Changes, named: Named): Sentence[] => {
  const { status, notHiredReasonId, matterId } = changes;
  if (!status) {
    if (!notHiredReasonId?.after) return [];
    return [
      { icon: 'ban', words: `changed the reason to ${nameOf(notHiredReasonId.after, named)}` },
    ];
  }
  switch (status.after) {
    case 'HIRED': {
      const number = matterId && named.names.get(String(matterId.after));
      return [{ icon: 'check', words: `hired it${number ? ` as matter ${number}` : ''}` }];
    }
    case 'NOT_HIRED': {
      const reason = notHiredReasonId ? `: ${nameOf(notHiredReasonId.after, named)}` : '';
      return [{ icon: 'ban', words: `marked it not hired${reason}` }];
    }
    case 'ARCHIVE':
      return [{ icon: 'archive', words: 'archived it' }];
    case 'DRAFT':
      return [{ icon: 'file-text', words: 'made it a draft' }];
    default:
      return status.before === 'HIRED'
        ? [{ icon: 'undo-2', words: 'undid the hire' }]
        : [{ icon: 'rotate-ccw', words: 'reopened it' }];
  }
};

const assignedTold = ({ assignees, assignee }: Changes, named: Named): Sentence[] => {
  const before = idsOf(assignees?.before ?? assignee?.before);
  const after = idsOf(assignees?.after ?? assignee?.after);
  const { added, gone } = cameAndWent(before, after, named);
  return [
    ...(added.length > 0
      ? [{ icon: 'user-plus' as const, words: `assigned ${listed(added)}` }]
      : []),
    ...(gone.length > 0 ? [{ icon: 'user' as const, words: `unassigned ${listed(gone)}` }] : []),
  ];
};

const privacyTold = ({ isPrivate }: Changes): Sentence[] =>
  isPrivate
    ? [
        {
          icon: isPrivate.after ? 'lock' : 'eye',
          words: `made it ${isPrivate.after ? 'private' : 'public'}`,
        },
      ]
    : [];

/** What happened to a contact. */
export const contactTold = ({ action, changes }: Entry, named: Named): Sentence[] => {
  if (action === 'create') return [];
  if (action === 'delete') return [{ icon: 'trash-2', words: 'deleted the contact' }];
  if ('deletedAt' in changes) return [{ icon: 'undo-2', words: 'restored the contact' }];
  const changed = changedFields(changes, contactFields, named);
  // The contact's privacy follows the lead's, which the timeline already tells.
  if (changed.length === 0) return [];
  return [{ icon: 'contact', words: `changed the contact’s ${listed(changed)}` }];
};

const leadFields: Record<string, string> = { practiceAreaId: 'Practice area', value: 'Value' };

const contactFields: Record<string, string> = {
  ...nameLabels,
  type: 'Type',
  emails: 'Emails',
  phones: 'Phones',
};
