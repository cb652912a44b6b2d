/** A server of a test's own on the shared database that has an installation key. */
import { afterAll } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInstallationKey } from '../../src/base/installation-key.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { sharedDatabase } from './database.ts';
import { environmentOf } from './roles.ts';

/** The server, its key, and a folder for the test's files. All of it ends with the test's file. */
export const startSigningServer = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matterhorn-signing-'));
  const keyFile = join(folder, 'installation.key');
  const key = makeInstallationKey(keyFile);
  const databaseUrl = await sharedDatabase();
  const settings = readSettings({
    DRAIN_SECONDS: '0',
    DATABASE_CONNECTIONS: '5',
    ...environmentOf(databaseUrl),
  });
  const where = { host: '127.0.0.1', port: 0 };
  const started = startServer(settings.database ?? '', settings, where, { key, keyFile });
  afterAll(async () => {
    await started.stop();
    rmSync(folder, { recursive: true });
  });
  return { url: started.url, databaseUrl, key, keyFile, folder };
};
