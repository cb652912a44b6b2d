/**
 * What docs/administrators.md says to type, typed as it stands, on machines with nothing but a Debian: install, put on
 * the internet, make a firm, upgrade, move, uninstall; with the package, by hand, and in a folder of one's own. There is
 * no `sudo` on them. `bun test/proof/executable/guide.ts [ROOT]`, after `bun run build`, as root; ROOT is a folder with
 * the files of a Linux with systemd, otherwise those of this machine. Prints what it saw, and ends with 1 where
 * something is wrong.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '../../support/executable.ts';
import { checkCompose, downloadCaddy, useCaddy, useOwnPostgres } from './guide-elsewhere.ts';
import { useEveryDay } from './guide-every-day.ts';
import { linesUnder } from './guide-lines.ts';
import { useOwnFolder } from './guide-own-folder.ts';
import { type Machine, startMachine } from './machine.ts';
import { issueIn } from './machine-directory.ts';
import { makeRelease } from './machine-release.ts';

const [from = '/'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'matterhorn-guide-'));
await chmod(folder, 0o755);
const machines: Machine[] = [];
const directories: Awaited<ReturnType<typeof issueIn>>[] = [];

const newMachine = async () => {
  const machine = await startMachine(from, join(folder, 'release'));
  machines.push(machine);
  return machine;
};

/** Types what stands under a heading, and checks that nothing fails. */
const follow = async (machine: Machine, heading: string, lines: string) => {
  const began = performance.now();
  const { exitCode, said } = await machine.type(lines);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  check(`${heading}: ${lines.split('\n').length} lines, ${seconds} s`, exitCode === 0);
  if (exitCode !== 0) {
    console.log(said);
    console.log((await machine.type('journalctl --no-pager -n 20 -u matterhorn')).said);
  }
  return said;
};

const ask = async (machine: Machine, lines: string) => (await machine.type(lines)).said.trim();
const [mh = ''] = linesUnder('Commands');

/** The firm that the guide's example makes. Its editor changes nothing. */
const makeFirm = (machine: Machine) => {
  const [lines = ''] = linesUnder('By a document');
  return follow(machine, 'By a document', `nano() { :; }\n${mh}\ncd /root\n${lines}`);
};
const hasFirm = async (machine: Machine) =>
  (await ask(machine, `${mh}\nmh firm list`)).includes('Harrow');
const versionOf = (machine: Machine) => ask(machine, 'matterhorn version | head -n 1');
/** Waits until the server answers; it may have been started a moment ago. */
const isReady = (machine: Machine) =>
  ask(machine, 'for i in $(seq 150); do matterhorn ready 2>&1 && break; sleep 0.2; done').then(
    (said) => said.endsWith('The server is ready.'),
  );
const isHeld = (machine: Machine, test: string) =>
  machine.type(test, { folder: '/' }).then(({ exitCode }) => exitCode === 0);
const nothingLeft = `! getent passwd matterhorn && ! command -v matterhorn && ! systemctl cat matterhorn && ! ls -d /var/lib/matterhorn /etc/matterhorn.env`;

