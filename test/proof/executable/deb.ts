/**
 * The Debian package on this machine: made of an executable, installed, started as its unit says, upgraded, removed and
 * purged; and beside an installation made by hand. `bun test/proof/executable/deb.ts EXECUTABLE`, as root on Debian or
 * Ubuntu. Prints what it saw and ends with 1 where something is wrong. It does nothing on a machine that has Matterhorn.
 */
import { existsSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { makeDeb } from '../../../.ci/deb/deb.ts';
import { check } from '../../support/executable.ts';
import { freePort } from '../../support/instances.ts';

const [executable = 'dist/matterhorn'] = process.argv.slice(2);
const unit = '/usr/lib/systemd/system/matterhorn.service';
const ownUnit = '/etc/systemd/system/matterhorn.service';
const data = '/var/lib/matterhorn';
const settings = '/etc/matterhorn.env';
const byHand = '/usr/local/bin/matterhorn';

const hasUser = async () => (await $`getent passwd matterhorn`.nothrow().quiet()).exitCode === 0;
const places = ['/usr/bin/matterhorn', byHand, unit, ownUnit, data, settings];
if (process.getuid?.() !== 0 || (await hasUser()) || places.some((place) => existsSync(place))) {
  console.error('This needs root, and a machine without Matterhorn: it installs and purges it.');
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'matterhorn-packages-'));
// apt reads packages as a user of its own.
await chmod(folder, 0o755);
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const packageOf = async (version: string) =>
  join(folder, await makeDeb({ executable, architecture, version, folder }));

/** What dpkg says while it does something; nothing is asked. */
const dpkg = async (...words: string[]) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { stdout, stderr, exitCode } = await $`dpkg ${words}`.env(env).nothrow().quiet();
  const says = `${stdout}${stderr}`;
  if (exitCode !== 0) throw new Error(`dpkg ${words.join(' ')}: ${says}`);
  return says;
};

/** Owner and mode, as `ls` would say them. */
const standing = (path: string) => {
  const { uid, gid, mode, size, mtimeMs } = statSync(path);
  return [uid, gid, (mode & 0o7777).toString(8), size, mtimeMs].join(' ');
};
const isClosed = (path: string) => /^\d+ \d+ [67]00 /.test(standing(path));

const started: Bun.Subprocess[] = [];

