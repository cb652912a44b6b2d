import type { Changes } from '../../audit/table.ts';
import { contactFields } from '../contacts/fields.tsx';
import {
  addedAndRemoved,
  changedFields,
  describeMove,
  type Entry,
  type HistoryContext,
  idsOf,
  listed,
  nameOf,
  namesIn,
  type Sentence,
} from '../history-words.ts';
import { byName } from '../records/field.tsx';
import { leadFields } from './fields.tsx';

export const describeLead = ({ action, changes }: Entry, context: HistoryContext): Sentence[] => {
  if (action === 'create') return created(changes, context);
  if (action === 'delete') return [{ icon: 'trash-2', words: 'deleted the lead' }];
  if ('deletedAt' in changes) return [{ icon: 'undo-2', words: 'restored the lead' }];
  const sentences = [
    ...describeStatus(changes, context),
    ...describeMove(changes.leadStageId, context),
    ...describeAssignees(changes, context),
    ...describePrivacy(changes),
  ];
  const { isPrivate, ...others } = changes;
  const changed = changedFields(others, byName(leadFields), context);
  if (changed.length > 0) sentences.push({ icon: 'pencil', words: `changed ${listed(changed)}` });
  return sentences.length > 0 ? sentences : [{ icon: 'pencil', words: 'changed the lead' }];
};

const created = (changes: Changes, context: HistoryContext): Sentence[] => {
  const made: Sentence = { icon: 'plus', words: 'created the lead', isFirst: true };
  const assigned = namesIn(changes.assignees?.after ?? changes.assignee?.after, context);
  return assigned.length > 0
    ? [made, { icon: 'user-plus', words: `assigned ${listed(assigned)}`, isFirst: true }]
    : [made];
};

const describeStatus = (changes: Changes, context: HistoryContext): Sentence[] => {
  const { status, notHiredReasonId, matterId } = changes;
  if (!status) {
    if (!notHiredReasonId?.after) return [];
    return [
      { icon: 'ban', words: `changed the reason to ${nameOf(notHiredReasonId.after, context)}` },
    ];
  }
  switch (status.after) {
    case 'HIRED': {
      const number = matterId && context.names.get(String(matterId.after));
      return [{ icon: 'check', words: `hired it${number ? ` as matter ${number}` : ''}` }];
    }
    case 'NOT_HIRED': {
      const reason = notHiredReasonId ? `: ${nameOf(notHiredReasonId.after, context)}` : '';
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

const describeAssignees = (
  { assignees, assignee }: Changes,
  context: HistoryContext,
): Sentence[] => {
  const before = idsOf(assignees?.before ?? assignee?.before);
  const after = idsOf(assignees?.after ?? assignee?.after);
  const { added, gone } = addedAndRemoved(before, after, context);
  return [
    ...(added.length > 0
      ? [{ icon: 'user-plus' as const, words: `assigned ${listed(added)}` }]
      : []),
    ...(gone.length > 0 ? [{ icon: 'user' as const, words: `unassigned ${listed(gone)}` }] : []),
  ];
};

const describePrivacy = ({ isPrivate }: Changes): Sentence[] =>
  isPrivate
    ? [
        {
          icon: isPrivate.after ? 'lock' : 'eye',
          words: `made it ${isPrivate.after ? 'private' : 'public'}`,
        },
      ]
    : [];

export const describeContact = (
  { action, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  if (action === 'create') return [];
  if (action === 'delete') return [{ icon: 'trash-2', words: 'deleted the contact' }];
  if ('deletedAt' in changes) return [{ icon: 'undo-2', words: 'restored the contact' }];
  const changed = changedFields(changes, byName(contactFields), context);
  // The contact's privacy follows the lead's, which the timeline already tells.
  if (changed.length === 0) return [];
  return [{ icon: 'contact', words: `changed the contact’s ${listed(changed)}` }];
};
