/** The programs of Debian's Postgres, which are not on the PATH. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of the newest version's programs that has this one; undefined if there is none. */
export const debianFolderOf = async (program: string): Promise<string | undefined> => {
  const place = '/usr/lib/postgresql';
  const versions = (await readdir(place).catch(() => [])).sort((a, b) => Number(b) - Number(a));
  for (const version of versions) {
    const folder = join(place, version, 'bin');
    if (await Bun.file(join(folder, program)).exists()) return folder;
  }
  return undefined;
};
