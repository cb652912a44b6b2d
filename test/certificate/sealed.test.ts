/** The private keys of a certificate that the server takes itself, where the installation's key is another. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Acme, tlsFrom } from '../../src/base/certificate-settings.ts';
import { type InstallationKey, makeInstallationKey } from '../../src/base/installation-key.ts';
import { sealsOf } from '../../src/base/seal.ts';
import {
  accountKey,
  beginTry,
  keepCertified,
  readCertificate,
} from '../../src/certificate/stored.ts';

import { atEnd } from '../support/at-end.ts';
import { makeCertificate } from '../support/certificate.ts';
import { onDatabase, ownDatabase } from '../support/database.ts';
import { run } from '../support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'matterhorn-certificates-'));
atEnd(() => rmSync(folder, { recursive: true }));

const environment = {
  TLS_ACME: 'practice.example',
  TLS_ACME_TERMS: 'accepted',
  TLS_ACME_DIRECTORY: 'https://directory.example/dir',
};
const acme = tlsFrom(environment) as Acme;

/** A database with a certificate that was taken under this key, and what is asked of it. */
const taken = async (under: InstallationKey) => {
  const databaseUrl = await ownDatabase();
  const pair = makeCertificate(['practice.example']);
  await onDatabase(databaseUrl, async (database) => {
    await accountKey(database, acme.directory, sealsOf(under), async () => 'the first account');
    await beginTry(database, acme, false);
    await keepCertified(database, acme, pair, sealsOf(under));
  });
  const command = async (words: string[], key: InstallationKey, more = {}) => {
    const settings = { ...environment, INSTALLATION_KEY: key.file, ...more };
    return (await run(databaseUrl, words, '', settings)).out;
  };
  return {
    pair,
    command,
    doctor: (key: InstallationKey, more = {}) => command(['doctor'], key, more),
    shown: (key: InstallationKey) =>
      onDatabase(databaseUrl, (database) => readCertificate(database, acme, sealsOf(key))),
    account: (key: InstallationKey) =>
      onDatabase(databaseUrl, (database) =>
        accountKey(database, acme.directory, sealsOf(key), async () => 'another account'),
      ),
  };
};

const newKey = (name: string) => makeInstallationKey(join(folder, name));
const certificateIsForeign =
  'problem  The private key of the certificate for practice.example is sealed with a key that is not here: the server cannot show this certificate.';
const accountIsForeign =
  'warning  The private key of the account at https://directory.example/dir is sealed with a key that is not here.';

test('Where the installation’s key is another, the doctor says it, and the old key brings the certificate back', async () => {
  const [before, now] = [newKey('before'), newKey('now')];
  const it = await taken(before);
  expect(await it.doctor(before)).not.toContain('private key');

  const found = await it.doctor(now);
  expect(found).toContain(certificateIsForeign);
  expect(found).toContain(accountIsForeign);
  expect(found).toContain('If that key is lost, start the server: it takes a new certificate.');
  expect(await it.shown(now)).toBeUndefined();
  // Of a certificate for other names nothing is shown, so nothing is said.
  expect(await it.doctor(now, { TLS_ACME: 'other.example' })).not.toContain(certificateIsForeign);

  const sealed = await it.command(['audit', 'key', '--old', before.file], now);
  expect(sealed).toContain('Private keys of certificates sealed anew: 2.');
  expect(await it.doctor(now)).not.toContain('private key');
  expect(await it.shown(now)).toEqual(it.pair);
  expect(await it.account(now)).toBe('the first account');
  expect(await it.shown(before)).toBeUndefined();
});
