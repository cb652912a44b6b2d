import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import {
  fingerprintOf,
  type InstallationKey,
  makeInstallationKey,
  readInstallationKey,
} from '../base/installation-key.ts';
import { log } from '../base/log.ts';
import { readSettings } from '../config.ts';
import { missing, newestSignature, setKey } from '../doctor/signing.ts';
import type { Address } from '../postgres/connection.ts';
import { directoryOf } from '../postgres/embedded/embedded.ts';
import { openSession } from '../postgres/session.ts';
import { statement } from '../postgres/statement.ts';
import type { CommonOptions, Terminal } from './terminal.ts';

/**
 * The file of this installation's key: the one that INSTALLATION_KEY names, else one beside the
 * embedded database. None with DATABASE_URL alone, since several instances must have the same key.
 */
export const keyFileFor = ({ environment }: Terminal, { data }: CommonOptions) => {
  const { installationKey, database } = readSettings(environment);
  return installationKey ?? (database ? undefined : join(directoryOf(data), 'installation.key'));
};

/** The key of this installation; undefined if it has none. Throws as `readInstallationKey` does. */
export const keyFor = (terminal: Terminal, options: CommonOptions) => {
  const file = keyFileFor(terminal, options);
  return file === undefined ? undefined : readInstallationKey(file);
};

/** A key to sign with; or why there is none, and what to do. */
type KeyOrWhy = { key: InstallationKey; why?: never } | { key?: never; why: string };

/**
 * The key to sign with: the one in the file. It is made if nothing in this database was ever
 * signed. A missing key is not replaced, and nothing is signed. Throws as `readInstallationKey`
 * does.
 */
export const keyToSignWith = async (
  file: string | undefined,
  address: Address,
): Promise<KeyOrWhy> => {
  if (file === undefined) return { why: setKey };
  const key = readInstallationKey(file);
  if (key) return { key };
  const session = await openSession(address);
  try {
    const canBeSigned = (await session.first(signatureTable))?.isThere;
    const signed = canBeSigned ? await session.first(newestSignature) : undefined;
    return signed ? { why: missing(file, signed.publicKey) } : { key: makeKey(file) };
  } finally {
    await session.close();
  }
};

/** Makes a key, and says so in the log. */
export const makeKey = (file: string) => {
  const key = makeInstallationKey(file);
  log('info', 'installation key made', { file, fingerprint: fingerprintOf(key.publicKey) });
  return key;
};

// A backup may be made of a database of an older version.
const signatureTable = statement(
  () => sql<{ isThere: boolean }>`
    select to_regclass('public.audit_signature') is not null as "isThere"`,
);
