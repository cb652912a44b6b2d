import type { Changes } from '../../audit/table.ts';
import { contactFields } from '../contacts/fields.tsx';
import {
  addedAndRemoved,
  changedFields,
  describeChanged,
  describeMove,
  type Entry,
  type HistoryContext,
  idsOf,
  listed,
  namedAs,
  nameOf,
  namesIn,
  type Sentence,
  type WordedFields,
} from '../history-words.ts';
import { byName } from '../records/field.tsx';
import { yesOrNo } from '../records/kinds.tsx';
import { leadFields } from './fields.tsx';
import { statusNames } from './words.tsx';

// These have sentences of their own.
const { stage, private: privacy, assigned, status, ...others } = leadFields;
const changedOneByOne = byName(others);

/** A lead's fields, as its audit entries name them. */
export const leadHistory: WordedFields = {
  ...changedOneByOne,
  leadStageId: stage,
  assignee: { label: assigned.label },
  assignees: { label: assigned.label },
  isPrivate: { label: privacy.label, kind: yesOrNo },
  status: { label: status.label, kind: namedAs(statusNames) },
};

export const describeLead = ({ action, changes }: Entry, context: HistoryContext): Sentence[] => {
  if (action === 'create') return created(changes, context);
  const changed = changedFields(changes, changedOneByOne, context);
  return [
    ...describeStatus(changes, context),
    ...describeMove('lead', changes.leadStageId, context),
    ...describeAssignees(changes, context),
    ...describePrivacy(changes),
    ...describeContactOf(changes, context),
    ...describeChanged(changed),
  ];
};

/** A lead that a program made was not made by the member whose key it has. */
const created = (changes: Changes, context: HistoryContext): Sentence[] => {
  const { through } = context;
  const words = through ? `came in through ${through}` : 'created the lead';
  const made: Sentence = { icon: 'plus', words, isFirst: true };
  const assigned = namesIn(changes.assignees?.after ?? changes.assignee?.after, context);
  if (assigned.length === 0) return [made];
  const assign = through ? 'was assigned to' : 'assigned';
  return [made, { icon: 'user-plus', words: `${assign} ${listed(assigned)}`, isFirst: true }];
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
      return [{ icon: 'check', words: `hired the lead${number ? ` as matter ${number}` : ''}` }];
    }
    case 'NOT_HIRED': {
      const reason = notHiredReasonId ? `: ${nameOf(notHiredReasonId.after, context)}` : '';
      return [{ icon: 'ban', words: `marked the lead not hired${reason}` }];
    }
    case 'ARCHIVE':
      return [{ icon: 'archive', words: 'archived the lead' }];
    case 'DRAFT':
      return [{ icon: 'file-text', words: 'moved the lead to the drafts' }];
    default:
      return status.before === 'HIRED'
        ? [{ icon: 'undo-2', words: 'undid the hire' }]
        : [{ icon: 'rotate-ccw', words: 'reopened the lead' }];
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

const describePrivacy = ({ isPrivate }: Changes): Sentence[] => {
  if (!isPrivate) return [];
  return isPrivate.after
    ? [{ icon: 'lock', words: 'made the lead private' }]
    : [{ icon: 'eye', words: 'made the lead public' }];
};

/** After a merge, or its undo, a lead has another contact. Those who may not see it read no name. */
const describeContactOf = ({ contactId }: Changes, { names }: HistoryContext): Sentence[] => {
  if (!contactId?.after) return [];
  const name = names.get(String(contactId.after));
  const words = name ? `moved the lead to the contact ${name}` : 'gave the lead another contact';
  return [{ icon: 'contact', words }];
};

/** The contact's privacy follows the lead's, which the timeline already tells. */
export const describeContact = (
  { action, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  if (action === 'create') return [{ icon: 'plus', words: 'created the contact' }];
  return describeChanged(
    changedFields(changes, contactHistory, context),
    'contact',
    'the contact’s ',
  );
};

type Address = { address?: string; number?: string; label?: string | null; isPrimary?: boolean };

const addresses = {
  text: (value: unknown) =>
    (value as Address[])
      .map(({ address, number, label, isPrimary }, _, { length }) => {
        const notes = [label, isPrimary && length > 1 && 'main'].filter(Boolean).join(', ');
        return `${address ?? number}${notes && ` (${notes})`}`;
      })
      .join(', '),
  said: (text: string) => text,
};

/** A contact's fields, as its audit entries name them. */
export const contactHistory: WordedFields = {
  ...byName(contactFields),
  emails: { label: contactFields.emails.label, kind: addresses },
  phones: { label: contactFields.phones.label, kind: addresses },
};
