import type { Changes } from '../../audit/table.ts';
import {
  addedAndRemoved,
  changedFields,
  describeMove,
  type Entry,
  type HistoryContext,
  idsOf,
  listed,
  nameOf,
  type Sentence,
} from '../history-words.ts';
import { dayWords } from '../moments.tsx';
import { byName } from '../records/field.tsx';
import { matterFields } from './fields.tsx';

export const describeMatter = ({ action, changes }: Entry, context: HistoryContext): Sentence[] => {
  if (action === 'create') {
    return [{ icon: 'briefcase', words: 'opened the matter', isFirst: true }];
  }
  if (action === 'delete') return [{ icon: 'trash-2', words: 'deleted the matter' }];
  if ('deletedAt' in changes) return [{ icon: 'undo-2', words: 'restored the matter' }];
  const sentences = [
    ...describeStatus(changes),
    ...describeMove(changes.stageId, context),
    ...describeLimitation(changes, context),
    ...describePeople(changes, context),
  ];
  const changed = changedFields(changes, known, context);
  if ('description' in changes) changed.push('the description');
  if (changed.length > 0) sentences.push({ icon: 'pencil', words: `changed ${listed(changed)}` });
  return sentences.length > 0 ? sentences : [{ icon: 'pencil', words: 'changed the matter' }];
};

// A move has a sentence of its own, and a description is too long for one.
const { stage, description, ...worded } = matterFields;
const known = byName(worded);

const describeStatus = ({ status }: Changes): Sentence[] => {
  switch (status?.after) {
    case undefined:
      return [];
    case 'ARCHIVE':
      return [{ icon: 'archive', words: 'archived it' }];
    case 'DRAFT':
      return [{ icon: 'file-text', words: 'made it a draft' }];
    default:
      return [
        {
          icon: 'rotate-ccw',
          words: status?.before === 'ARCHIVE' ? 'reactivated it' : 'made it active',
        },
      ];
  }
};

const describeLimitation = (
  { solDate, limitationMetOn, reason }: Changes,
  { today }: HistoryContext,
): Sentence[] => {
  const day = (value: unknown) => dayWords(String(value), today);
  const why = reason?.after ? `: ${String(reason.after)}` : '';
  const sentences: Sentence[] = [];
  if (solDate?.after) {
    const from = solDate.before ? ` from ${day(solDate.before)}` : '';
    const words = `${from ? 'moved' : 'set'} the limitation date${from} to ${day(solDate.after)}${why}`;
    sentences.push({ icon: 'scale', words });
  } else if (solDate) {
    sentences.push({
      icon: 'scale',
      words: `cleared the limitation date, ${day(solDate.before)}${why}`,
    });
  }
  // A new date is never met yet, so it is not said.
  if (limitationMetOn && !solDate) {
    const { after } = limitationMetOn;
    const words = after
      ? `said that the limitation date was met on ${day(after)}`
      : 'said that the limitation date is not met after all';
    sentences.push({ icon: 'scale', words });
  }
  return sentences;
};

const describePeople = (changes: Changes, context: HistoryContext): Sentence[] => [
  ...describeGroup('client', changes.clients, 'contactId', context),
  ...describeGroup('team', changes.team, 'memberId', context),
];

/** Who was added and who was removed. If nobody was, only their parts have changed. */
const describeGroup = (
  group: 'client' | 'team',
  change: Changes[string] | undefined,
  id: 'contactId' | 'memberId',
  context: HistoryContext,
): Sentence[] => {
  if (!change) return [];
  const idsIn = (value: unknown) => [
    ...new Set(Array.isArray(value) ? value.flatMap((one) => idsOf(one[id])) : []),
  ];
  const [before, after] = [idsIn(change.before), idsIn(change.after)];
  const { added, gone } = addedAndRemoved(before, after, context);
  const isClient = group === 'client';
  const many = (count: number) => (count === 1 ? 'the client' : 'the clients');
  const sentences: Sentence[] = [];
  if (added.length > 0) {
    const words = isClient
      ? `added ${many(added.length)} ${listed(added)}`
      : `added ${listed(added)} to the team`;
    sentences.push({ icon: 'users', words });
  }
  if (gone.length > 0) {
    const words = isClient
      ? `removed ${many(gone.length)} ${listed(gone)}`
      : `removed ${listed(gone)} from the team`;
    sentences.push({ icon: 'users', words });
  }
  if (sentences.length > 0) return sentences;
  const words = isClient ? 'changed the parts of the clients' : 'changed the parts of the team';
  return [{ icon: 'users', words }];
};

export const describeTask = (
  { action, recordId, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  const task = `the task ${nameOf(recordId, context)}`;
  if (action === 'create') return [{ icon: 'list-checks', words: `added ${task}` }];
  if (changes.doneAt?.after) return [{ icon: 'check', words: `finished ${task}` }];
  if (changes.doneAt) return [{ icon: 'undo-2', words: `opened ${task} again` }];
  if (changes.cancelledAt) return [{ icon: 'ban', words: `cancelled ${task}` }];
  return [{ icon: 'list-checks', words: `changed ${task}` }];
};

export const describeEvent = (
  { action, recordId, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  const event = `the event ${nameOf(recordId, context)}`;
  if (action === 'create') return [{ icon: 'calendar', words: `added ${event}` }];
  if (changes.cancelledAt) return [{ icon: 'ban', words: `cancelled ${event}` }];
  return [{ icon: 'calendar', words: `changed ${event}` }];
};
