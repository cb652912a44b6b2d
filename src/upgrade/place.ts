/** The executable where it is installed: the new one put beside it, and the two exchanged. */
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isCompiled } from '../base/compiled.ts';
import { Refusal } from '../base/refusal.ts';

export type Place = {
  executable: string;
  /** The new one, until it takes the place. */
  next: string;
  /** The one before, which stays. */
  before: string;
};

/** Where this program is installed. Throws `Refusal` with the right commands if something else upgrades it. */
export const placeHere = (): Place => {
  if (!isCompiled) {
    throw new Refusal(
      'conflict',
      'This runs from its source code. Take the newer source code there, and start it again.',
    );
  }
  if (isInContainer()) {
    throw new Refusal(
      'conflict',
      'This runs in a container. Stop it, pull or build the image of the new version, and run that on the same volume.',
    );
  }
  const executable = realpathSync(process.execPath);
  if (isOfPackage(executable)) {
    throw new Refusal(
      'conflict',
      `${executable} is of the Debian package. Upgrade with the new package, as root: apt install ./matterhorn_VERSION_${process.arch === 'arm64' ? 'arm64' : 'amd64'}.deb`,
    );
  }
  const { uid } = statSync(executable);
  try {
    accessSync(dirname(executable), constants.W_OK);
  } catch {
    throw new Refusal(
      'forbidden',
      `This user may not replace ${executable}. Run the command as ${uid === 0 ? 'root' : 'its owner'}.`,
    );
  }
  return { executable, next: `${executable}.new`, before: `${executable}.before` };
};

/** Podman and our image say so (Dockerfile); in an image of somebody else, the server is its first process. */
const isInContainer = () => {
  if (process.env.container) return true;
  try {
    return readFileSync('/proc/1/comm', 'utf8').trim() === 'matterhorn';
  } catch {
    return false; // This is not Linux.
  }
};

const isOfPackage = (executable: string) => {
  try {
    return Bun.spawnSync(['dpkg-query', '--search', executable], {
      stdio: ['ignore', 'ignore', 'ignore'],
    }).success;
  } catch {
    return false; // There is no dpkg here.
  }
};

/** Copies a file beside the executable, with its owner and rights. Nothing stays if that fails. */
export const putBeside = ({ executable, next }: Place, file: string) => {
  if (realpathSync(file) === executable) {
    throw new Refusal('conflict', `${file} is the installed executable. Name the new one.`);
  }
  rmSync(next, { force: true });
  try {
    copyFileSync(file, next, constants.COPYFILE_FICLONE);
    const { uid, gid, mode } = statSync(executable);
    if (process.geteuid?.() === 0) chownSync(next, uid, gid);
    chmodSync(next, mode & 0o755);
    sync(next);
  } catch (error) {
    rmSync(next, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    // Of the two paths the error names the one that is read.
    throw code === 'ENOSPC' || code === 'EDQUOT'
      ? Object.assign(error as Error, { path: next })
      : error;
  }
};

/** Removes the new one where it was refused. */
export const removeBeside = ({ next }: Place) => rmSync(next, { force: true });

/** Gives the new one the executable's name, at once; the one before stays beside it. */
export const exchange = ({ executable, next, before }: Place) => {
  rmSync(before, { force: true });
  linkSync(executable, before);
  renameSync(next, executable);
  sync(dirname(executable));
};

/** Gives the one before its name again. */
export const exchangeBack = ({ executable, before }: Place) => {
  renameSync(before, executable);
  sync(dirname(executable));
};

const sync = (path: string) => {
  const opened = openSync(path, 'r');
  fsyncSync(opened);
  closeSync(opened);
};
