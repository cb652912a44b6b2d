import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isCompiled } from '../../base/compiled.ts';
import { Refusal } from '../../base/refusal.ts';
import { unzstd } from '../../base/zstd.ts';
import { unpackTar } from './archive.ts';
import { packageFolder, packageVersion, runtimeFiles, runtimeId } from './contents.ts';
import { closedFolder, shortHash } from './data-directory.ts';
import { checkPrograms } from './host.ts';
import { awkwardCharacters, type Layout } from './layout.ts';
import { syncFilesystem } from './libc.ts';

/** The Postgres programs: the folder with bin and share, and the one with the libraries. */
export type Runtime = { id: string; directory: string; libraries: string };

/** Whether writes need not wait for the disk: in clusters of tests, which are thrown away. */
export const isThrowAway = () => process.env.MATTERHORN_TEST_FSYNC === 'off';

const archive = join(import.meta.dir, 'postgres/postgres.tar.zst');

/** What fills a folder of `runtime/`, and where the programs are afterwards. */
type Source = { id: string; directory?: string; fill(folder: string): Promise<void> };

/** The Postgres programs. Puts them into the data directory if they are missing. */
export const ensureRuntime = async (layout: Layout): Promise<Runtime> => {
  const source = isCompiled ? archiveSource() : packageSource(layout);
  const folder = join(layout.runtimes, source.id);
  const isThere = existsSync(folder);
  if (!isThere) await putThere(layout, source, folder);
  const directory = source.directory ?? folder;
  const runtime = { id: source.id, directory, libraries: join(folder, 'lib') };
  if (!isThere) checkPrograms(runtime);
  return runtime;
};

const putThere = async (layout: Layout, source: Source, folder: string) => {
  mkdirSync(layout.runtimes, { recursive: true, mode: 0o755 });
  const unfinished = join(layout.runtimes, `unfinished-${process.pid}`);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    mkdirSync(unfinished, { mode: 0o755 });
    await source.fill(unfinished);
    openToAll(unfinished);
    syncAll(unfinished);
    renameSync(unfinished, folder);
    syncFolder(layout.runtimes);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
};

// In the source tree the programs run where they are, and only the names of the libraries are made.
// If the user of Postgres may not go there, everything is copied.
const packageSource = (layout: Layout): Source => {
  const folder = packageFolder(`${process.platform}-${process.arch}`);
  if (!existsSync(folder)) {
    throw new Refusal(
      'unavailable',
      'The package with the Postgres programs is not installed; run bun install (without --omit=optional).',
    );
  }
  const files = runtimeFiles(folder);
  const id = runtimeId(files, packageVersion(folder));
  const isPlain = !awkwardCharacters.test(folder);
  const mayRun = ['bin/postgres', 'lib/postgresql', 'share/postgresql'].every(
    (path) => closedFolder(layout.account, join(folder, path)) === undefined,
  );
  const copy = async (directory: string) => {
    for (const file of files) {
      const target = join(directory, file.target);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(file.source, target);
      chmodSync(target, file.mode);
    }
  };
  const link = async (directory: string) => {
    mkdirSync(join(directory, 'lib'));
    for (const { source, target } of files) {
      if (dirname(target) === 'lib') symlinkSync(source, join(directory, target));
    }
  };
  return mayRun && isPlain
    ? { id: `${id}-${shortHash(folder)}`, directory: folder, fill: link }
    : { id, fill: copy };
};

const archiveSource = (): Source => {
  if (!existsSync(archive)) {
    throw new Refusal(
      'unavailable',
      "This executable was built without the Postgres programs. Take a release's executable for Linux, or set DATABASE_URL to a PostgreSQL server.",
    );
  }
  const fill = (directory: string) => {
    return unpackTar(Bun.file(archive).stream().pipeThrough(unzstd()), directory);
  };
  return { id: readFileSync(`${archive}.id`, 'utf8'), fill };
};

// Regardless of the umask: an unprivileged user must read what root unpacked.
const openToAll = (directory: string) => {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) openToAll(join(directory, entry.name));
  }
};

/** Writes all data of the file system of a folder to its disk. */
export const syncAll = (directory: string) => {
  if (isThrowAway()) return;
  const folder = openSync(directory, 'r');
  syncFilesystem(folder);
  closeSync(folder);
};

/** Makes the names in a folder survive a power cut. */
export const syncFolder = (directory: string) => {
  if (isThrowAway()) return;
  const folder = openSync(directory, 'r');
  fsyncSync(folder);
  closeSync(folder);
};

/** Removes the programs of other versions. Call it after the current ones have started. */
export const removeOtherRuntimes = (layout: Layout, runtime: Runtime) => {
  for (const name of readdirSync(layout.runtimes)) {
    if (name === runtime.id) continue;
    try {
      rmSync(join(layout.runtimes, name), { recursive: true, force: true });
    } catch {
      // What another user left here only wastes space.
    }
  }
};
