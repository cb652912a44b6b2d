import type { Command } from 'commander';
import { headsFileOf } from '../audit/kept-heads.ts';
import { readSettings } from '../config.ts';
import { type Upgrade, upgradeIn } from '../postgres/embedded/before-upgrade.ts';
import { withDataDirectory } from '../postgres/embedded/embedded.ts';
import { copyForUpgrade, goBackEmbedded, mayBeCopied } from '../postgres/embedded/upgrade.ts';
import { checkOutside, copyOutside, goBackOutside } from '../upgrade/outside.ts';
import { endWithParent, type StepSaid } from '../upgrade/steps.ts';
import { version } from '../version.ts';
import { keyFileFor } from './installation.ts';
import {
  addressesOf,
  type CommonOptions,
  mustHoldData,
  print,
  say,
  type Terminal,
  withCommonOptions,
} from './terminal.ts';

/**
 * `upgrade-data`, which `upgrade` runs as the owner of the data: `check` whether it can be copied, `copy` it while
 * nothing is served (the word is the version it is copied for), and go `back` (the word is why).
 */
export const upgradeDataCommand = (program: Command, terminal: Terminal) => {
  withCommonOptions(program.command('upgrade-data', { hidden: true }))
    .argument('<step>', 'check, copy or back')
    .argument('[word]')
    .action(async (step: string, word = '', options: CommonOptions) => {
      void endWithParent();
      const { database } = readSettings(terminal.environment);
      if (database) {
        const interrupted = await stepOutside(step, word, terminal, options);
        print(terminal, { ...options, json: true }, { interrupted, stopped: false }, []);
        return;
      }
      mustHoldData(options.data);
      const place = { dataDirectory: options.data, say: (text: string) => say(terminal, text) };
      const said = await withDataDirectory(place, async (layout): Promise<StepSaid> => {
        let stopped = false;
        if (step === 'copy') {
          await copyForUpgrade(layout, upgradeTo(word, terminal, options), () => (stopped = true));
        } else if (step === 'back') await goBackEmbedded(layout, word);
        const interrupted = upgradeIn(layout.directory) ?? null;
        if (step === 'check' && !interrupted) mayBeCopied(layout);
        return { interrupted, stopped };
      });
      print(terminal, { ...options, json: true }, said, []);
    });
};

const stepOutside = async (
  step: string,
  word: string,
  terminal: Terminal,
  options: CommonOptions,
): Promise<StepSaid['interrupted']> => {
  const addresses = addressesOf(readSettings(terminal.environment), undefined);
  if (step === 'back') await goBackOutside(addresses, word);
  if (step === 'copy') {
    const keyFile = keyFileFor(terminal, options);
    const headsFile = keyFile && headsFileOf(keyFile);
    await copyOutside(addresses.owner, options.data, { to: word, headsFile });
  }
  return step === 'check' ? ((await checkOutside(addresses.owner)) ?? null) : null;
};

const upgradeTo = (to: string, terminal: Terminal, options: CommonOptions): Upgrade => {
  const keyFile = keyFileFor(terminal, options);
  return {
    from: version,
    to,
    begunAt: new Date().toISOString(),
    // Heads that are newer than the log would say that the log was cut off.
    files: keyFile === undefined ? [] : [headsFileOf(keyFile)],
  };
};
