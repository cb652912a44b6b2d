import { Argument, type Command } from 'commander';
import {
  listNotifications,
  switchableKinds,
  switchNotification,
} from '../notifications/notification.ts';
import { findMember } from './find.ts';
import {
  asAdministrator,
  type CommonOptions,
  firmOption,
  print,
  type Terminal,
  table,
  withCommonOptions,
} from './terminal.ts';

type MemberOptions = CommonOptions & { member: string };

/** `inbox` and `notify set`. */
export const notificationCommands = (program: Command, terminal: Terminal) => {
  withCommonOptions(program.command('inbox'))
    .description("show a member's live notifications, newest first")
    .option(...firmOption)
    .requiredOption('--member <email>', 'whose')
    .addHelpText('after', '\nExample:\n  matterhorn inbox --member ada@harrow.example')
    .action((options: MemberOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const notices = await listNotifications(
          actor,
          (await findMember(actor, options.member)).id,
        );
        const rows = notices.map((one) => [
          one.createdAt,
          one.title,
          one.text,
          one.readAt ? 'read' : 'unread',
        ]);
        print(
          terminal,
          options,
          notices,
          table(['AT', 'TITLE', 'TEXT', ''], rows, 'The inbox is empty.'),
        );
      }),
    );

  const notify = program.command('notify').description("members' notification settings");
  withCommonOptions(notify.command('set'))
    .description('switch a kind of notification on or off for one member')
    .addArgument(new Argument('<kind>').choices(switchableKinds))
    .addArgument(new Argument('<state>').choices(['on', 'off']))
    .option(...firmOption)
    .requiredOption('--member <email>', 'whose')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn notify set --member ben@harrow.example lead.new off',
    )
    .action((kind: string, state: string, options: MemberOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, options.member);
        const set = await switchNotification(actor, id, kind, state === 'on');
        print(terminal, options, set, [`${set.kind} is ${state} for ${set.email}.`]);
      }),
    );
};
