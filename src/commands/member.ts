import type { Command } from 'commander';
import { addMember, listMembers } from '../firm/member.ts';
import { updateMember } from '../sign-in/member-change.ts';
import { findMember, findRole } from './find.ts';
import { leavingCommands } from './member-leaving.ts';
import { linkCommands } from './member-links.ts';
import {
  addressFor,
  asAdministrator,
  type CommonOptions,
  firmOption,
  print,
  shortTextFor,
  type Terminal,
  table,
  withCommonOptions,
} from './terminal.ts';

type NewMemberOptions = CommonOptions & { email: string; name: string; role?: string };

/** `member add`, `list`, `role`, `email`, `deactivate`, `activate`, `invite` and `reset`. */
export const memberCommands = (program: Command, terminal: Terminal) => {
  const member = program
    .command('member')
    .description('who belongs to the firm, and in which role');
  addCommand(member, terminal);
  listCommand(member, terminal);
  linkCommands(member, terminal);
  roleCommand(member, terminal);
  emailCommand(member, terminal);
  leavingCommands(member, terminal);
};

const addCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('add'))
    .description('add a member to the firm')
    .option(...firmOption)
    .requiredOption(
      '--email <email>',
      'the email address; it identifies the member',
      addressFor('--email'),
    )
    .requiredOption('--name <name>', "the member's name", shortTextFor('--name'))
    .option('--role <role>', 'may be left out where there is only one besides Owner')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn member add --email dee@harrow.example --name "Dee Roe" --role Attorney',
    )
    .action((options: NewMemberOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { email, name, role } = options;
        const { id: roleId } = await findRole(actor, role);
        const added = await addMember(actor, { email, name, roleId });
        print(terminal, options, added, [
          `${added.email} is a member, with the role ${added.role}.`,
        ]);
      }),
    );

const listCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('list'))
    .description("list the firm's members, deactivated ones included")
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn member list')
    .action((options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const members = (await listMembers(actor)).map(
          ({ roleId, awayUntil, ...member }) => member,
        );
        const rows = members.map((one) => [
          ...[one.email, one.name, one.role, one.deactivatedAt ? 'deactivated' : 'active', one.id],
          one.mutedKinds.join(' '),
        ]);
        const heading = ['MEMBER', 'NAME', 'ROLE', 'STATE', 'ID', 'NOT TOLD OF'];
        const lines = table(heading, rows, '');
        print(terminal, options, members, lines);
      }),
    );

const roleCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('role <email> <role>'))
    .description('give a member another role: their keys obey it from the next request on')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn member role ben@harrow.example Owner')
    .action((email: string, role: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, email);
        const { id: roleId } = await findRole(actor, role);
        const changed = await updateMember(actor, id, { roleId });
        print(terminal, options, changed, [`${changed.email} has the role ${changed.role}.`]);
      }),
    );

const emailCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('email <email> <new>'))
    .description("change a member's email address: they stay the same member, keys included")
    .option(...firmOption)
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn member email dee@harrow.example dee.roe@harrow.example',
    )
    .action((email: string, address: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, email);
        const changed = await updateMember(actor, id, { email: address });
        print(terminal, options, changed, [
          `The address is ${changed.email} now. Change it in your blueprint too.`,
        ]);
      }),
    );
