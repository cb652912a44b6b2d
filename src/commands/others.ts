import type { Command } from 'commander';
import { openApiDocument } from '../api/document.ts';
import { build } from '../version.ts';
import { auditCommands } from './audit.ts';
import { backupCommands } from './backup.ts';
import { datedRecordCommands } from './dated-records.ts';
import { demoCommand } from './demo.ts';
import { distributeCommand } from './distribute.ts';
import { doctorCommand } from './doctor.ts';
import { firmCommands } from './firm.ts';
import { jobCommands } from './job.ts';
import { keyCommands } from './key.ts';
import { memberCommands } from './member.ts';
import { notificationCommands } from './notifications.ts';
import { readyCommand } from './ready.ts';
import { type CommonOptions, print, type Terminal, withCommonOptions } from './terminal.ts';
import { upgradeCommand } from './upgrade.ts';
import { upgradeDataCommand } from './upgrade-data.ts';

/** Adds every command except `serve`. They need all of the program. */
export const otherCommands = (program: Command, terminal: Terminal) => {
  demoCommand(program, terminal);
  firmCommands(program, terminal);
  memberCommands(program, terminal);
  keyCommands(program, terminal);
  notificationCommands(program, terminal);
  auditCommands(program, terminal);
  jobCommands(program, terminal);
  doctorCommand(program, terminal);
  readyCommand(program, terminal);
  upgradeCommand(program, terminal);
  upgradeDataCommand(program, terminal);
  backupCommands(program, terminal);
  distributeCommand(program, terminal);
  datedRecordCommands(program, terminal);

  withCommonOptions(program.command('openapi'))
    .description('print the API description (OpenAPI 3.1)')
    .addHelpText('after', '\nExample:\n  matterhorn openapi > openapi.json')
    .action(async () => terminal.out(`${JSON.stringify(await openApiDocument(), null, 2)}\n`));

  withCommonOptions(program.command('version'))
    .description('print the version, the commit and the day of the build')
    .addHelpText('after', '\nExample:\n  matterhorn version')
    .action((options: CommonOptions) => print(terminal, options, build, linesOf(build)));
};

/** The version stands alone on the first line, for scripts. */
const linesOf = ({ version, commit, builtOn }: typeof build) => [
  version,
  `commit ${commit}`,
  ...(builtOn ? [`built on ${builtOn}`] : []),
];
