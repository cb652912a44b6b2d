import { type Command, Option } from 'commander';
import { createKey, revokeKey, rotateKey } from '../api-keys/api-key.ts';
import { listKeys } from '../api-keys/list.ts';
import { isCalendarDate } from '../base/calendar-date.ts';
import { invalid } from '../base/refusal.ts';
import { cutName } from '../base/short-text.ts';
import { scopes as allScopes, isScope, type Scope } from '../contents.ts';
import { listMembers } from '../firm/member.ts';
import { mayUse, type Permission } from '../firm/permissions.ts';
import { listRoles } from '../firm/role.ts';
import type { Reader } from '../record/actor.ts';
import { findKeyId, findMember } from './find.ts';
import {
  asAdministrator,
  byOption,
  type CommonOptions,
  firmOption,
  print,
  say,
  type Terminal,
  table,
  withCommonOptions,
} from './terminal.ts';

type NewKeyOptions = CommonOptions & {
  member: string;
  scope: Scope[];
  name: string;
  expires?: Date | 'never';
};

/** `key create`, `key list`, `key rotate`, `key revoke`. */
export const keyCommands = (program: Command, terminal: Terminal) => {
  const key = program.command('key').description('make, list, rotate and revoke API keys');
  createCommand(key, terminal);
  listCommand(key, terminal);
  rotateCommand(key, terminal);
  revokeCommand(key, terminal);
};

const createCommand = (key: Command, terminal: Terminal) =>
  withCommonOptions(key.command('create'))
    .description('make an API key for a member; it is shown once')
    .option(...firmOption)
    .requiredOption('--member <email>', 'whose key it is: writes are attributed to this member')
    .requiredOption(
      '--scope <scopes...>',
      'what it may do, for example leads:read leads:write',
      scopesFrom,
    )
    .option('--name <name>', 'what it is for', 'API key')
    .option(
      '--expires <date>',
      'last day (YYYY-MM-DD), a moment (ISO 8601), or never; one year by default',
      expiryFrom,
    )
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn key create --member ada@harrow.example --scope leads:read leads:write --name "Website form"',
    )
    .action((options: NewKeyOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const holder = await findMember(actor, options.member);
        const made = await createKey(actor, {
          memberId: holder.id,
          scopes: options.scope,
          name: cutName(options.name) || 'API key',
          expiresAt: options.expires === 'never' ? null : (options.expires ?? inAYear()),
        }).catch(byOption({ expiresAt: '--expires' }));
        print(terminal, options, made, [
          made.key,
          shownOnce(made.expiresAt),
          'Send it with every call, as `Authorization: Bearer KEY`. The page /docs of the server lets you try calls.',
        ]);
        await sayWhatRoleForbids(terminal, actor, options);
      }),
    );

const scopesFrom = (text: string, before: Scope[] = []): Scope[] => {
  const scopes = text.split(',');
  if (scopes.every(isScope)) return [...before, ...scopes];
  throw invalid(`--scope takes one or more of ${allScopes.join(', ')}.`);
};

/** A key may be made before its member's role allows it, but not by mistake. */
const sayWhatRoleForbids = async (
  terminal: Terminal,
  reader: Reader,
  { member, scope }: NewKeyOptions,
) => {
  const [members, roles] = await Promise.all([listMembers(reader), listRoles(reader)]);
  const holder = members.find(({ email }) => email === member.trim().toLowerCase());
  const role = roles.find(({ id }) => id === holder?.roleId);
  if (!holder || !role || role.holdsAll) return;
  const may = (one: Permission) => role.permissions.includes(one);
  const forbidden = [...new Set(scope)].filter((one) => !mayUse(one, may));
  if (forbidden.length === 0) return;
  say(
    terminal,
    `The role ${JSON.stringify(role.name)} of ${holder.email} does not allow ${forbidden.join(', ')}, and so neither does this key. Give the role more with \`matterhorn firm apply\`, or the member another with \`matterhorn member role\`.`,
  );
};

