import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { invalid } from '../base/refusal.ts';
import { applyBlueprint } from '../blueprint/apply.ts';
import { readBlueprint, unknownPartsOf } from '../blueprint/blueprint.ts';
import { changeFirm, listFirms, readFirm } from '../firm/firm.ts';
import { timeZoneFrom } from '../firm/time-zone.ts';
import { setWorkEscalates } from '../limitation/reminders.ts';
import { type Actor, administrator } from '../record/actor.ts';
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

/** `firm example`, `firm apply`, `firm rename`, `firm zone`, `firm escalation`, `firm list`, `firm show`. */
export const firmCommands = (program: Command, terminal: Terminal) => {
  const firm = program.command('firm').description('make, change and show firms');
  exampleCommand(firm, terminal);
  applyCommand(firm, terminal);
  renameCommand(firm, terminal);
  zoneCommand(firm, terminal);
  escalationCommand(firm, terminal);
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
        const found = await findFirm(database, firmId);
        const standing = await describeFirm(administrator(database, firmId), found);
        for (const sentence of kept) say(terminal, sentence);
        print(terminal, options, standing, [
          `${standing.firm.name} is ready, members: ${Object.keys(standing.members).length}, practice areas: ${Object.keys(standing.practiceAreas).length}. Its time zone is ${found.timeZone}.`,
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
        print(terminal, options, { id: renamed.id, name: renamed.name }, [
          `The firm is called ${renamed.name} now. Change the name in your blueprint too.`,
        ]);
      }),
    );

const zoneCommand = (firm: Command, terminal: Terminal) =>
  withCommonOptions(firm.command('zone'))
    .argument('[zone]', 'its IANA name, for example America/New_York', (text: string) =>
      timeZoneFrom(text, 'zone'),
    )
    .description("change the firm's time zone, or show it: days and years begin at midnight there")
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn firm zone America/New_York')
    .action((zone: string | undefined, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        if (zone === undefined) {
          const { id, name, timeZone } = await readFirm(actor);
          print(terminal, options, { id, name, timeZone }, [timeZone]);
          return;
        }
        const changed = await changeFirm(actor, { timeZone: zone });
        print(terminal, options, changed, [
          `The days and years of ${changed.name} begin at midnight in ${changed.timeZone}. If your blueprint has a timeZone, change it too.`,
        ]);
      }),
    );

const escalationCommand = (firm: Command, terminal: Terminal) =>
  withCommonOptions(firm.command('escalation'))
    .argument('[state]', '`on` or `off`', stateFrom)
    .description(
      'choose whether more people are told of tasks and events that nobody has; or show the choice',
    )
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn firm escalation on')
    .action((state: 'on' | 'off' | undefined, options: CommonOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        if (state !== undefined) await setWorkEscalates(actor, state === 'on');
        const { id, name, workEscalatesSince } = await readFirm(actor);
        const isOn = workEscalatesSince !== null;
        print(terminal, options, { id, name, workEscalates: isOn }, [isOn ? 'on' : 'off']);
      }),
    );

const stateFrom = (text: string) => {
  if (text === 'on' || text === 'off') return text;
  throw invalid('The state must be on or off.');
};

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
        if (options.json) print(terminal, options, await shownFirm(actor, found), []);
        else print(terminal, options, undefined, await linesOnFirm(actor, found));
      }),
    );

/** What stands, as `firm apply` prints it, and the time zone. */
const shownFirm = async (actor: Actor, found: { id: string; name: string; timeZone: string }) => {
  const standing = await describeFirm(actor, found);
  return { ...standing, firm: { ...standing.firm, timeZone: found.timeZone } };
};

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
