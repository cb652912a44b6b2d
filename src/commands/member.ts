import type { Command } from 'commander';
import { invalid } from '../base/refusal.ts';
import { readSettings } from '../config.ts';
import { addMember, isEmailAddress, listMembers } from '../firm/member.ts';
import { createLink } from '../sign-in/invitation.ts';
import { setActive, updateMember } from '../sign-in/member-change.ts';
import { findMember, findRole } from './find.ts';
import { linkOf } from './link.ts';
import {
  asAdministrator,
  type CommonOptions,
  firmOption,
  portFrom,
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
  linkCommand(member, terminal, {
    name: 'invite',
    purpose: 'INVITE',
    description: 'make a link to choose a password; it works once, for 7 days',
  });
  linkCommand(member, terminal, {
    name: 'reset',
    purpose: 'RESET',
    description:
      'make a link for a new password; it works once, for an hour, and ends all sessions',
  });
  roleCommand(member, terminal);
  emailCommand(member, terminal);
  deactivateCommand(member, terminal);
  activateCommand(member, terminal);
};

type LinkOptions = CommonOptions & { member: string; port: number };
type LinkKind = { name: 'invite' | 'reset'; purpose: 'INVITE' | 'RESET'; description: string };

/** `member invite` and `member reset`. No mail is sent: the administrator hands the link over. */
const linkCommand = (member: Command, terminal: Terminal, kind: LinkKind) =>
  withCommonOptions(member.command(kind.name))
    .description(kind.description)
    .option(...firmOption)
    .requiredOption(
      '--member <email>',
      'the member who will follow the link',
      addressFor('--member'),
    )
    .option('--port <port>', 'where the server listens, if PUBLIC_URL is not set', portFrom, 3000)
    .addHelpText(
      'after',
      `\nExample:\n  matterhorn member ${kind.name} --member ben@harrow.example`,
    )
    .action((options: LinkOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, options.member);
        const { token, expiresAt } = await createLink(actor, id, kind.purpose);
        const link = linkOf(readSettings(terminal.environment), options.port, token);
        print(terminal, options, { link, expiresAt }, [
          link,
          `Hand it over yourself: it works once, until ${expiresAt.toISOString()}.`,
        ]);
      }),
    );

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
        const members = (await listMembers(actor)).map(({ roleId, ...member }) => member);
        const rows = members.map((one) => [
          ...[one.email, one.name, one.role, one.deactivatedAt ? 'deactivated' : 'active', one.id],
          one.mutedKinds.join(' '),
        ]);
        const heading = ['MEMBER', 'NAME', 'ROLE', 'STATE', 'ID', 'NOT TOLD OF'];
        const lines = table(heading, rows, '');
        print(terminal, options, members, lines);
      }),
    );

const addressFor = (option: string) => (text: string) => {
  if (isEmailAddress(text)) return text;
  throw invalid(`${option} must be an email address, for example ada@harrow.example.`);
};

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

const deactivateCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('deactivate <email>'))
    .description('shut a member out: their keys are refused from the next request on')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn member deactivate cy@harrow.example')
    .action((email: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const changed = await setActive(actor, (await findMember(actor, email)).id, false);
        print(terminal, options, changed, [
          `${changed.email} is deactivated: their keys are refused, and they get no notifications.`,
          'Their work stays as it is. `matterhorn member activate` lets them back in, keys included.',
        ]);
      }),
    );

const activateCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('activate <email>'))
    .description('let a deactivated member back in, with the keys that are not revoked or expired')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn member activate cy@harrow.example')
    .action((email: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const changed = await setActive(actor, (await findMember(actor, email)).id, true);
        print(terminal, options, changed, [`${changed.email} is active.`]);
      }),
    );
