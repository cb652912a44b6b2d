import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { Refusal } from '../base/refusal.ts';
import { readSettings } from '../config.ts';
import {
  exchange,
  exchangeBack,
  type Place,
  placeHere,
  putBeside,
  removeBeside,
} from '../upgrade/place.ts';
import { mustBeReleased, newerVersion, signedSums, trustedKey } from '../upgrade/release.ts';
import { type Site, step, trial } from '../upgrade/steps.ts';
import { hasUnitFailed, startUnit, stopUnit, type Unit, unitOf } from '../upgrade/unit.ts';
import { version } from '../version.ts';
import { whyNotReady } from './ready.ts';
import {
  type CommonOptions,
  isDataGiven,
  portFrom,
  print,
  say,
  type Terminal,
  withCommonOptions,
} from './terminal.ts';

type UpgradeOptions = CommonOptions & { key?: string };

/** `upgrade`. */
export const upgradeCommand = (program: Command, terminal: Terminal) => {
  withCommonOptions(program.command('upgrade [file]'))
    .description(
      'replace this executable by a newer one, with its data; without a file, finish what was interrupted',
    )
    .option('--key <file>', 'the public key whose releases you trust, if not the built-in one')
    .addHelpText('after', '\nExample:\n  matterhorn upgrade matterhorn-0.4.0-linux-x64')
    .action(async (file: string | undefined, options: UpgradeOptions, command: Command) => {
      const place = placeHere();
      const unit = unitOf(place.executable);
      const site = siteOf(terminal, options, command, { place, unit });
      const doing: Doing = { terminal, options, place, unit, site };
      const restore = ignoreSignals(terminal);
      try {
        const { interrupted } = await step(site, ['check']);
        if (interrupted && interrupted.from !== version)
          return await finish(doing, interrupted.from);
        if (interrupted) await undo(doing, interrupted.to);
        if (file !== undefined) await upgrade(doing, file, interrupted !== null);
        else if (interrupted) await serveAgain(doing);
        else throw new Refusal('invalid_request', nothingToDo);
      } finally {
        restore();
      }
    });
};

const nothingToDo =
  'No upgrade was interrupted. Name the file of the new version: matterhorn upgrade FILE.';

type Doing = {
  terminal: Terminal;
  options: UpgradeOptions;
  place: Place;
  unit: Unit | undefined;
  site: Site;
};

/** Where the server is: as its unit says, unless the command line names other data. */
const siteOf = (
  { environment }: Terminal,
  { data }: CommonOptions,
  command: Command,
  { place, unit }: Pick<Doing, 'place' | 'unit'>,
): Site => {
  const given = (name: string) => {
    const words = (unit?.words ?? []).flatMap((word) => word.split('='));
    const at = words.indexOf(name);
    return at < 0 ? undefined : words[at + 1];
  };
  const [host, port] = [given('--host'), given('--port')];
  const asked = isDataGiven(command) ? data : (given('--data') ?? data);
  const settings = { ...environment, ...unit?.environment };
  const isOutside = readSettings(settings).database !== undefined;
  return {
    // A server whose data is elsewhere may have no folder.
    data: isOutside ? folderFor(asked, isDataGiven(command), place) : asked,
    isOutside,
    ...(host && { host }),
    ...(port && { port: portFrom(port) }),
    environment: settings,
  };
};

/** The folder that takes the copy of a database elsewhere. */
const folderFor = (asked: string, isNamed: boolean, { executable }: Place) => {
  if (existsSync(asked)) return resolve(asked);
  if (!isNamed) return dirname(executable);
  throw new Refusal(
    'not_found',
    `There is no folder ${asked}. Name one in --data that has room for the copy of the data.`,
  );
};

/** A step that is ended ends the upgrade in order: it goes back. So this process ends last. */
const ignoreSignals = (terminal: Terminal) => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const told = () => say(terminal, 'It ends when everything is in order again.');
  for (const signal of signals) process.on(signal, told);
  return () => {
    for (const signal of signals) process.off(signal, told);
  };
};

