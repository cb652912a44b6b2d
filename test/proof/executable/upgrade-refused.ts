/** What `matterhorn upgrade` refuses, each in one sentence, with nothing changed. */
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, rm, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { $ } from 'bun';
import { check } from '../../support/executable.ts';
import type { UpgradeTrial } from '../../support/upgrade-trial.ts';

export const tryRefusals = async (trial: UpgradeTrial) => {
  const { folder, executable, data, release, file, keyFile, older, newer } = trial;
  const { command, publish, install, upgradeWords } = trial;

  const refuses = async (
    what: string,
    said: RegExp,
    words = upgradeWords,
    environment: Record<string, string> = {},
  ) => {
    const { exitCode, out, err } = await command(words, environment);
    console.log(`     ${err.trimEnd()}`);
    const isOne = err.trimEnd().split('\n').length === 1;
    check(`${what} is refused`, exitCode === 1 && out === '' && isOne && said.test(err));
    const beside = readdirSync(dirname(executable)).join();
    check(
      '  and nothing was changed',
      beside === 'matterhorn' && !readdirSync(data).includes('upgrade'),
    );
  };

  await install();
  const server = await trial.serve();
  const withoutKey = ['upgrade', file, '--data', data];
  await refuses('no key that is known', /built without the key/, withoutKey);
  const other = join(folder, 'other.pub');
  const strange = generateKeyPairSync('ed25519').publicKey;
  await Bun.write(other, strange.export({ type: 'spki', format: 'pem' }));
  await refuses('a wrong key', /not of the key/, [...withoutKey, '--key', other]);
  await refuses('a file that is no key', /holds no public key/, [...withoutKey, '--key', file]);
  await refuses('a key that is not there', /does not exist/, [...withoutKey, '--key', `${other}x`]);

  await rm(join(release, 'SHA256SUMS.sig'));
  await refuses('no signature', /no SHA256SUMS\.sig beside/);
  await Bun.write(join(release, 'SHA256SUMS.sig'), 'not a signature');
  await refuses('a wrong signature', /signature of SHA256SUMS is not/);
  await publish([newer]);
  await Bun.write(
    join(release, 'SHA256SUMS'),
    `${await Bun.file(join(release, 'SHA256SUMS')).text()}\n`,
  );
  await refuses('checksums that were changed', /signature of SHA256SUMS is not/);
  await publish([newer]);
  await truncate(file, 1_000_000);
  await refuses('a file that is cut', /not whole, or was changed/);
  await publish([older]);
  await refuses('a file that is not there', /does not exist/);
  await $`cp ${newer} ${file}`;
  await refuses('a file that is not of the release', /none of the files in SHA256SUMS/);
  const note = join(folder, 'matterhorn-note');
  await Bun.write(note, 'no program');
  await publish([note]);
  const noted = [...upgradeWords];
  noted[1] = join(release, 'matterhorn-note');
  await refuses('a file that is no program', /no Matterhorn that runs/, noted);

  await publish([newer]);
  await refuses('a folder without data', /There is no data in/, [
    ...upgradeWords.slice(0, -1),
    `${data}-none`,
  ]);
  await refuses('a container', /new image|image of the new/, upgradeWords, { container: 'docker' });
  const debian = join(folder, 'debian');
  await mkdir(debian);
  await Bun.write(join(debian, 'dpkg-query'), '#!/bin/sh\nexit 0\n');
  await chmod(join(debian, 'dpkg-query'), 0o755);
  const packaged = { PATH: `${debian}:${process.env.PATH}` };
  await refuses('an executable of the package', /as root: apt install/, upgradeWords, packaged);
  const withoutData = upgradeWords.slice(0, 4);
  const elsewhere = { DATABASE_URL: 'postgres://ada@127.0.0.1:1/harrow' };
  await refuses('a database that does not answer', /No database answers/, withoutData, elsewhere);
  check('the server went on all the while', await server.isReady());
  await server.stop();
  await refuses('nothing to do', /No upgrade was interrupted/, ['upgrade', '--data', data]);

  await fullDisks(trial, refuses);

  await install(newer);
  await publish([newer, older]);
  const withBuiltIn = ['upgrade', file, '--data', data];
  await refuses('the same version, by the built-in key', /version 9\.2\.0 already/, withBuiltIn);
  withBuiltIn[1] = join(release, older.split('/').at(-1) ?? '');
  await refuses('an older version', /older than this one.*restore/, withBuiltIn);
  await publish([newer]);
  check('the key is the one that signed', keyFile.endsWith('release.pub'));
};

type Refuses = (what: string, said: RegExp) => Promise<void>;

/** On disks of their own, which only root can make. */
const fullDisks = async ({ data, executable, install, older }: UpgradeTrial, refuses: Refuses) => {
  for (const [what, place, size, said] of [
    ['a disk without room for the copy', data, '150m', /needs .* Free some space/],
    ['a disk without room for the executable', dirname(executable), '200m', /disk is full/],
  ] as const) {
    await install();
    await $`cp -a ${place} ${place}-there`.quiet();
    if ((await $`mount -t tmpfs -o size=${size} none ${place}`.nothrow().quiet()).exitCode !== 0) {
      console.log(`     ${what} was not tried: no disk can be made here`);
      continue;
    }
    try {
      await $`cp -a ${place}-there/. ${place} && chmod 755 ${place}`.quiet();
      await refuses(what, said);
    } finally {
      await $`umount ${place}`.quiet();
      await rm(`${place}-there`, { recursive: true });
    }
  }
  await install(older);
};
