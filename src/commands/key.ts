import type { Command } from 'commander';
import { createKey, listKeys, revokeKey } from '../api-keys/api-key.ts';
import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import { invalid, notFound } from '../base/refusal.ts';
import {
  asAdministrator,
  type CommonOptions,
  firmOption,
  print,
  type Terminal,
  table,
  withCommonOptions,
} from './terminal.ts';

type NewKeyOptions = CommonOptions & {
  member: string;
  scope: string[];
  name: string;
  expires?: string;
};

/** `key create`, `key list`, `key revoke`. */
export const keyCommands = (program: Command, terminal: Terminal) => {
  const key = program.command('key').description('make, list and revoke API keys');

  withCommonOptions(key.command('create'))
    .description('make an API key for a member; it is shown once')
    .option(...firmOption)
    .requiredOption('--member <email>', 'whose key it is: writes are attributed to this member')
    .requiredOption('--scope <scopes...>', 'what it may do, such as leads:read leads:write')
    .option('--name <name>', 'what it is for', 'API key')
    .option(
      '--expires <date>',
      'last day (YYYY-MM-DD), a moment (ISO 8601), or never; one year by default',
    )
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn key create --member ada@harrow.example --scope leads:read leads:write --name "Website form"',
    )
    .action((options: NewKeyOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const made = await createKey(actor, {
          email: options.member,
          scopes: options.scope.flatMap((scope) => scope.split(',')),
          name: options.name.trim().slice(0, 255) || 'API key',
          expiresAt: expiryFrom(options.expires, new Date()),
        });
        print(terminal, options, made, [
          made.key,
          `This key is shown once: keep it now. ${made.expiresAt ? `It expires ${made.expiresAt.toISOString()}.` : 'It never expires.'}`,
        ]);
      }),
    );

  withCommonOptions(key.command('list'))
    .description("list the firm's keys, never the keys themselves")
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn key list')
    .action((options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const keys = await listKeys(actor);
        const rows = keys.map((one) => [
          one.id,
          `${one.start}…`,
          one.name,
          one.member,
          one.scopes.join(' '),
          one.revokedAt ? 'revoked' : (one.expiresAt?.toISOString().slice(0, 10) ?? 'never'),
          one.lastUsedAt?.toISOString() ?? 'never',
        ]);
        print(
          terminal,
          options,
          keys,
          table(
            ['ID', 'KEY', 'NAME', 'MEMBER', 'SCOPES', 'EXPIRES', 'LAST USED'],
            rows,
            'The firm has no keys.',
          ),
        );
      }),
    );

  withCommonOptions(key.command('revoke <keyid>'))
    .description('revoke a key: it is refused from the next request on')
    .option(...firmOption)
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn key revoke 019f0000-0000-7000-8000-000000000000',
    )
    .action((keyId: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        if (!isId(keyId))
          throw notFound('No key of the firm has this id. `matterhorn key list` shows them.');
        const revoked = await revokeKey(actor, keyId);
        print(terminal, options, revoked, ['The key is revoked.']);
      }),
    );
};

const yearMilliseconds = 365 * 24 * 60 * 60 * 1000;

/** When a key ends: a year from now by default; a day means until its end in UTC; null for never. */
const expiryFrom = (text: string | undefined, now: Date): Date | null => {
  if (text === undefined) return new Date(now.getTime() + yearMilliseconds);
  if (text === 'never') return null;
  if (isCalendarDate(text)) return new Date(`${text}T23:59:59.999Z`);
  const moment = /^\d{4}-\d{2}-\d{2}T/.test(text) ? new Date(text) : undefined;
  if (!moment || Number.isNaN(moment.getTime())) {
    throw invalid('--expires must be a day (YYYY-MM-DD), a moment (ISO 8601), or never.');
  }
  return moment;
};
