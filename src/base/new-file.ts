import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { invalid } from './refusal.ts';

/** Appends to the file, and waits until the operating system has it. */
export type WriteOn = (chunk: string | Uint8Array) => Promise<void>;

/**
 * Makes a new file of what `fill` writes, for its owner alone. Nothing stands under the file's name
 * before all of it is on the disk, and nothing is left where it fails. Gives the file's size in
 * bytes. Throws `Refusal` where the file is there already or has no folder, the operating system's
 * error with the file's path where it cannot be written, and whatever `fill` throws; once `signal`
 * says stop, its reason instead.
 */
export const writeNewFile = async (
  file: string,
  fill: (writeOn: WriteOn) => Promise<void>,
  signal?: AbortSignal,
): Promise<number> => {
  if (await isThere(file)) {
    throw invalid(`The file ${file} is there already. Name another one, or remove it.`);
  }
  const unfinished = `${file}.unfinished`;
  const target = await open(unfinished, 'wx', 0o600).catch((error) => {
    throw failureAt(unfinished, error);
  });
  let bytes = 0;
  try {
    await fill(async (chunk) => {
      await target.writeFile(chunk);
      bytes += Buffer.byteLength(chunk);
    });
    await target.sync();
    await target.close();
    await rename(unfinished, file);
    await syncName(file);
    return bytes;
  } catch (error) {
    await target.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw signal?.aborted ? signal.reason : failureAt(unfinished, error);
  }
};

const isThere = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Makes the file's name last through a power cut, where its file system can. */
const syncName = async (file: string) => {
  const folder = await open(dirname(resolve(file)), 'r');
  await folder.sync().catch(() => {});
  await folder.close();
};

/** Says what the code of the failure does not; the doors have words for the others. */
const failureAt = (file: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return invalid(
      `The file ${file} is there already: another command writes it, or one was killed. If none runs, remove it and try again.`,
    );
  }
  if (code === 'ENOENT') return invalid(`There is no folder ${dirname(file)}. Make it first.`);
  return code === undefined ? error : Object.assign(error as Error, { path: file });
};
