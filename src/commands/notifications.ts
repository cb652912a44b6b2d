import { Argument, type Command } from 'commander';
import { listNotifications } from '../notifications/notification.ts';
import { chooseWays, switchableKinds, ways } from '../notifications/ways.ts';
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
    .description('choose how a member is told of a kind of notification')
    .addArgument(new Argument('<kind>').choices(switchableKinds))
    .addArgument(new Argument('<state>', 'on is the same as inbox').choices(['on', ...ways]))
    .option(...firmOption)
    .requiredOption('--member <email>', 'whose')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn notify set --member ben@harrow.example lead.new off',
    )
    .action((kind: string, state: string, options: MemberOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, options.member);
        const way = state === 'on' ? 'inbox' : state;
        const { email } = await chooseWays(actor, id, { [kind]: way });
        const isSwitch = state === 'on' || state === 'off';
        const set = { email, kind, on: way !== 'off', ...(!isSwitch && { way }) };
        print(terminal, options, set, [`${kind} is ${state} for ${email}.`]);
      }),
    );
};
