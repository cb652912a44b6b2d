import { Command, CommanderError } from 'commander';
import { plainText } from '../base/plain-text.ts';
import { Refusal } from '../base/refusal.ts';
import { distanceBetween, maxTypos } from '../base/spelling.ts';
import { leaveRoot } from '../postgres/embedded/account.ts';
import { isTrial } from '../upgrade/steps.ts';
import { version } from '../version.ts';
import { sentenceOf } from './sentence.ts';
import { serveCommand } from './serve.ts';
import { isDataGiven, say, type Terminal } from './terminal.ts';

/**
 * Door two: runs one command line and returns its exit code: 0; 1 with one sentence on standard
 * error; 2 for wrong usage (docs/contract.md, Commands).
 */
export const runCommand = async (words: string[], terminal: Terminal): Promise<number> => {
  const program = await commands(terminal, words);
  let hasBegun = false;
  program.hook('preAction', (_, command) => {
    sayWhichDatabase(terminal, command);
    hasBegun = true;
    leaveRootOf(terminal, command);
  });
  // Commander's own `help` takes only one word.
  const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  try {
    refuseUnknown(program, asked);
    await program.parseAsync(asked, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    say(terminal, sentenceOf(error));
    // A refusal before a command begins is about the command line alone.
    return error instanceof Refusal && !hasBegun ? 2 : 1;
  }
};

/**
 * A container or a service with both settings uses the database that it was told of from outside.
 */
const sayWhichDatabase = ({ environment, err }: Terminal, command: Command) => {
  const isOfUpgrade = command.name().startsWith('upgrade') || isTrial(environment);
  if (environment.DATABASE_URL && isDataGiven(command) && !isOfUpgrade) {
    err('DATABASE_URL is set: its database is used, and --data is not.\n');
  }
};

/** A command of root runs as the user who owns the data. */
const leaveRootOf = (terminal: Terminal, command: Command) => {
  const { data } = command.opts<{ data?: string }>();
  const isThrownAway = command.name() === 'demo' && !isDataGiven(command);
  // The parts of an upgrade use a folder of the service's user, wherever the database is.
  const isOfUpgrade = command.name() === 'upgrade-data' || isTrial(terminal.environment);
  const isElsewhere = terminal.environment.DATABASE_URL && !isOfUpgrade;
  if (isElsewhere || data === undefined || isThrownAway) return;
  if (worksWithoutData.has(wordsOf(command))) return;
  leaveRoot(data, (sentence) => say(terminal, sentence));
};

const worksWithoutData = new Set([
  'openapi',
  'version',
  'firm example',
  'ready',
  'backup key',
  'upgrade',
]);

/** How a command is called, without the program's name. */
const wordsOf = (command: Command): string =>
  command.parent?.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

/** An unknown command would be taken for an argument of another one, or be ignored. */
const refuseUnknown = (command: Command, [word = '', ...rest]: string[]) => {
  if (command.commands.length === 0 || word === '' || word.startsWith('-') || word === 'help')
    return;
  const found = command.commands.find((one) => one.name() === word);
  if (found) return refuseUnknown(found, rest);
  if (command.registeredArguments.length > 0) return;
  const [near] = command.commands
    .map((one) => one.name())
    .filter((name) => distanceBetween(word, name, maxTypos(name)) <= maxTypos(name));
  command.error(`error: unknown command '${word}'${near ? `\n(Did you mean ${near}?)` : ''}`);
};

/** Whether a command line is for `serve`, which starts sooner without the other commands. */
const serves = ([word]: string[]) =>
  word === undefined || /^(serve|--port|--host|--data|--json)$/.test(word);

const commands = async (terminal: Terminal, words: string[]) => {
  const program = new Command('matterhorn')
    .description('A practice-management server for law firms.')
    .version(version, '--version', 'print the version')
    .helpCommand('help [command...]', 'show how a command is used')
    .addHelpText('after', '\nExample:\n  matterhorn demo\n  matterhorn help firm apply')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  sayWayOut(program);
  serveCommand(program, terminal);
  if (!serves(words)) (await import('./others.ts')).otherCommands(program, terminal);
  inherit(program);
  return program;
};

/** Commander passes these settings on only at creation; commands are made in several files. */
const inherit = (command: Command) => {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    child.allowExcessArguments(false);
    sayWayOut(child);
    const [first] = child.commands;
    // A command that does something itself has an example of that.
    if (first && child.registeredArguments.length === 0) {
      const words = `${child.name()} ${first.name()}`;
      child.addHelpText('after', `\nExample:\n  matterhorn help ${words}`);
    }
    inherit(child);
  }
};

/** Makes Commander's message about wrong usage end with where right usage is shown, in one line. */
const sayWayOut = (command: Command) =>
  command.configureOutput({
    outputError: (text, write) => {
      const sentence = text.trimEnd().replace(/\n\((Did you mean .*\?)\)$/, '. $1');
      const line = plainText(sentence);
      const shows = command.commands.length > 0 ? 'lists the commands' : 'shows how';
      write(`${line}${/[.?]$/.test(line) ? '' : '.'} \`${helpOn(command)}\` ${shows}.\n`);
    },
  });

const helpOn = (command: Command): string =>
  command.parent ? `${helpOn(command.parent)} ${command.name()}` : 'matterhorn help';
