import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { isCompiled } from '../base/compiled.ts';
import { plainJson, plainText } from '../base/plain-text.ts';
import { invalid, invalidField, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { readSettings, type Settings } from '../config.ts';
import { isEmailAddress } from '../firm/member.ts';
import { withCluster } from '../postgres/citus/database.ts';
import type { Address } from '../postgres/connection.ts';
import { borrowEmbedded, directoryOf } from '../postgres/embedded/embedded.ts';
import { inPlainWords } from '../postgres/embedded/file-failures.ts';
import { migrate } from '../postgres/migrate.ts';
import { type Database, openDatabase } from '../postgres/pool.ts';
import { type Actor, administrator } from '../record/actor.ts';
import { findFirm } from './find.ts';

/** Where a command reads and writes: the process's own streams, or a test's. */
export type Terminal = {
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
  environment: Record<string, string | undefined>;
};

/** The options that every command takes (docs/contract.md, Commands). */
export type CommonOptions = { data: string; json?: boolean; firm?: string };

/** The option of every command about one firm. */
export const firmOption = [
  '--firm <id>',
  'which firm; may be left out where there is only one',
] as const;

/**
 * Adds the options that every command takes; `otherwise` describes the default when --data is
 * absent.
 */
export const withCommonOptions = (command: Command, otherwise?: string) =>
  command
    .addOption(
      new Option('--data <dir>', 'data directory of the embedded database')
        .argParser(directoryFrom)
        .default(usualData, otherwise),
    )
    .option('--json', 'print one JSON document instead of text');

const usualData = './matterhorn-data';

const directoryFrom = (text: string) => {
  if (text.trim() === '') throw invalid('--data must name a directory.');
  return text;
};

/**
 * Reads an option's text of 1 to 255 characters, without blanks at its ends. Throws `Refusal`
 * naming the option.
 */
export const shortTextFor = (option: string) => (text: string) => shortText(option, text);

/** Reads an option's email address. Throws `Refusal` naming the option. */
export const addressFor = (option: string) => (text: string) => {
  if (isEmailAddress(text)) return text;
  throw invalid(`${option} must be an email address, for example ada@harrow.example.`);
};

/** Reads --port. Throws `Refusal` if it is no port. */
export const portFrom = (text: string) => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw invalid('--port must be a whole number from 0 to 65535.');
  return port;
};

/** Whether --data is given on the command line. */
export const isDataGiven = (command: Command) => command.getOptionValueSource('data') === 'cli';

type Work<Value> = (database: Database, settings: Settings) => Promise<Value>;

/**
 * Runs `work` on the database that the options and the environment name, brought up to date first.
 * Throws `Refusal` if the data directory holds none: a mistyped one must not become a new one.
 */
export const withDatabase = <Value>(
  terminal: Terminal,
  options: CommonOptions,
  work: Work<Value>,
): Promise<Value> => {
  if (!readSettings(terminal.environment).database) mustHoldData(options.data);
  return withDatabaseMade(terminal, options, work);
};

/** Throws `Refusal` if this data directory holds no data. */
export const mustHoldData = (data: string) => {
  try {
    statSync(join(directoryOf(data), 'pgdata'));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw inPlainWords(error, data);
    throw new Refusal(
      'not_configured',
      `There is no data in ${data}. Name the data directory with --data, set DATABASE_URL, or make it with \`matterhorn serve\`.`,
    );
  }
};

/** As `withDatabase`, but makes the embedded database if there is none. */
export const withDatabaseMade = <Value>(
  terminal: Terminal,
  options: CommonOptions,
  work: Work<Value>,
): Promise<Value> =>
  withAddresses(terminal, options, async ({ requests, owner }, settings) => {
    await migrate(owner, requests);
    const database = withCluster(openDatabase(requests, 2));
    try {
      return await work(database, settings);
    } finally {
      await database.close();
    }
  });

/**
 * The two ways into one database: as the role that serves requests, and as the owner of the tables.
 */
export type Addresses = { requests: Address; owner: Address };

/** The addresses that the environment names, or those of the embedded database. */
export const addressesOf = (
  { database, databaseOwner }: Settings,
  embedded: Addresses | undefined,
): Addresses => ({
  requests: database ?? embedded?.requests ?? '',
  owner: databaseOwner ?? embedded?.owner ?? '',
});

/** Runs `work` on the database as it is. Makes the embedded one if there is none. */
export const withAddresses = async <Value>(
  terminal: Terminal,
  { data }: CommonOptions,
  work: (addresses: Addresses, settings: Settings) => Promise<Value>,
): Promise<Value> => {
  const settings = readSettings(terminal.environment);
  const embedded = settings.database
    ? undefined
    : await borrowEmbedded({
        dataDirectory: data,
        say: (sentence) => say(terminal, sentence),
      });
  try {
    return await work(addressesOf(settings, embedded), settings);
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

/** For the `catch` of a verb: names a field that breaks its rule by the option it came from. */
export const byOption =
  (options: Record<string, string>) =>
  (error: unknown): never => {
    const [fault] = error instanceof Refusal ? error.faults : [];
    const option = fault && options[fault.field];
    throw option ? invalidField(option, fault.rule) : error;
  };

/** How to call a command here: by the executable, from any folder, or in the source tree. */
export const commandWord = () => {
  if (!isCompiled) return 'npx -y bun@1.4.5 src/main.ts';
  return quoted(process.argv0.includes('/') ? resolve(process.argv0) : process.argv0);
};

/** A command about the same data, ready to paste. */
export const nextCommand = (terminal: Terminal, { data }: CommonOptions, words: string): string => {
  const isUsual = terminal.environment.DATABASE_URL || data === usualData;
  return `${commandWord()} ${words}${isUsual ? '' : ` --data ${quoted(data)}`}`;
};

const quoted = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Runs `work` with a signal that is aborted by Ctrl-C, SIGTERM or SIGHUP. A second one ends the
 * process at once.
 */
export const untilInterrupted = async (work: (signal: AbortSignal) => Promise<void>) => {
  const interruption = new AbortController();
  const stop = () =>
    interruption.abort(new Refusal('conflict', 'Stopped. Everything is as it was before.'));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    await work(interruption.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
};

/** Prints one sentence on standard error, beside the result. */
export const say = (terminal: Terminal, sentence: string) =>
  terminal.err(`${plainText(sentence)}\n`);

/** Prints a result: one JSON document if asked for, else lines for people. */
export const print = (
  terminal: Terminal,
  options: CommonOptions,
  result: unknown,
  lines: string[],
) => terminal.out(options.json ? `${plainJson(JSON.stringify(result))}\n` : textOf(lines));

/** Lines for people, safe for a terminal: no character acts on it, or ends a line. */
export const textOf = (lines: string[]) => lines.map((line) => `${plainText(line)}\n`).join('');

/** Rows as aligned columns for people, with a heading; `nothing` if there are none. */
export const table = (heading: string[], rows: string[][], nothing: string): string[] => {
  if (rows.length === 0) return [nothing];
  const all = [heading, ...rows].map((row) => row.map(plainText));
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