const upgrade = async (doing: Doing, file: string, wasInterrupted: boolean) => {
  const { terminal, options, place, unit, site } = doing;
  const to = await prove(place, file, options.key);
  let isTaken = false;
  const begun = performance.now();
  const runsAsUnit = unit !== undefined && (unit.isActive || wasInterrupted);
  try {
    if (runsAsUnit) {
      say(terminal, 'Stopping the service matterhorn.');
      stopUnit();
    }
    say(
      terminal,
      `Copying the data${site.isOutside ? ` to ${site.data}` : ''}, while nothing is served.`,
    );
    const { stopped } = await step(site, ['copy', to]);
    if (stopped) say(terminal, 'The server that used the data was stopped.');
    say(terminal, `Trying version ${to} on the data, where nobody else can reach it.`);
    const why = await trial(place.next, site);
    if (why !== undefined) {
      await step(site, ['back', why]);
      throw new Refusal(
        'conflict',
        `Version ${to} did not become ready: ${why} This is version ${version} as before, with its data.${runsAsUnit ? '' : startAgain}`,
      );
    }
    say(terminal, `Putting it in place as ${place.executable}.`);
    exchange(place);
    isTaken = true;
  } finally {
    if (!isTaken) {
      removeBeside(place);
      if (runsAsUnit) startUnit();
    }
  }
  if (runsAsUnit) await bringUp(doing, version);
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const served = runsAsUnit ? [`Nothing was served for ${seconds} seconds.`] : byHand(place);
  print(terminal, options, { from: version, to, seconds, running: runsAsUnit }, [
    `Upgraded from ${version} to ${to}. The executable of before is ${place.before}.`,
    ...served,
  ]);
};

const startAgain = ' Start it again as you did.';
const byHand = ({ executable, before }: Place) => [
  'Start it again as you did. From its first answer on, nothing goes back by itself.',
  `If it does not start, put the version before in its place, and the data follows: mv ${before} ${executable}`,
];

/** Proves the new executable, which then is beside this one. Returns its version. */
const prove = async (place: Place, file: string, keyFile: string | undefined) => {
  const sums = signedSums(file, trustedKey(keyFile));
  putBeside(place, file);
  try {
    await mustBeReleased(sums, place.next, file);
    return newerVersion(place.next, file);
  } catch (error) {
    removeBeside(place);
    throw error;
  }
};

/** Starts the service with the new version. If it does not come, goes back to the executable and the data. */
const bringUp = async ({ terminal, place, site }: Doing, from: string) => {
  say(terminal, 'Starting the service matterhorn.');
  startUnit();
  if (await comesUp(terminal, site)) {
    // The copy may be where the service cannot remove it.
    if (site.isOutside) await step(site, ['check'], place.executable);
    return;
  }
  stopUnit();
  const { interrupted } = await step(site, ['check']);
  if (!interrupted) {
    startUnit();
    throw new Refusal(
      'unavailable',
      'The new version answered requests, but is not ready now. Nothing goes back by itself, because that would lose what was stored. `journalctl -u matterhorn` says why.',
    );
  }
  exchangeBack(place);
  // This program may be the newer one.
  await step(site, ['back', 'It did not become ready as the service.'], place.executable);
  startUnit();
  const isUp = await comesUp(terminal, site);
  throw new Refusal(
    'conflict',
    `The new version did not become ready as the service: \`journalctl -u matterhorn\` says why. ${isUp ? 'The service runs' : 'The executable is'} as version ${from} again, with its data as before.`,
  );
};

const startMilliseconds = 120_000;

const comesUp = async (terminal: Terminal, site: Site): Promise<boolean> => {
  const begun = performance.now();
  while (performance.now() - begun < startMilliseconds) {
    if ((await whyNotReady(site, site.environment)) === undefined) return true;
    if (hasUnitFailed()) return false;
    await Bun.sleep(100);
  }
  say(terminal, 'The service did not answer.');
  return false;
};

/** An upgrade that was interrupted after the new executable, this one, was put in place. */
const finish = async (doing: Doing, from: string) => {
  const { terminal, options, place, unit } = doing;
  if (unit) await bringUp(doing, from);
  print(terminal, options, { from, to: version, running: unit !== undefined }, [
    `The upgrade from ${from} to ${version} is finished.`,
    ...(unit ? [] : byHand(place)),
  ]);
};

/** An upgrade that was interrupted before: this is the version before. */
const undo = async ({ terminal, place, site }: Doing, to: string) => {
  await step(site, ['back', 'It was interrupted.']);
  removeBeside(place);
  say(terminal, `The upgrade to ${to} was interrupted. The data is as before it.`);
};

const serveAgain = async ({ terminal, options, unit, site }: Doing) => {
  if (unit) startUnit();
  const isUp = unit !== undefined && (await comesUp(terminal, site));
  print(terminal, options, { from: version, to: version, running: isUp }, [
    `This is version ${version}.${isUp ? ' It serves again.' : startAgain}`,
  ]);
};
