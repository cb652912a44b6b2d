import { type Command, Option } from 'commander';
import type { Named } from '../about/subject.ts';
import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import { type Every, everies } from '../base/recurrence.ts';
import { invalid } from '../base/refusal.ts';
import { listEvents } from '../calendar/event.ts';
import { addRepeating } from '../calendar/series.ts';
import { addTask, listTasks } from '../tasks/task.ts';
import { findMember } from './find.ts';
import {
  asAdministrator,
  byOption,
  type CommonOptions,
  firmOption,
  print,
  shortTextFor,
  type Terminal,
  table,
  withCommonOptions,
} from './terminal.ts';

type NewOptions = CommonOptions & { matter?: string; lead?: string; title: string };
type RepeatOptions = { repeats?: Every; until?: string };
type NewEventOptions = NewOptions &
  RepeatOptions & { starts: Date; guest?: string[]; tell?: boolean };
type NewTaskOptions = NewOptions & RepeatOptions & { due?: string; assignee?: string };
type ListOptions = CommonOptions & { matter?: string };

/** `event add`, `event list`, `task add`, `task list`: what the pages of events and tasks do. */
export const datedRecordCommands = (program: Command, terminal: Terminal) => {
  const event = program.command('event').description('calendar events of leads and matters');
  withRepeats(
    withRecord(event.command('add'))
      .description('add a calendar event to a lead or a matter')
      .requiredOption('--title <title>', 'what it is', shortTextFor('--title'))
      .requiredOption('--starts <moment>', 'when, for example 2027-03-14T09:30:00Z', momentFrom),
    'those of the next 90 days are made now, the others in time',
  )
    .option('--guest <email...>', 'the email address of each guest')
    .option('--tell', 'tell the members among the guests that they are invited')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn event add --matter ID --title Hearing --starts 2027-03-14T09:30:00Z --guest ben@harrow.example',
    )
    .action((options: NewEventOptions, command: Command) => {
      const of = recordIn(options, command);
      const { tell = false, repeats = null, until: repeatsUntil = null } = options;
      if (tell && repeats) {
        command.error(
          'error: --tell cannot be used with --repeats: nobody would tell of those that are made later. Add the event in the application.',
        );
      }
      return asAdministrator(terminal, options, async (actor) => {
        const made = await addRepeating(actor, {
          ...of,
          title: options.title,
          startsAt: options.starts,
          guests: options.guest ?? [],
          tells: tell,
          repeats,
          repeatsUntil,
        }).catch(byOption({ repeats: '--repeats', repeatsUntil: '--until' }));
        print(terminal, options, made, [made.id]);
      });
    });
  withMatter(event.command('list'))
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

  const task = program.command('task').description('tasks of leads and matters');
  withRepeats(
    withRecord(task.command('add'))
      .description('add a task to a lead or a matter')
      .requiredOption('--title <title>', 'what to do', shortTextFor('--title'))
      .option('--due <day>', 'by when, for example 2027-03-14', dayFor('--due')),
    'when it is done, the next is made',
  )
    .option('--assignee <email>', 'the member who will do it, and who is told')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn task add --matter ID --title "File the answer"\n  matterhorn task add --lead ID --title "Call back"',
    )
    .action((options: NewTaskOptions, command: Command) => {
      const of = recordIn(options, command);
      return asAdministrator(terminal, options, async (actor) => {
        const { assignee, due: dueOn = null, title } = options;
        const { repeats = null, until: repeatsUntil = null } = options;
        const assigneeId = assignee ? (await findMember(actor, assignee)).id : null;
        const task = { ...of, title, assigneeId, dueOn, repeats, repeatsUntil };
        const made = await addTask(actor, task).catch(
          byOption({ dueOn: '--due', repeatsUntil: '--until' }),
        );
        print(terminal, options, made, [made.id]);
      });
    });
  withMatter(task.command('list'))
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

const withFirm = (command: Command) => withCommonOptions(command).option(...firmOption);

/** For a new record: `--lead` or `--matter`. */
const withRecord = (command: Command) =>
  withFirm(command)
    .option('--matter <id>', 'the matter that it is about', idFor('matter'))
    .option('--lead <id>', 'the lead that it is about', idFor('lead'));

const withRepeats = (command: Command, meaning: string) =>
  command
    .addOption(new Option('--repeats <how often>', meaning).choices(everies))
    .option('--until <day>', 'the last day on which it repeats', dayFor('--until'));

/** Ends the command as wrong usage if not exactly one is named. */
const recordIn = ({ lead, matter }: NewOptions, command: Command): Named => {
  if ((lead === undefined) === (matter === undefined)) {
    command.error('error: either --matter or --lead is needed.');
  }
  return { leadId: lead, matterId: matter };
};

const withMatter = (command: Command) =>
  withFirm(command).option('--matter <id>', 'only those of this matter', idFor('matter'));

const idFor = (kind: 'matter' | 'lead') => (text: string) => {
  if (isId(text)) return text;
  throw invalid(`--${kind} takes the id of a ${kind}; GET /v1/${kind}s lists them.`);
};

const dayFor = (option: string) => (text: string) => {
  if (isCalendarDate(text)) return text;
  throw invalid(`${option} must be a day, for example 2027-03-14.`);
};

const momentFrom = (text: string) => {
  const moment = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text) || Number.isNaN(moment.getTime())) {
    throw invalid('--starts must be a moment in ISO 8601, for example 2027-03-14T09:30:00Z.');
  }
  return moment;
};