try {
  const began = performance.now();
  const { older, newer } = await makeRelease(folder);
  console.log(`built in ${Math.round((performance.now() - began) / 1000)} s`);
  const [sums = '', signature = ''] = linesUnder('Download');

  // Its package fits this machine's.
  const hasCaddy = from === '/' && (await downloadCaddy(join(folder, 'release/caddy')));
  await checkCompose();

  console.log('-- the package, to a firm on the internet');
  const packaged = await newMachine();
  const directory = await issueIn(packaged);
  directories.push(directory);
  const start = performance.now();
  await follow(packaged, 'Download', sums);
  if (await isHeld(packaged, 'command -v openssl'))
    check('it is signed', (await follow(packaged, 'Download', signature)).includes('Successfully'));
  const [apt = ''] = linesUnder('On Debian or Ubuntu');
  const installed = await follow(packaged, 'On Debian or Ubuntu', apt);
  check('it says where the firm is made', installed.includes('http://127.0.0.1:3000/setup?token='));
  // Not a line of the guide: Let's Encrypt cannot reach this machine, and is pebble here.
  await packaged.type(directory.settings);
  const [five = ''] = linesUnder('Your server on the internet in five minutes');
  const public_ = await follow(packaged, 'Your server on the internet in five minutes', five);
  const [address = ''] =
    /https:\/\/matterhorn\.harrow\.example\/setup\?token=\S+/.exec(public_) ?? [];
  check('it says the address on the internet', address !== '');
  const page = await directory.visit(address);
  check('a browser that trusts the directory can make the firm', page.includes('<form'));
  console.log(
    `from the download to that page: ${Math.round((performance.now() - start) / 1000)} s`,
  );
  await makeFirm(packaged);
  const [newPackage = '', byCommand = '', inOwnFolder = ''] = linesUnder('Upgrade');
  await follow(packaged, 'Upgrade', newPackage);
  check('the package is the newer one', (await versionOf(packaged)) === newer);
  check('it keeps the firm', await hasFirm(packaged));
  const [purge = '', removal = '', removeData = ''] = linesUnder('Uninstall');
  await follow(packaged, 'Uninstall', purge);
  check(
    'uninstalled, only the data stays',
    await isHeld(packaged, 'ls -d /var/lib/matterhorn/pgdata && ! command -v matterhorn'),
  );
  await follow(packaged, 'Uninstall', removeData);
  check('then nothing is left', await isHeld(packaged, nothingLeft));
  await packaged.stop();

  console.log('-- by hand, and to another machine');
  const [byHand = ''] = linesUnder('By hand');
  const old = await newMachine();
  const said = await follow(old, 'By hand', byHand);
  check('it says where the firm is made', said.includes('http://127.0.0.1:3000/setup?token='));
  check(
    'settings are closed to others',
    await isHeld(old, 'stat -c %a /etc/matterhorn.env | grep -x 600'),
  );
  await makeFirm(old);
  await useEveryDay(old, follow);
  if (hasCaddy) {
    const issuer = await issueIn(old);
    directories.push(issuer);
    await useCaddy(old, follow, issuer);
  } else console.log('     Caddy was not tried: its package cannot be downloaded here');
  const fingerprint = await ask(old, `${mh}\nmh audit key`);

  const [last = '', restore = ''] = linesUnder('Move to another machine');
  const moved = await newMachine();
  const carry = async () => {
    for (const name of ['last.backup', 'installation.key'])
      await Bun.write(
        await moved.file(`/root/${name}`),
        await old.file(`/var/lib/matterhorn/${name}`),
      );
  };
  await follow(moved, 'By hand', byHand);
  await follow(old, 'Move to another machine', last);
  await carry();
  await follow(moved, 'Move to another machine', `cd /root\n${restore}`);
  check('the firm is there, and served', (await isReady(moved)) && (await hasFirm(moved)));
  check('it is the same installation', (await ask(moved, `${mh}\nmh audit key`)) === fingerprint);
  check('its log is whole', await isHeld(moved, `${mh}\nmh audit verify`));

  await follow(moved, 'Upgrade', byCommand);
  check(
    'the service is the newer one',
    (await isReady(moved)) && (await versionOf(moved)) === newer,
  );
  check('it keeps the firm', await hasFirm(moved));
  await follow(moved, 'Uninstall', removal);
  check(
    'uninstalled, only the data stays',
    await isHeld(moved, 'ls -d /var/lib/matterhorn/pgdata && ! command -v matterhorn'),
  );
  await follow(moved, 'Uninstall', removeData);
  check('then nothing is left', await isHeld(moved, nothingLeft));

  console.log('-- with a Postgres of one’s own');
  const outside = await newMachine();
  await follow(outside, 'By hand', byHand);
  await makeFirm(outside);
  await useOwnPostgres(outside, follow, { mh, newer, upgrade: byCommand });
  await outside.stop();

  console.log('-- to another machine, encrypted');
  await follow(moved, 'By hand', byHand);
  check('it is the older one again', (await versionOf(moved)) === older);
  const pair = await ask(old, 'matterhorn backup key');
  const [recipient = ''] = /age1\w+/.exec(pair) ?? [];
  await old.type('rm /var/lib/matterhorn/last.backup');
  await follow(
    old,
    'Move, encrypted',
    last.replace(/ --data /, ` --recipient ${recipient} --data `),
  );
  await carry();
  await Bun.write(await moved.file('/root/key.txt'), /AGE-SECRET-KEY-1\w+/.exec(pair)?.[0] ?? '');
  const decrypting = restore.replace(/^(matterhorn restore .*)$/m, '$1 --identity - < key.txt');
  await follow(moved, 'Move, encrypted', `cd /root\n${decrypting}`);
  check('the firm is there, and served', (await isReady(moved)) && (await hasFirm(moved)));
  await moved.type(`cd /\n${removal}\n${removeData}`);

  console.log('-- in a folder of one’s own, without root');
  await moved.type(
    'useradd --create-home --shell /bin/bash ada && cp -r /release/. /home/ada && chown -R ada /home/ada',
  );
  await useOwnFolder(moved, { newer, inOwnFolder });
} finally {
  for (const directory of directories) await directory.stop();
  for (const machine of machines) await machine.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
