/** `matterhorn upgrade` of a service: `systemctl` is a program of the test that starts and stops what the unit says. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import { check } from '../../support/executable.ts';
import { freePort } from '../../support/instances.ts';
import type { UpgradeTrial } from '../../support/upgrade-trial.ts';

const asDaemon =
  process.getuid?.() === 0 ? 'setpriv --reuid=daemon --regid=daemon --clear-groups' : '';

/** Like a unit of systemd: what it runs, as another user than root. */
const systemctl = (folder: string, line: string) => `#!/bin/sh
cd '${folder}'
alive() { [ -s pid ] && kill -0 "$(cat pid)" 2>/dev/null; }
case $1 in
show) cat <<SAYS
LoadState=loaded
ActiveState=$(alive && echo active || echo inactive)
ExecStart={ path=${line.split(' ')[0]} ; argv[]=${line} ; ignore_errors=no ; start_time=[n/a] }
Environment=RATE_LIMIT=off
EnvironmentFiles=${folder}/matterhorn.env (ignore_errors=yes)
SAYS
;;
start) echo start >> calls
  set -a; . ./matterhorn.env; RATE_LIMIT=off
  rm -f pid
  # In a session of its own before this ends, as a service is.
  setsid --fork sh -c 'echo $$ > pid; exec ${asDaemon} ${line} >> log 2>&1' < /dev/null > /dev/null 2>&1
  until [ -s pid ]; do sleep 0.01; done ;;
stop) echo stop >> calls
  alive && kill "$(cat pid)"; while alive; do sleep 0.05; done ;;
is-active) alive && echo active || echo failed ;;
esac
`;

/** `fixed` are settings of the service, as lines of its file. */
export const tryService = async (trial: UpgradeTrial, fixed = '') => {
  const { executable, data, file, keyFile, install, command } = trial;
  const folder = join(trial.folder, 'unit');
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const line = `${executable} serve --data ${data} --port ${port}`;
  await Bun.write(join(folder, 'systemctl'), systemctl(folder, line));
  await chmod(join(folder, 'systemctl'), 0o755);
  const environment = { PATH: `${folder}:${process.env.PATH}` };
  const ctl = (verb: string) => $`${join(folder, 'systemctl')} ${verb}`.nothrow().quiet();
  const isReady = async () => {
    for (let left = 200; left > 0; left -= 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.ok) return true;
      await Bun.sleep(100);
    }
    return false;
  };
  const set = (settings: string) =>
    Bun.write(join(folder, 'matterhorn.env'), `${fixed}${settings}`);
  const calls = async () =>
    (await Bun.file(join(folder, 'calls')).text()).trim().split('\n').join();
  /** A service of the older version, which runs. */
  const begin = async (settings: string) => {
    await ctl('stop');
    await install();
    if (process.getuid?.() === 0) await $`chown -R daemon ${data}`;
    await set(settings);
    await ctl('start');
    check('the service of the version before is ready', await isReady());
    await Bun.write(join(folder, 'calls'), '');
  };
  // What an administrator types: nothing but the file.
  const words = ['upgrade', file, '--key', keyFile];

  await begin('');
  const done = await command(words, environment);
  console.log(done.err + done.out);
  check('one command upgrades the service', done.exitCode === 0);
  check('it runs as the new version', (await isReady()) && (await trial.version()) === '9.2.0');
  check('it was stopped and started once', (await calls()) === 'stop,start');
  check('its data is there', await trial.hasFirm());

  await begin('UPGRADE_FAILS=service\n');
  const failed = await command(words, environment);
  console.log(failed.err);
  check(
    'a service that does not come is said',
    failed.exitCode === 1 && /9\.1\.0 again/.test(failed.err),
  );
  check('it runs as the version before', (await isReady()) && (await trial.version()) === '9.1.0');
  check('its data is as before', await trial.hasFirm());

  await begin('UPGRADE_FAILS=trial\n');
  const untried = await command(words, environment);
  check('a version that fails its trial is said', /did not become ready/.test(untried.err));
  check('the service runs again', (await isReady()) && (await trial.version()) === '9.1.0');

  for (const step of ['Stopping', 'Copying', 'Trying', 'Putting', 'Starting']) {
    await begin('');
    const upgrade = Bun.spawn([executable, ...words], {
      env: { ...trial.environment, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const piece of upgrade.stderr) {
      if (!new TextDecoder().decode(piece).includes(step)) continue;
      await Bun.sleep(100);
      upgrade.kill('SIGKILL');
    }
    await upgrade.exited;
    await ctl('stop');
    await ctl('start');
    check(`killed at “${step}”, the service starts`, (await isReady()) && (await trial.hasFirm()));
  }
  await ctl('stop');
};
