import type { TaskLine } from '../../tasks/list.ts';
import { optionsOf } from '../list.tsx';
import { byName, fieldsOf } from '../records/field.tsx';
import { day, line, optional, person, required } from '../records/kinds.tsx';
import { type RepeatsInput, repeatsAmong, ruleHistory } from '../repeats.tsx';

/** A task as its forms send it. */
export type TaskInput = RepeatsInput & {
  title: string;
  dueOn: string | null;
  assigneeId: string | null;
};

/** What a task's fields are about. */
export type Task = {
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
    edit: { name: 'title' },
  },
  due: {
    label: 'Due on',
    kind: optional(day),
    edit: { name: 'dueOn' },
  },
  ...repeatsAmong,
  assignee: {
    label: 'Assigned to',
    kind: person(({ people }) => optionsOf(people)),
    edit: { name: 'assigneeId', value: ({ assignee }) => assignee?.id },
  },
});

/** A task's fields, as its audit entries name them. */
export const taskHistory = {
  ...byName(taskFields),
  rrule: ruleHistory,
  followsId: { label: 'Repeats the task' },
};
