import type { Command } from 'commander';
import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import { invalid } from '../base/refusal.ts';
import { addEvent, listEvents } from '../calendar/event.ts';
import { addTask, listTasks } from '../tasks/task.ts';
import { findMember } from './find.ts';
import {
  asAdministrator,
  type CommonOptions,
  firmOption,
  print,
  shortTextFor,
  type Terminal,
  table,
  withCommonOptions,
} from './terminal.ts';

type NewOptions = CommonOptions & { matter: string; title: string };
type NewEventOptions = NewOptions & { starts: Date; guest?: string[]; tell?: boolean };
type NewTaskOptions = NewOptions & { due?: string; assignee?: string };
type ListOptions = CommonOptions & { matter?: string };

/** `event add`, `event list`, `task add`, `task list`: until the application has pages for them. */
export const matterRecordCommands = (program: Command, terminal: Terminal) => {
  const event = program.command('event').description("a matter's calendar events");
  withFirmAndMatter(event.command('add'), true)
    .description('add a calendar event to a matter')
    .requiredOption('--title <title>', 'what it is', shortTextFor('--title'))
    .requiredOption('--starts <moment>', 'when, for example 2027-03-14T09:30:00Z', momentFrom)
    .option('--guest <email...>', 'the email address of each guest')
    .option('--tell', 'tell the members among the guests that they are invited')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn event add --matter ID --title Hearing --starts 2027-03-14T09:30:00Z --guest ben@harrow.example',
    )
    .action((options: NewEventOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const made = await addEvent(actor, {
          matterId: options.matter,
          title: options.title,
          startsAt: options.starts,
          guests: options.guest ?? [],
          tells: options.tell ?? false,
        });
        print(terminal, options, made, [made.id]);
      }),
    );
  withFirmAndMatter(event.command('list'), false)
    .description('list calendar events in the order they start')
    .addHelpText('after', '\nExample:\n  matterhorn event list --matter ID')
    .action((options: ListOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const events = await listEvents(actor, options.matter ?? null);
        const rows = events.map((one) => [
          ...[one.startsAt.toISOString(), one.title, one.guests.join(' ')],
          one.cancelledAt ? 'cancelled' : '',
        ]);
        const lines = table(['STARTS', 'TITLE', 'GUESTS', ''], rows, 'There are no events.');
        print(terminal, options, events, lines);
      }),
    );

  const task = program.command('task').description("a matter's tasks");
  withFirmAndMatter(task.command('add'), true)
    .description('add a task to a matter')
    .requiredOption('--title <title>', 'what to do', shortTextFor('--title'))
    .option('--due <day>', 'by when, for example 2027-03-14', dayFrom)
    .option('--assignee <email>', 'the member who will do it, and who is told')
    .addHelpText('after', '\nExample:\n  matterhorn task add --matter ID --title "File the answer"')
    .action((options: NewTaskOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { assignee, due, matter: matterId, title } = options;
        const assigneeId = assignee ? (await findMember(actor, assignee)).id : null;
        const made = await addTask(actor, { matterId, title, assigneeId, dueOn: due ?? null });
        print(terminal, options, made, [made.id]);
      }),
    );
  withFirmAndMatter(task.command('list'), false)
    .description('list tasks, oldest first')
    .addHelpText('after', '\nExample:\n  matterhorn task list --matter ID')
    .action((options: ListOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const tasks = await listTasks(actor, options.matter ?? null);
        const rows = tasks.map((one) => [
          one.title,
          one.cancelledAt ? 'cancelled' : one.doneAt ? 'done' : 'open',
        ]);
        print(terminal, options, tasks, table(['TITLE', ''], rows, 'There are no tasks.'));
      }),
    );
};

const withFirmAndMatter = (command: Command, isRequired: boolean) => {
  withCommonOptions(command).option(...firmOption);
  return isRequired
    ? command.requiredOption('--matter <id>', 'which matter', matterFrom)
    : command.option('--matter <id>', 'only those of this matter', matterFrom);
};

const matterFrom = (text: string) => {
  if (isId(text)) return text;
  throw invalid('--matter takes the id of a matter; GET /v1/matters lists them.');
};

const dayFrom = (text: string) => {
  if (isCalendarDate(text)) return text;
  throw invalid('--due must be a day, for example 2027-03-14.');
};

const momentFrom = (text: string) => {
  const moment = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text) || Number.isNaN(moment.getTime())) {
    throw invalid('--starts must be a moment in ISO 8601, for example 2027-03-14T09:30:00Z.');
  }
  return moment;
};
