import type { Command } from 'commander';
import { invalid } from '../base/refusal.ts';
import { findFirm, listFirms, listMembers } from '../firm/firm.ts';
import { administrator } from '../record/actor.ts';
import { applyBlueprint } from './apply-blueprint.ts';
import { readBlueprint, unknownParts } from './blueprint.ts';
import { describeFirm } from './describe-firm.ts';
import {
  asAdministrator,
  type CommonOptions,
  commandWord,
  firmOption,
  print,
  type Terminal,
  table,
  withCommonOptions,
  withDatabase,
} from './terminal.ts';

/** `firm apply`, `firm list`, `firm show`. */
export const firmCommands = (program: Command, terminal: Terminal) => {
  const firm = program.command('firm').description('make and look at firms');

  withCommonOptions(firm.command('apply <file>'))
    .description('make a firm from a blueprint, or bring it up to one; `-` reads standard input')
    .addHelpText('after', '\nExample:\n  matterhorn firm apply harrow.yaml')
    .action(async (file: string, options: CommonOptions) => {
      const blueprint = readBlueprint(await readText(terminal, file));
      for (const part of unknownParts(blueprint)) {
        terminal.err(`${JSON.stringify(part)} is no part of a blueprint and was ignored.\n`);
      }
      await withDatabase(terminal, options, async (database) => {
        const { firmId, kept } = await applyBlueprint(database, blueprint);
        const standing = await describeFirm(
          administrator(database, firmId),
          await findFirm(database, firmId),
        );
        for (const sentence of kept) terminal.err(`${sentence}\n`);
        print(terminal, options, standing, [
          `${standing.firm.name} stands, members: ${Object.keys(standing.members).length}, practice areas: ${Object.keys(standing.practiceAreas).length}.`,
          `Next: ${commandWord()} key create --firm ${firmId} --member ${Object.keys(standing.members)[0]} --scope leads:read leads:write`,
        ]);
      });
    });

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

  withCommonOptions(firm.command('show'))
    .description('show what stands of a firm, with ids')
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn firm show --json')
    .action((options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const standing = await describeFirm(actor, await findFirm(actor.database, actor.firmId));
        const members = await listMembers(actor);
        print(terminal, options, standing, [
          `${standing.firm.name}  ${standing.firm.id}`,
          '',
          ...table(
            ['MEMBER', 'NAME', 'ROLE', 'ID'],
            members.map((one) => [one.email, one.name, one.role, one.id]),
            '',
          ),
          '',
          ...table(['LEAD STAGE', 'ID'], Object.entries(standing.leadStages), 'No lead stages.'),
          '',
          ...Object.entries(standing.practiceAreas).flatMap(([name, area]) => [
            `Practice area ${name}  ${area.id}`,
            ...Object.entries(area.stages).map(([stage, id]) => `  stage ${stage}  ${id}`),
            ...Object.entries(area.matterTypes).map(([type, id]) => `  matter type ${type}  ${id}`),
          ]),
        ]);
      }),
    );
};

const readText = async (terminal: Terminal, file: string) => {
  if (file === '-') return terminal.readInput();
  const found = Bun.file(file);
  if (!(await found.exists()))
    throw invalid(`There is no file ${file}. Name the blueprint, or - for standard input.`);
  return found.text();
};
