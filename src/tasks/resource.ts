import { subjectParameters } from '../about/subject.ts';
import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import { createTask, listTasksAbout, readOneTask, removeTask, updateTask } from './sent.ts';
import { task } from './table.ts';
import { examples, newTask, taskChange, taskRow } from './wire.ts';

export const tasks = resource({
  name: 'tasks',
  noun: 'task',
  description:
    'What is to be done in a matter, or for a lead until that is hired: then its tasks go to the matter. A delete cancels a task. When one that repeats is done, the next is made. The scope needs the permission of the record that the task is about.',
  shapes: { row: taskRow, full: taskRow, create: newTask, update: taskChange },
  listParameters: subjectParameters,
  examples,
  includes: { rrule: {} },
  told: {
    table: task,
    as: {
      dueOn: 'dueDate',
      assigneeId: 'assignee',
      doneAt: 'status',
    },
  },
  refusals: { list: ['not_found'], create: ['not_found', 'conflict'], update: ['conflict'] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listTasksAbout,
  read: readOneTask,
  create: createTask,
  update: updateTask,
  remove: removeTask,
});
