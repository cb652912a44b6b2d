import { type Command, Option } from 'commander';
import { Refusal } from '../base/refusal.ts';
import { activateMember, deactivateMember } from '../hand-over/hand-over.ts';
import { waysInOf } from '../hand-over/ways-in.ts';
import { findMember } from './find.ts';
import {
  addressFor,
  asAdministrator,
  byOption,
  type CommonOptions,
  firmOption,
  print,
  type Terminal,
  withCommonOptions,
} from './terminal.ts';
import { waysLines } from './ways-lines.ts';

export const leavingCommands = (member: Command, terminal: Terminal) => {
  deactivateCommand(member, terminal);
  activateCommand(member, terminal);
};

type LeavingOptions = CommonOptions & { to?: string; leave?: boolean };

const deactivateCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('deactivate <email>'))
    .description(
      'shut a member out and hand their open work over; their keys and feed end for good',
    )
    .option(...firmOption)
    .addOption(
      new Option('--to <email>', 'the member who takes over their open matters and leads')
        .argParser(addressFor('--to'))
        .conflicts('leave'),
    )
    .option('--leave', 'leave their open work as it is: nobody else is responsible for it')
    .option('--revoke-keys', 'end their API keys and calendar feed, as this command always does')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn member deactivate cy@harrow.example --to ada@harrow.example',
    )
    .action((email: string, options: LeavingOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, email);
        const { to, leave } = options;
        const heirId = to === undefined ? null : (await findMember(actor, to)).id;
        const ended = (await waysInOf(actor, id)).filter(({ kind }) => kind !== 'passkey');
        const changed = await deactivateMember(actor, id, leave ? 'left' : { heirId })
          .catch(to === undefined ? sayOptions : undefined)
          .catch(byOption({ heirId: '--to' }));
        print(terminal, options, changed, [
          `${changed.email} is deactivated: they are signed out, and get no notifications.`,
          ...(to === undefined ? [] : [`Their open work is handed over to ${to}.`]),
          ...(leave ? ['Their open work stays as it is.'] : []),
          ...waysLines('These have ended, and do not come back with `member activate`:', ended),
        ]);
      }),
    );

/** Names the two ways that the terminal has, where work would be left to nobody. */
const sayOptions = (error: unknown): never => {
  const isAboutWork = error instanceof Refusal && error.faults[0]?.field === 'heirId';
  throw isAboutWork
    ? new Refusal(
        'conflict',
        'This member has open matters or leads. Hand them over with --to EMAIL, or leave them as they are with --leave.',
      )
    : error;
};

const activateCommand = (member: Command, terminal: Terminal) =>
  withCommonOptions(member.command('activate <email>'))
    .description('let a deactivated member back in; keys and a feed from before stay ended')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn member activate cy@harrow.example')
    .action((email: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const changed = await activateMember(actor, (await findMember(actor, email)).id);
        print(terminal, options, changed, [
          `${changed.email} is active. They make new keys, and a new calendar feed, themselves.`,
        ]);
      }),
    );