const shownOnce = (expiresAt: Date | null) =>
  `This key is shown once: keep it now. ${expiresAt ? `It expires ${expiresAt.toISOString()}.` : 'It never expires.'}`;

const listCommand = (key: Command, terminal: Terminal) =>
  withCommonOptions(key.command('list'))
    .description("list the firm's keys, never the keys themselves")
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn key list')
    .action((options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const keys = await listKeys(actor);
        const rows = keys.map((one) => [
          ...[one.id, `${one.start}…`, one.name, one.member, one.state],
          one.expiresAt ? minuteOf(one.expiresAt) : 'never',
          one.lastUsedAt ? minuteOf(one.lastUsedAt) : 'never',
          one.scopes.length === allScopes.length ? 'everything' : one.scopes.join(' '),
        ]);
        const lines = table(
          ['ID', 'KEY', 'NAME', 'MEMBER', 'STATE', 'EXPIRES', 'LAST USED', 'SCOPES'],
          rows,
          'The firm has no keys.',
        );
        print(terminal, options, keys, lines);
      }),
    );

/** A moment in UTC to the minute: `2027-03-14 09:30Z`. */
const minuteOf = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')}Z`;

const rotateCommand = (key: Command, terminal: Terminal) =>
  withCommonOptions(key.command('rotate <key>'))
    .description('replace a key, named by id or name; the old one stays valid for a while')
    .option(...firmOption)
    .addOption(
      new Option(
        '--grace <time>',
        'how long the old key stays valid: 0, or a time like 30m, 1h, 7d; at most 30d',
      )
        .argParser(graceFrom)
        .default(graceFrom('24h'), '24h'),
    )
    .addHelpText('after', '\nExample:\n  matterhorn key rotate "Website form" --grace 7d')
    .action((key: string, options: CommonOptions & { grace: number }) =>
      asAdministrator(terminal, options, async (actor) => {
        const made = await rotateKey(
          actor,
          await findKeyId(actor, key, { newest: true }),
          options.grace,
        );
        print(terminal, options, made, [
          made.key,
          shownOnce(made.expiresAt),
          `The old key ends ${made.replaces.expiresAt.toISOString()}: use this one by then.`,
        ]);
      }),
    );

const minute = 60_000;
const units: Record<string, number> = { m: minute, h: 60 * minute, d: 24 * 60 * minute };

/** `30m`, `24h`, `7d` or `0` as milliseconds, at most thirty days. */
const graceFrom = (text: string): number => {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text === '0' ? '0m' : text) ?? [];
  const grace = Number(count) * (units[unit ?? ''] ?? Number.NaN);
  if (grace <= 30 * 24 * 60 * minute) return grace;
  throw invalid('--grace must be 0 or a time, for example 30m, 1h, 24h or 7d, at most 30d.');
};

const revokeCommand = (key: Command, terminal: Terminal) =>
  withCommonOptions(key.command('revoke <key>'))
    .description('revoke a key, named by id or name: it is refused from the next request on')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn key revoke KEYID')
    .action((key: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const revoked = await revokeKey(actor, await findKeyId(actor, key, { newest: false }));
        print(terminal, options, revoked, ['The key is revoked.']);
      }),
    );

const yearMilliseconds = 365 * 24 * 60 * 60 * 1000;

const inAYear = () => new Date(Date.now() + yearMilliseconds);

/** When a key ends. A day means its end in UTC. */
const expiryFrom = (text: string): Date | 'never' => {
  if (text === 'never') return text;
  if (isCalendarDate(text)) return new Date(`${text}T23:59:59.999Z`);
  const moment = /^\d{4}-\d{2}-\d{2}T/.test(text) ? new Date(text) : undefined;
  if (!moment || Number.isNaN(moment.getTime())) {
    throw invalid('--expires must be a day (YYYY-MM-DD), a moment (ISO 8601), or never.');
  }
  return moment;
};
