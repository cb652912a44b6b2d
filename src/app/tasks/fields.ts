import { type Every, everies, recurrenceOf } from '../../base/recurrence.ts';
import type { TaskLine } from '../../tasks/list.ts';
import { optionsOf } from '../list.tsx';
import { dayWords, type Writing } from '../moments.tsx';
import { byName, fieldsOf } from '../records/field.tsx';
import { day, type History, line, oneOrNone, person, required } from '../records/kinds.tsx';

/** A task as its forms send it. */
export type TaskInput = {
  title: string;
  dueOn: string | null;
  repeats: Every | null;
  repeatsUntil: string | null;
  assigneeId: string | null;
};

const everyNames: Record<Every, string> = {
  day: 'Every day',
  workday: 'Every working day',
  week: 'Every week',
  fortnight: 'Every two weeks',
  month: 'Every month',
  quarter: 'Every quarter',
  year: 'Every year',
};

/** A rule in words, within a sentence: `every month until Fri 31 Dec 2027`. */
export const repeatsWords = (rrule: string, today: string, as: Writing): string => {
  const { every, until } = recurrenceOf(rrule);
  const often = everyNames[every].toLowerCase();
  return until === null ? often : `${often} until ${dayWords(until, today, as)}`;
};

/** What a task's fields are about. */
type Task = {
  record: TaskLine;
  line: TaskLine;
  body: TaskInput;
  filter: object;
  sort: string;
  choices: { people: readonly { id: string; name: string }[] };
};

/** All that is said of a task's fields, in their order. Its matter is found by words. */
export const taskFields = fieldsOf<Task>()({
  title: {
    label: 'Task',
    kind: required(line),
    edit: { name: 'title', value: ({ title }) => title },
  },
  due: {
    label: 'Due on',
    kind: day,
    edit: { name: 'dueOn', value: ({ dueOn }) => dueOn },
  },
  repeats: {
    label: 'Repeats',
    kind: oneOrNone(
      everies.map((value) => ({ value, name: everyNames[value] })),
      'Never',
    ),
    edit: { name: 'repeats', value: ({ rrule }) => rrule && recurrenceOf(rrule).every },
  },
  until: {
    label: 'Repeats until',
    kind: day,
    edit: { name: 'repeatsUntil', value: ({ rrule }) => rrule && recurrenceOf(rrule).until },
  },
  assignee: {
    label: 'Assigned to',
    kind: person(({ people }) => optionsOf(people)),
    edit: { name: 'assigneeId', value: ({ assignee }) => assignee?.id },
  },
});

/** A task's fields, as its audit entries name them: how often it repeats is one rule. */
export const taskHistory = {
  ...byName(taskFields),
  rrule: {
    label: taskFields.repeats.label,
    kind: {
      ...line,
      said: (rrule: string, history: History) => repeatsWords(rrule, history.today, history),
    },
  },
  followsId: { label: 'Repeats the task' },
};
