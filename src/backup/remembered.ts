import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, log } from '../base/log.ts';

/**
 * When the newest backup of an embedded database was made, in a file of its data directory: a
 * backup may go to any folder, and only this says that there is one.
 */
const fileIn = (dataDirectory: string) => join(dataDirectory, 'newest-backup');

/** Notes that a backup was made at a moment. If that fails, the log says so; the backup is made. */
export const rememberBackup = async (dataDirectory: string, madeAt: Date): Promise<void> => {
  try {
    await writeFile(fileIn(dataDirectory), `${madeAt.toISOString()}\n`, { mode: 0o600 });
  } catch (error) {
    log('error', 'making of a backup not noted', describeError(error));
  }
};

/** When the newest backup was made; undefined if none was since versions note it (0.3.0). */
export const rememberedBackup = async (dataDirectory: string): Promise<Date | undefined> => {
  const text = await readFile(fileIn(dataDirectory), 'utf8').catch(() => '');
  const madeAt = new Date(text.trim());
  return Number.isNaN(madeAt.getTime()) ? undefined : madeAt;
};