/** Starts what a unit starts, as the user whom it names, and waits until it is ready. */
const start = async (unitFile: string) => {
  const text = await Bun.file(unitFile).text();
  const words = /^ExecStart=(.*)$/m.exec(text)?.[1]?.split(' ') ?? [];
  const port = await freePort();
  const server = Bun.spawn(
    ['setpriv', '--reuid=matterhorn', '--regid=matterhorn', '--clear-groups', ...words].concat(
      '--port',
      String(port),
    ),
    { cwd: '/', env: { PATH: '/usr/local/bin:/usr/bin:/bin' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  started.push(server);
  const isReady = async () =>
    (await $`matterhorn ready --port ${port}`.nothrow().quiet()).exitCode === 0;
  for (let left = 300; left > 0 && !(await isReady()); left -= 1) await Bun.sleep(100);
  return {
    isReady,
    firms: async () => {
      const asked = ['firm', 'list', '--json', '--data', data];
      return $`setpriv --reuid=matterhorn --regid=matterhorn --clear-groups matterhorn ${asked}`
        .quiet()
        .text();
    },
    make: async () => {
      const asked = ['firm', 'apply', '-', '--data', data];
      const blueprint = new Response(
        JSON.stringify({
          name: 'Harrow',
          members: [{ email: 'ada@harrow.example', name: 'Ada', role: 'Owner' }],
        }),
      );
      await $`setpriv --reuid=matterhorn --regid=matterhorn --clear-groups matterhorn ${asked} < ${blueprint}`.quiet();
    },
    stop: async () => {
      server.kill('SIGTERM');
      return server.exited;
    },
  };
};

const clean = async () => {
  for (const server of started) server.kill('SIGTERM');
  await Promise.all(started.map((server) => server.exited));
  await $`dpkg --purge --force-all matterhorn`.nothrow().quiet();
  await $`systemctl disable matterhorn`.nothrow().quiet();
  for (const place of [data, settings, byHand, ownUnit])
    await rm(place, { recursive: true, force: true });
  await $`userdel matterhorn`.nothrow().quiet();
};

try {
  const first = await packageOf('0.3.0-dev+1');
  const second = await packageOf('0.3.0-dev+2');
  const facts = await $`dpkg-deb --info ${first}`.text();
  check(
    'the package is known to Debian by a version before the release',
    /Version: 0\.3\.0~dev\+1/.test(facts),
  );
  console.log(`the package has ${Math.round(statSync(first).size / 1e6)} MB`);

  console.log('-- installed, started, upgraded, removed, purged');
  await dpkg('--install', first);
  check('it makes its user', await hasUser());
  check('its settings and its data are closed to others', isClosed(settings) && isClosed(data));
  const verify = await $`systemd-analyze verify ${unit}`.nothrow().quiet();
  check('systemd takes its unit', verify.exitCode === 0 && verify.stderr.toString() === '');
  const exposure = await $`systemd-analyze security --offline=true --threshold=20 ${unit}`
    .nothrow()
    .quiet();
  check('its unit may do little', exposure.exitCode === 0);
  check(
    'it starts with the machine',
    existsSync('/etc/systemd/system/multi-user.target.wants/matterhorn.service'),
  );
  const server = await start(unit);
  check('it is ready', await server.isReady());
  await server.make();
  check('it stops', (await server.stop()) === 0);
  check('`ready` says when no server answers', !(await server.isReady()));

  await Bun.write(settings, `${await Bun.file(settings).text()}RATE_LIMIT=off\n`);
  await dpkg('--install', second);
  check(
    'an upgrade keeps the settings',
    (await Bun.file(settings).text()).includes('RATE_LIMIT=off'),
  );
  const upgraded = await start(unit);
  check('an upgrade keeps the firm', (await upgraded.firms()).includes('Harrow'));
  check('the upgraded one stops', (await upgraded.stop()) === 0);

  await dpkg('--remove', 'matterhorn');
  check(
    'removed, the data and the settings stay',
    existsSync(join(data, 'pgdata')) && existsSync(settings),
  );
  const says = await dpkg('--purge', 'matterhorn');
  check('purged, the data stays where nobody says otherwise', existsSync(join(data, 'pgdata')));
  check('it says so, and how to remove it', says.includes(`rm -r ${data}`) && (await hasUser()));
  check('purged, the settings and the unit are gone', !existsSync(settings) && !existsSync(unit));

  await dpkg('--install', second);
  await $`debconf-set-selections < ${new Response('matterhorn matterhorn/remove-data boolean true\n')}`;
  await dpkg('--purge', 'matterhorn');
  const left = places.filter((place) => existsSync(place));
  check('who says that the data goes, has nothing left', left.length === 0 && !(await hasUser()));

  console.log('-- beside an installation made by hand');
  await $`useradd --system --home-dir ${data} --shell /usr/sbin/nologin matterhorn`;
  await copyFile(executable, byHand);
  await chmod(byHand, 0o755);
  await copyFile(join(import.meta.dir, '../../../.ci/deb/matterhorn.service'), ownUnit);
  await Bun.write(settings, 'RATE_LIMIT=off\n');
  await chmod(settings, 0o600);
  await $`install --directory --owner=matterhorn --mode=700 ${data}`;
  const own = await start(ownUnit);
  await own.make();
  await own.stop();
  const kept = [byHand, ownUnit, settings, data, join(data, 'installation.key')];
  const before = kept.map(standing);
  const told = await dpkg('--install', first);
  check('it says that the one by hand goes on', told.includes('goes on as before'));
  const again = await start(ownUnit);
  check('the one by hand starts on its data', (await again.firms()).includes('Harrow'));
  await again.stop();
  const purged = await dpkg('--purge', 'matterhorn');
  const after = kept.map((path) => (existsSync(path) ? standing(path) : 'gone'));
  check(
    'installing and purging change nothing of it',
    before.slice(0, 3).join() === after.slice(0, 3).join(),
  );
  check(
    'its data and user stay',
    !after.includes('gone') && (await hasUser()) && !purged.includes('rm -r'),
  );
} finally {
  await clean();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
