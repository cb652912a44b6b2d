import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { invalid } from '../base/refusal.ts';
import { applyBlueprint } from '../blueprint/apply.ts';
import { readBlueprint, unknownPartsOf } from '../blueprint/blueprint.ts';
import { changeFirm, listFirms } from '../firm/firm.ts';
import { administrator } from '../record/actor.ts';
import { describeFirm } from './describe-firm.ts';
import exampleFirm from './example-firm.yaml' with { type: 'text' };
import { findFirm } from './find.ts';
import { linesOnFirm } from './show-firm.ts';
import {
  asAdministrator,
  type CommonOptions,
  firmOption,
  nextCommand,
  print,
  say,
  type Terminal,
  table,
  withCommonOptions,
  withDatabase,
  withDatabaseMade,
} from './terminal.ts';

/** `firm example`, `firm apply`, `firm rename`, `firm list`, `firm show`. */
export const firmCommands = (program: Command, terminal: Terminal) => {
  const firm = program.command('firm').description('make, change and show firms');
  exampleCommand(firm, terminal);
  applyCommand(firm, terminal);
  renameCommand(firm, terminal);
  listCommand(firm, terminal);
  showCommand(firm, terminal);
};

const exampleCommand = (firm: Command, terminal: Terminal) =>
  withCommonOptions(firm.command('example'))
    .description('print a blueprint with explanations, to change and to apply')
    .addHelpText('after', '\nExample:\n  matterhorn firm example > firm.yaml')
    .action((options: CommonOptions) =>
      print(terminal, options, readBlueprint(exampleFirm), exampleFirm.trimEnd().split('\n')),
    );

const applyCommand = (firm: Command, terminal: Terminal) =>
  withCommonOptions(firm.command('apply <file>'))
    .description('make a firm from a blueprint, or bring it up to one; `-` reads standard input')
    .option('--another', 'make one more firm in a database that has one already')
    .addHelpText('after', '\nExample:\n  matterhorn firm apply firm.yaml')
    .action(async (file: string, options: CommonOptions & { another?: boolean }) => {
      const blueprint = readBlueprint(await readText(terminal, file));
      for (const sentence of unknownPartsOf(blueprint)) say(terminal, sentence);
      await withDatabaseMade(terminal, options, async (database) => {
        const { firmId, kept } = await applyBlueprint(database, blueprint, options);
        const standing = await describeFirm(
          administrator(database, firmId),
          await findFirm(database, firmId),
        );
        for (const sentence of kept) say(terminal, sentence);
        print(terminal, options, standing, [
          `${standing.firm.name} is ready, members: ${Object.keys(standing.members).length}, practice areas: ${Object.keys(standing.practiceAreas).length}.`,
          `Next: ${nextCommand(terminal, options, `key create --firm ${firmId} --member ${Object.keys(standing.members)[0]} --scope leads:read leads:write`)}`,
        ]);
      });
    });

const renameCommand = (firm: Command, terminal: Terminal) =>
  withCommonOptions(firm.command('rename <name>'))
    .description('give a firm another name')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn firm rename "Harrow, Lane & Moss"')
    .action((name: string, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const renamed = await changeFirm(actor, { name });
        print(terminal, options, renamed, [
          `The firm is called ${renamed.name} now. Change the name in your blueprint too.`,
        ]);
      }),
    );

const listCommand = (firm: Command, terminal: Terminal) =>
  withCommonOptions(firm.command('list'))
    .description('list the firms')
    .addHelpText('after', '\nExample:\n  matterhorn firm list --json')
    .action((options: CommonOptions) =>
      withDatabase(terminal, options, async (database) => {
        const firms = (await listFirms(database)).map(({ id, name, createdAt }) => ({
          id,
          name,
          createdAt,
        }));
        print(
          terminal,
          options,
          firms,
          table(
            ['ID', 'NAME'],
            firms.map(({ id, name }) => [id, name]),
            'There is no firm yet. Make one with `matterhorn firm apply FILE`.',
          ),
        );
      }),
    );

const showCommand = (firm: Command, terminal: Terminal) =>
  withCommonOptions(firm.command('show'))
    .description('show how a firm works: roles, members, numbering, stages, fields, with ids')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn firm show --json')
    .action((options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const found = await findFirm(actor.database, actor.firmId);
        if (options.json) print(terminal, options, await describeFirm(actor, found), []);
        else print(terminal, options, undefined, await linesOnFirm(actor, found));
      }),
    );

const readText = async (terminal: Terminal, file: string) => {
  if (file === '-') return terminal.readInput();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // For a folder, the operating system says only that it is one.
    if ((error as { code?: string }).code !== 'ENOENT')
      throw Object.assign(error as Error, { path: file });
    throw invalid(`There is no file ${file}. Name the blueprint, or - for standard input.`);
  }
};
