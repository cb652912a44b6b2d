/**
 * The data as it was before an upgrade, in a folder of the data directory. While the folder is there,
 * the newer version has answered no request. So whichever executable starts decides: the version
 * before puts the data back, and loses nothing; the newer one goes on, and removes the folder before
 * it answers its first request.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import { syncAll, syncFolder } from './runtime.ts';

/** An upgrade that has begun. `files` outside of the folder are kept with the data. */
export type Upgrade = { from: string; to: string; begunAt: string; files: string[] };

/** How an upgrade ended; `why` says what went wrong. */
export type LastUpgrade = {
  from: string;
  to: string;
  at: string;
  result: 'upgraded' | 'went back';
  why?: string;
};

const folderIn = (directory: string) => join(directory, 'upgrade');
const unfinishedIn = (directory: string) => join(directory, 'upgrade.unfinished');
const noteIn = (directory: string) => join(directory, 'last-upgrade');
const said = 'upgrade.json';
const kept = (place: number) => `file-${place}`;

/** The upgrade whose newer version has answered no request yet. */
export const upgradeIn = (directory: string): Upgrade | undefined => {
  const file = join(folderIn(directory), said);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Upgrade) : undefined;
};

/** The last upgrade that ended. */
export const lastUpgradeIn = (directory: string): LastUpgrade | undefined => {
  try {
    return JSON.parse(readFileSync(noteIn(directory), 'utf8')) as LastUpgrade;
  } catch {
    return undefined;
  }
};

/** Throws `Refusal` while an upgrade is under way: what a command stores now could be put back. */
export const refuseDuringUpgrade = (directory: string) => {
  const upgrade = upgradeIn(directory);
  if (!upgrade) return;
  throw new Refusal(
    'unavailable',
    `An upgrade from ${upgrade.from} to ${upgrade.to} is under way, or was interrupted. Wait for its end; if it does not run, start the server or run \`matterhorn upgrade\`, which finish it or go back.`,
  );
};

/**
 * Keeps the data of now, which `fill` copies into the folder that it gets. Nobody may change the data
 * meanwhile. The folder gets its name only when all of it is on the disk.
 */
export const keepBeforeUpgrade = async (
  directory: string,
  upgrade: Upgrade,
  fill: (folder: string) => Promise<void>,
): Promise<void> => {
  const unfinished = unfinishedIn(directory);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  try {
    for (const [place, file] of upgrade.files.entries()) {
      if (existsSync(file)) copyFileSync(file, join(unfinished, kept(place)));
    }
    await fill(unfinished);
    writeFileSync(join(unfinished, said), JSON.stringify(upgrade), { mode: 0o600 });
    syncAll(unfinished);
    renameSync(unfinished, folderIn(directory));
    syncFolder(directory);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
};

/**
 * Goes back: `putBack` returns the data from the folder, then the other files follow. It may be killed
 * at any moment and be called again.
 */
export const goBackBeforeUpgrade = async (
  directory: string,
  why: string,
  putBack: (folder: string) => Promise<void>,
): Promise<void> => {
  const upgrade = upgradeIn(directory);
  if (!upgrade) return;
  const folder = folderIn(directory);
  await putBack(folder);
  for (const [place, file] of upgrade.files.entries()) {
    const copy = join(folder, kept(place));
    if (!existsSync(copy)) rmSync(file, { force: true });
    else {
      copyFileSync(copy, `${file}.back`);
      renameSync(`${file}.back`, file);
    }
  }
  end(directory, upgrade, 'went back', why);
  await removeUnfinished(directory);
};

/**
 * The newer version answers from now on, and nothing goes back by itself any more. What is not needed any
 * more is removed meanwhile.
 */
export const endUpgrade = (directory: string) => {
  const upgrade = upgradeIn(directory);
  if (upgrade) end(directory, upgrade, 'upgraded');
  void removeUnfinished(directory);
};

const removeUnfinished = async (directory: string) => {
  try {
    await rm(unfinishedIn(directory), { recursive: true, force: true });
  } catch (error) {
    // It only takes room, until the next upgrade.
    log('warn', 'copy of before the upgrade not removed', describeError(error));
  }
};

const end = (
  directory: string,
  { from, to }: Upgrade,
  result: LastUpgrade['result'],
  why?: string,
) => {
  const at = new Date().toISOString();
  const last: LastUpgrade = { from, to, at, result, ...(why && { why }) };
  const unfinished = unfinishedIn(directory);
  writeFileSync(`${noteIn(directory)}.new`, JSON.stringify(last), { mode: 0o600 });
  renameSync(`${noteIn(directory)}.new`, noteIn(directory));
  rmSync(unfinished, { recursive: true, force: true });
  renameSync(folderIn(directory), unfinished);
  syncFolder(directory);
  log('info', result === 'upgraded' ? 'upgraded' : 'upgrade went back', { from, to, why });
};
