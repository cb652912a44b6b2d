import type { Changes } from '../../audit/table.ts';
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
  type Sentence,
  type WordedFields,
} from '../history-words.ts';
import { dayWords } from '../moments.tsx';
import { byName } from '../records/field.tsx';
import { day } from '../records/kinds.tsx';
import { repeatsWords } from '../repeats.tsx';
import { matterFields, statusNames } from './fields.tsx';

// These have sentences of their own, and a description is too long for one.
const { stage, limitation, met, status, description, ...others } = matterFields;
const changedOneByOne = byName(others);

/** A matter's fields, as its audit entries name them. */
export const matterHistory: WordedFields = {
  ...changedOneByOne,
  stageId: stage,
  solDate: { label: limitation.label, kind: day },
  limitationMetOn: met,
  status: { label: status.label, kind: namedAs(statusNames) },
  description,
};

export const describeMatter = ({ action, changes }: Entry, context: HistoryContext): Sentence[] => {
  if (action === 'create') {
    return [{ icon: 'briefcase', words: 'opened the matter', isFirst: true }];
  }
  const changed = changedFields(changes, changedOneByOne, context);
  if ('description' in changes) changed.push('the description');
  return [
    ...describeStatus(changes),
    ...describeMove('matter', changes.stageId, context),
    ...describeLimitation(changes, context),
    ...describePeople(changes, context),
    ...describeChanged(changed),
  ];
};

const describeStatus = ({ status }: Changes): Sentence[] => {
  switch (status?.after) {
    case undefined:
      return [];
    case 'ARCHIVE':
      return [{ icon: 'archive', words: 'archived the matter' }];
    case 'DRAFT':
      return [{ icon: 'file-text', words: 'moved the matter to the drafts' }];
    default: {
      const wasArchived = status?.before === 'ARCHIVE';
      const words = wasArchived ? 'reactivated the matter' : 'made the matter active';
      return [{ icon: 'rotate-ccw', words }];
    }
  }
};

const describeLimitation = (
  { solDate, limitationMetOn, reason }: Changes,
  context: HistoryContext,
): Sentence[] => {
  const inWords = (value: unknown) => dayWords(String(value), context.today, context);
  const why = reason?.after ? `: ${String(reason.after)}` : '';
  const sentences: Sentence[] = [];
  if (solDate?.after) {
    const from = solDate.before ? ` from ${inWords(solDate.before)}` : '';
    const words = `${from ? 'moved' : 'set'} the limitation date${from} to ${inWords(solDate.after)}${why}`;
    sentences.push({ icon: 'scale', words });
  } else if (solDate) {
    sentences.push({
      icon: 'scale',
      words: `cleared the limitation date, ${inWords(solDate.before)}${why}`,
    });
  }
  // A new date is never met yet, so it is not said.
  if (limitationMetOn && !solDate) {
    const { after } = limitationMetOn;
    const words = after
      ? `marked the limitation date as met on ${inWords(after)}`
      : 'marked the limitation date as not met';
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
  const words = isClient ? 'changed the roles of the clients' : 'changed the roles of the team';
  return [{ icon: 'users', words }];
};

/** What belonged to a lead goes to its matter at the hire, and comes back if that is undone. */
const describeHired = (parts: 'tasks' | 'events', { after }: { after: unknown }): Sentence =>
  after
    ? { icon: 'briefcase', words: `moved the ${parts} to the matter` }
    : { icon: 'undo-2', words: `moved the ${parts} back to the lead` };

export const describeTask = (
  { action, recordId, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  const task = `the task ${nameOf(recordId, context)}`;
  if (action === 'create') {
    if (!changes.followsId) return [{ icon: 'list-checks', words: `added ${task}` }];
    const due = dayWords(String(changes.dueOn?.after), context.today, context);
    return [
      { icon: 'repeat', words: `created the next task ${nameOf(recordId, context)}, due ${due}` },
    ];
  }
  if (changes.followsId && changes.cancelledAt) {
    return [{ icon: 'undo-2', words: `removed the next task ${nameOf(recordId, context)}` }];
  }
  if (changes.doneAt?.after) return [{ icon: 'check', words: `finished ${task}` }];
  if (changes.doneAt) return [{ icon: 'undo-2', words: `reopened ${task}` }];
  if (changes.cancelledAt) return [{ icon: 'ban', words: `cancelled ${task}` }];
  if (changes.matterId) return [describeHired('tasks', changes.matterId)];
  if (changes.rrule && !changes.dueOn) {
    const { after } = changes.rrule;
    const words = after
      ? `set ${task} to repeat ${repeatsWords(String(after), context.today, context)}`
      : `stopped ${task} from repeating`;
    return [{ icon: 'repeat', words }];
  }
  return [{ icon: 'list-checks', words: `changed ${task}` }];
};

export const describeEvent = (
  { action, recordId, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  const event = `the event ${nameOf(recordId, context)}`;
  if (action === 'create') return [{ icon: 'calendar', words: `added ${event}` }];
  if (changes.cancelledAt) return [{ icon: 'ban', words: `cancelled ${event}` }];
  if (changes.matterId) return [describeHired('events', changes.matterId)];
  return [{ icon: 'calendar', words: `changed ${event}` }];
};

/** A series is called as its events are. */
export const describeSeries = (
  { action, recordId, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  const event = `the event ${nameOf(recordId, context)}`;
  if (action === 'create') {
    const often = repeatsWords(String(changes.rrule?.after), context.today, context);
    return [{ icon: 'repeat', words: `set ${event} to repeat ${often}` }];
  }
  if (changes.matterId) return [describeHired('events', changes.matterId)];
  return [{ icon: 'repeat', words: `stopped ${event} from repeating` }];
};

/** The entries of before name nothing: only limitation dates had a receipt. */
const whatIsHeld: Record<string, string> = {
  limitation: 'the limitation date',
  task: 'a task',
  event: 'an event',
};

export const describeReceipt = ({ changes }: Entry, context: HistoryContext): Sentence[] => {
  const day = dayWords(String(changes.day?.after), context.today, context);
  const about = whatIsHeld[String(changes.about?.after)] ?? whatIsHeld.limitation;
  return [{ icon: 'check', words: `said “I have it” of ${about}, ${day}` }];
};

/** Of a date by rule, only what a second person says of it: what was made and moved is a task or an event. */
export const describeRuledDate = (
  { action, changes }: Entry,
  context: HistoryContext,
): Sentence[] => {
  const { confirmedById, taskId, eventId, day } = changes;
  const id = taskId?.after ?? eventId?.after;
  if (action !== 'update' || !confirmedById || !id) return [];
  const date = `${nameOf(id, context)}, ${dayWords(String(day?.after), context.today, context)}`;
  return confirmedById.after
    ? [{ icon: 'check', words: `confirmed the date ${date}` }]
    : [{ icon: 'undo-2', words: `took back the confirmation of the date ${date}` }];
};
