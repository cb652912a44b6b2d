/** The roles of the cluster, and the file with their passwords. */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from '../../base/refusal.ts';
import { isRoot } from './data-directory.ts';
import type { Layout } from './layout.ts';
import type { Account } from './libc.ts';
import { syncFolder } from './runtime.ts';

/**
 * The roles of the cluster. `superuser` makes the cluster and its other roles, and nothing else.
 * `owner` owns the tables, migrates, backs up and restores. `requests` serves requests and jobs,
 * and owns nothing. The superuser comes last: releases up to 0.2.0 read the last line of the file.
 */
export const roles = {
  requests: 'matterhorn_requests',
  owner: 'matterhorn_owner',
  superuser: 'matterhorn',
};

export type Passwords = Partial<Record<keyof typeof roles, string>>;

/** The stored passwords. Throws `Refusal` if there are none. */
export const readPasswords = (layout: Layout): Passwords => {
  if (!existsSync(layout.passwordFile)) {
    throw new Refusal(
      'unavailable',
      `${layout.passwordFile}, which holds the passwords of the database, is missing. Restart the server: it makes new ones.`,
    );
  }
  const lines = readFileSync(layout.passwordFile, 'utf8').trim().split('\n');
  const fields = lines.map((line) => line.split(':'));
  const found = Object.entries(roles).map(([name, role]) => [
    name,
    fields.find((one) => one.at(-2) === role)?.at(-1),
  ]);
  return Object.fromEntries(found) as Passwords;
};

/** Stores the passwords, in the form that psql reads too (PGPASSFILE). */
export const keepPasswords = (layout: Layout, passwords: Passwords) => {
  const lines = Object.entries(roles).flatMap(([name, role]) => {
    const password = passwords[name as keyof typeof roles];
    return password === undefined ? [] : [`*:*:*:${role}:${password}\n`];
  });
  const unfinished = `${layout.passwordFile}.new`;
  rmSync(unfinished, { force: true });
  writeNew(unfinished, lines.join(''));
  renameSync(unfinished, layout.passwordFile);
  syncFolder(dirname(layout.passwordFile));
};

export const freshPassword = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('hex');

/** Writes a new file that only one user may read. */
export const writeNew = (path: string, text: string, account?: Account) => {
  const file = openSync(path, 'wx', 0o600);
  writeSync(file, text);
  fchmodSync(file, 0o600);
  if (account !== undefined && isRoot()) fchownSync(file, account.uid, account.gid);
  fsyncSync(file);
  closeSync(file);
};
