import type { Command } from 'commander';
import { describeError, log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import { readSettings, type Settings } from '../config.ts';
import { findFirm } from '../firm/firm.ts';
import { borrowEmbedded } from '../postgres/embedded/embedded.ts';
import { migrate } from '../postgres/migrate.ts';
import { type Database, openDatabase } from '../postgres/pool.ts';
import { type Actor, administrator } from '../record/actor.ts';

/** Where a command reads and writes: the process's own streams, or a test's. */
export type Terminal = {
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
  environment: Record<string, string | undefined>;
};

/** The options that every command takes (commands.md). */
export type CommonOptions = { data: string; json?: boolean; firm?: string };

/** The option of every command about one firm. */
export const firmOption = [
  '--firm <id>',
  'which firm; may be left out where there is only one',
] as const;

/** Adds the options that every command takes. */
export const withCommonOptions = (command: Command) =>
  command
    .option('--data <dir>', 'data directory of the embedded database', './matterhorn-data')
    .option('--json', 'print one JSON document instead of text');

/** Runs `work` on the database that the options and the environment name, brought up to date first. */
export const withDatabase = async <Value>(
  terminal: Terminal,
  { data }: CommonOptions,
  work: (database: Database, settings: Settings) => Promise<Value>,
): Promise<Value> => {
  const settings = readSettings(terminal.environment);
  const embedded = settings.database
    ? undefined
    : await borrowEmbedded({
        dataDirectory: data,
        say: (sentence) => terminal.err(`${sentence}\n`),
      });
  const address = settings.database ?? embedded?.address ?? '';
  try {
    await migrate(address);
    const database = openDatabase(address, 2);
    try {
      return await work(database, settings);
    } finally {
      await database.close();
    }
  } finally {
    await embedded?.stop();
  }
};

/** Runs `work` as the administrator of the firm that `--firm` names, or of the only one. */
export const asAdministrator = <Value>(
  terminal: Terminal,
  options: CommonOptions,
  work: (actor: Actor) => Promise<Value>,
): Promise<Value> =>
  withDatabase(terminal, options, async (database) => {
    const { id } = await findFirm(database, options.firm);
    return work(administrator(database, id));
  });

/** How a command is called here: by the executable, or in the source tree. */
export const commandWord = () =>
  import.meta.dir.startsWith('/$bunfs/') ? process.argv0 : 'npx -y bun@1.4.5 src/main.ts';

/** Prints a result: one JSON document where asked for, else the lines for people. */
export const print = (
  terminal: Terminal,
  options: CommonOptions,
  result: unknown,
  lines: string[],
) =>
  terminal.out(
    options.json ? `${JSON.stringify(result)}\n` : lines.map((line) => `${line}\n`).join(''),
  );

/** Rows as aligned columns for people, with a heading; `nothing` where there are none. */
export const table = (heading: string[], rows: string[][], nothing: string): string[] => {
  if (rows.length === 0) return [nothing];
  const all = [heading, ...rows];
  const widths = heading.map((_, column) =>
    Math.max(...all.map((row) => [...(row[column] ?? '')].length)),
  );
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** A failure as one plain sentence that says what to do; details of a bug go to the log. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof Refusal || (error instanceof Error && error.name === 'PlainError'))
    return error.message;
  const reason = reasons[String((error as { code?: string } | null)?.code)];
  if (reason) return reason;
  log('error', 'command failed', describeError(error));
  return 'Something failed that should not have; the line above has the details. Nothing was changed halfway.';
};

const silent = 'The database at DATABASE_URL does not answer. Check the address and the network.';

const reasons: Record<string, string> = {
  ECONNREFUSED: 'No database answers at DATABASE_URL. Start it, or correct the address.',
  ENOTFOUND: 'The host in DATABASE_URL is not known. Correct the address.',
  CONNECT_TIMEOUT: silent,
  ECONNRESET: silent,
  EHOSTUNREACH: silent,
  ENETUNREACH: silent,
  ETIMEDOUT: silent,
  '28P01': 'The database at DATABASE_URL refuses this user or password. Correct the address.',
  '28000': 'The database at DATABASE_URL refuses this user. Correct the address.',
  '3D000':
    'The database that DATABASE_URL names does not exist. Create it, or correct the address.',
  '42501':
    'The database user may not create tables. Give it the right to, or name another user in DATABASE_URL.',
  '53100': "The database's disk is full. Free some space and try again.",
};
