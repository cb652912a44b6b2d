import { t } from 'elysia';
import { longestRule } from '../base/recurrence.ts';
import {
  answerOf,
  bodyOf,
  calendarDate,
  filledText,
  idOut,
  idText,
  momentText,
  nameOut,
  nullable,
  oneOf,
  reference,
  text,
  textOut,
} from '../base/shapes.ts';
import { longestName } from '../base/short-text.ts';

export const taskStatuses = ['OPEN', 'DONE'] as const;

export const taskRow = answerOf('Task', {
  id: idOut(),
  leadId: nullable(idOut()),
  matterId: nullable(idOut()),
  title: nameOut(),
  status: oneOf(taskStatuses),
  dueDate: nullable(calendarDate('The day by which it should be done.')),
  assignee: nullable(reference()),
  rrule: t.Optional(
    nullable(textOut(longestRule, 'Only with `include=rrule`, and where it was sent.')),
  ),
  createdAt: momentText(),
  updatedAt: momentText(),
});

const rrule = () =>
  t.Optional(
    nullable(
      text(
        longestRule,
        'How often it repeats, as a rule of RFC 5545: `FREQ=DAILY`, `FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR`, `FREQ=WEEKLY`, `FREQ=WEEKLY;INTERVAL=2`, `FREQ=MONTHLY`, `FREQ=MONTHLY;INTERVAL=3` or `FREQ=YEARLY`, and `;UNTIL=YYYYMMDD` if it ends. It counts from `dueDate`, which must be set.',
      ),
    ),
  );

const assigneeId = () => idText('A member who is to do it, of `GET /v1/members`; they are told.');

export const newTask = bodyOf('NewTask', {
  leadId: t.Optional(
    idText(
      'The lead that it is about; or send matterId. When it is hired, the task goes to its matter.',
    ),
  ),
  matterId: t.Optional(idText('The matter that it is about; or send leadId.')),
  title: filledText(longestName),
  dueDate: t.Optional(nullable(calendarDate())),
  assigneeId: t.Optional(nullable(assigneeId())),
  rrule: rrule(),
});

export const taskChange = bodyOf('TaskChange', {
  title: t.Optional(filledText(longestName)),
  status: t.Optional(oneOf(taskStatuses)),
  dueDate: t.Optional(nullable(calendarDate())),
  assigneeId: t.Optional(nullable(assigneeId())),
  rrule: rrule(),
});

export type TaskRow = typeof taskRow.static;
export type NewTask = typeof newTask.static;
export type TaskChange = typeof taskChange.static;

/** For the API description. */
export const examples = {
  create: {
    matterId: '019f0000-0000-7000-8000-000000000006',
    title: 'Send the engagement letter',
    dueDate: '2026-03-20',
    assigneeId: '019f0000-0000-7000-8000-000000000007',
  } satisfies NewTask,
  update: { status: 'DONE' } satisfies TaskChange,
  full: {
    id: '019f0000-0000-7000-8000-000000000009',
    leadId: null,
    matterId: '019f0000-0000-7000-8000-000000000006',
    title: 'Send the engagement letter',
    status: 'OPEN',
    dueDate: '2026-03-20',
    assignee: { id: '019f0000-0000-7000-8000-000000000007', name: 'Ada Harrow' },
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
  } satisfies TaskRow,
};
