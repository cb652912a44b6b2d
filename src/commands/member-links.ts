import type { Command } from 'commander';
import { readSettings } from '../config.ts';
import { endWaysIn, waysInOf } from '../hand-over/ways-in.ts';
import { createMailedLink, linkPostOf, type MailedLink } from '../mail/link.ts';
import { write } from '../record/write.ts';
import { resetSecondFactor } from '../sign-in/code.ts';
import { findMember } from './find.ts';
import { keyFor } from './installation.ts';
import { linkOf } from './link.ts';
import {
  addressFor,
  asAdministrator,
  type CommonOptions,
  firmOption,
  portFrom,
  print,
  type Terminal,
  withCommonOptions,
} from './terminal.ts';
import { waysLines } from './ways-lines.ts';

type LinkOptions = CommonOptions & { member: string; port: number };

/** `member invite` and `member reset`. Without mail, the administrator hands the link over. */
export const linkCommands = (member: Command, terminal: Terminal) => {
  linkCommand(member, 'invite')
    .description('make a link to choose a password; it works once, for 7 days')
    .action((options: LinkOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, options.member);
        const made = await createMailedLink(actor, id, 'INVITE', linkPostFor(terminal, options));
        const link = linkOf(readSettings(terminal.environment), options.port, made.token);
        print(terminal, options, jsonOf(link, made), [link, handOver(made)]);
      }),
    );
  linkCommand(member, 'reset')
    .description(
      'make a link for a new password; it works once, for an hour, and ends all sessions',
    )
    .option('--revoke-keys', 'also end their API keys, calendar feed and passkeys, now')
    .option('--second-factor', 'also remove their authenticator and its recovery codes, now')
    .action((options: LinkOptions & { revokeKeys?: boolean; secondFactor?: boolean }) =>
      asAdministrator(terminal, options, async (actor) => {
        const { id } = await findMember(actor, options.member);
        const post = linkPostFor(terminal, options);
        const { ways, ...made } = await write(actor, async (w) => {
          const ways = await waysInOf(w, id);
          const made = await createMailedLink(w, id, 'RESET', post);
          if (options.secondFactor) await resetSecondFactor(w, id);
          if (options.revokeKeys)
            await endWaysIn(
              w,
              id,
              ways.map((one) => one.id),
            );
          return { ...made, ways };
        });
        const link = linkOf(readSettings(terminal.environment), options.port, made.token);
        const heading = options.revokeKeys
          ? 'These have ended:'
          : 'A new password ends none of these; --revoke-keys does, and the member is asked:';
        print(terminal, options, jsonOf(link, made), [
          link,
          handOver(made),
          ...waysLines(heading, ways),
        ]);
      }),
    );
};

const linkPostFor = (terminal: Terminal, options: CommonOptions) =>
  linkPostOf(readSettings(terminal.environment).publicUrl, keyFor(terminal, options));

const jsonOf = (link: string, { expiresAt, sentTo }: MailedLink) => ({
  link,
  expiresAt,
  ...(sentTo && { sentTo }),
});

const handOver = ({ expiresAt, sentTo }: MailedLink) =>
  `${sentTo ? `It goes to ${sentTo} by mail` : 'Hand it over yourself'}: it works once, until ${expiresAt.toISOString()}. It ends if their role, address or password changes.`;

const linkCommand = (member: Command, name: 'invite' | 'reset') =>
  withCommonOptions(member.command(name))
    .option(...firmOption)
    .requiredOption(
      '--member <email>',
      'the member who will follow the link',
      addressFor('--member'),
    )
    .option('--port <port>', 'where the server listens, if PUBLIC_URL is not set', portFrom, 3000)
    .addHelpText('after', `\nExample:\n  matterhorn member ${name} --member ben@harrow.example`);
