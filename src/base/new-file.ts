import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { invalid } from './refusal.ts';

/** Appends to the file and waits until the operating system has the data. */
type WriteOn = (chunk: string | Uint8Array) => Promise<void>;

/**
 * Makes a new file from what `fill` writes; only its owner may read it. The file gets its name only
 * when all of it is on the disk. A failure leaves nothing behind. Returns the size in bytes. Throws
 * `Refusal` if the file exists or its folder does not, the operating system's error with the file's
 * path if it cannot be written, and what `fill` throws. If `signal` is aborted, throws its reason.
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

/** Makes the file's name survive a power cut, if its file system can. */
const syncName = async (file: string) => {
  const folder = await open(dirname(resolve(file)), 'r');
  await folder.sync().catch(() => {});
  await folder.close();
};

/** Adds what the error code does not say. The doors have words for other failures. */
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
