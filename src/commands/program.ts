import { Command, CommanderError } from 'commander';
import { openApiDocument } from '../api/document.ts';
import { version } from '../version.ts';
import { auditCommands } from './audit.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { firmCommands } from './firm.ts';
import { jobCommands } from './job.ts';
import { keyCommands } from './key.ts';
import { matterRecordCommands } from './matter-records.ts';
import { notificationCommands } from './notifications.ts';
import { serveCommand } from './serve.ts';
import {
  type CommonOptions,
  print,
  sentenceOf,
  type Terminal,
  withCommonOptions,
} from './terminal.ts';

/**
 * Door two: runs one command line and gives its exit code: 0, 1 with one sentence on standard
 * error, 2 for wrong usage (commands.md).
 */
export const runCommand = async (words: string[], terminal: Terminal): Promise<number> => {
  const program = commands(terminal);
  try {
    refuseUnknown(program, words[0] ?? '');
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`${sentenceOf(error)}\n`);
    return 1;
  }
};

/** What is no command would otherwise be taken for an argument of the default one. */
const refuseUnknown = (program: Command, word: string) => {
  const names = ['help', ...program.commands.map((command) => command.name())];
  if (word === '' || word.startsWith('-') || names.includes(word)) return;
  program.error(`error: unknown command '${word}'. \`matterhorn help\` lists the commands.`);
};

const commands = (terminal: Terminal) => {
  const program = new Command('matterhorn')
    .description('A practice-management server for law firms.')
    .version(version, '--version', 'print the version')
    .helpCommand('help [command]', 'show how a command is used')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  serveCommand(program, terminal);
  demoCommand(program, terminal);
  firmCommands(program, terminal);
  keyCommands(program, terminal);
  notificationCommands(program, terminal);
  auditCommands(program, terminal);
  jobCommands(program, terminal);
  doctorCommand(program, terminal);
  matterRecordCommands(program, terminal);

  withCommonOptions(program.command('openapi'))
    .description('print the API description (OpenAPI 3.1)')
    .addHelpText('after', '\nExample:\n  matterhorn openapi > openapi.json')
    .action(async () => terminal.out(`${JSON.stringify(await openApiDocument(), null, 2)}\n`));

  withCommonOptions(program.command('version'))
    .description('print the version')
    .addHelpText('after', '\nExample:\n  matterhorn version')
    .action((options: CommonOptions) => print(terminal, options, { version }, [version]));

  inherit(program);
  return program;
};

/** Commander passes these settings on at creation only; commands are made in several files. */
const inherit = (command: Command) => {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    child.allowExcessArguments(false);
    inherit(child);
  }
};
