import { subjectParameters } from '../about/subject.ts';
import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import { createTask, listTasksAbout, readOneTask, removeTask, updateTask } from './sent.ts';
import { task } from './table.ts';
import { examples, newTask, taskChange, taskRow } from './wire.ts';

export const tasks = resource({
  name: 'tasks',
  noun: 'task',
  description:
    'What is to be done in a matter. A delete cancels a task. The list is of one matter; a lead has no tasks. The scopes need the permissions matters:read and matters:write.',
  shapes: { row: taskRow, full: taskRow, create: newTask, update: taskChange },
  listParameters: subjectParameters,
  examples,
  told: { table: task, as: { dueOn: 'dueDate', assigneeId: 'assignee', doneAt: 'status' } },
  refusals: { list: ['not_found'], create: ['not_found'], update: ['conflict'] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listTasksAbout,
  read: readOneTask,
  create: createTask,
  update: updateTask,
  remove: removeTask,
});
