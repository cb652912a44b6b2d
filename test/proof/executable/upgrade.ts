/**
 * `matterhorn upgrade` with two real versions: by hand and as a service, a version that does not become ready, what is
 * refused, and kill -9 at every step; with the built-in Postgres and with Debian's. `bun test/proof/executable/upgrade.ts`, after `bun run build`. Prints what it
 * saw, and ends with 1 where something is wrong.
 */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { endAll } from '../../support/at-end.ts';
import { check } from '../../support/executable.ts';
import { openUpgradeTrial } from '../../support/upgrade-trial.ts';
import { tryKills, tryKillsOfGoingBack } from './upgrade-killed.ts';
import { tryOutside } from './upgrade-outside.ts';
import { tryRefusals } from './upgrade-refused.ts';
import { tryService } from './upgrade-service.ts';
import { tryWebhooks } from './upgrade-webhooks.ts';

const trial = await openUpgradeTrial();
const { executable, data, newer, upgradeWords, command, publish, install, serve } = trial;

/** What the upgrade leaves beside the data, once the server has answered. */
const leftOvers = () => readdirSync(data).filter((name) => /^upgrade/.test(name));
const settled = async () => {
  for (let left = 100; left > 0 && leftOvers().length > 0; left -= 1) await Bun.sleep(50);
  return leftOvers().length === 0;
};

try {
  await publish([newer]);
  const only = process.argv[2] ?? '';
  const part = async (name: string, act: () => Promise<void>) => {
    if (!name.includes(only)) return;
    console.log(`-- ${name}`);
    await act();
  };

  await part('by hand', async () => {
    await install();
    const before = await serve();
    const done = await command(upgradeWords);
    console.log(done.err + done.out);
    check('it upgrades', done.exitCode === 0 && (await trial.version()) === '9.2.0');
    check('it ended the server in order', (await before.server.exited) === 0);
    const during = await command(['firm', 'list', '--data', data]);
    check('no command stores what could be put back', /interrupted/.test(during.err));
    const after = await serve();
    check('the new version serves the data', (await after.isReady()) && (await trial.hasFirm()));
    check('the copy is gone once it answers', await settled());
    const { lastUpgrade } = JSON.parse((await command(['doctor', '--json', '--data', data])).out);
    check('the doctor knows it', lastUpgrade.to === '9.2.0' && lastUpgrade.result === 'upgraded');
    check('the log says it', (await after.stop()).includes('"event":"upgraded"'));
    check('the audit log is whole', await trial.isLogWhole());
  });

  await part('by hand, and the new version does not become ready', async () => {
    await install();
    const before = await serve();
    const done = await command(upgradeWords, { UPGRADE_FAILS: 'trial' });
    console.log(done.err);
    check('it says why', done.exitCode === 1 && done.err.includes('It fails as it was asked to.'));
    await before.server.exited;
    check('the executable is the one before', (await trial.version()) === '9.1.0');
    const after = await serve();
    check('the data is as before', (await after.isReady()) && (await trial.hasFirm()));
    check('nothing is left', (await settled()) && readdirSync(dirname(executable)).length === 1);
    const { lastUpgrade } = JSON.parse((await command(['doctor', '--json', '--data', data])).out);
    check('the doctor knows it', lastUpgrade.result === 'went back' && !!lastUpgrade.why);
    await after.stop();
    check('the audit log is whole', await trial.isLogWhole());
  });

  await part('by hand, put back by hand', async () => {
    await install();
    await command(upgradeWords);
    const failed = await serve({ UPGRADE_FAILS: 'service' });
    check('the new version does not start', failed.server.exitCode !== 0);
    await Bun.$`mv ${executable}.before ${executable}`;
    const after = await serve();
    check('the data follows the executable', (await after.isReady()) && (await trial.hasFirm()));
    await after.stop();
  });

  await part('as a service', () => tryService(trial));
  await part('messages wait', () => tryWebhooks(trial));
  await part('refused', () => tryRefusals(trial));
  await part('killed', () => tryKills(trial));
  await part('going back, killed', () => tryKillsOfGoingBack(trial));
  await tryOutside(trial, part);
} finally {
  await trial.close();
  await endAll();
}
process.exit();
