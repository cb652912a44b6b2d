/** What the programs that try the executable share: they see it as its user does, alone in a folder. */
import { chmod, copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Prints whether something holds; the program ends with 1 where anything does not. */
export const check = (what: string, holds: boolean) => {
  console.log(`${holds ? 'ok  ' : 'WRONG'} ${what}`);
  if (!holds) process.exitCode = 1;
};

/** Copies the executable alone into a new folder that every user may enter. */
export const placeAlone = async (source: string, name: string) => {
  const folder = await mkdtemp(join(tmpdir(), `matterhorn-${name}-`));
  const executable = join(folder, 'matterhorn');
  await copyFile(source, executable);
  await chmod(folder, 0o755);
  await chmod(executable, 0o755);
  return { folder, executable, environment: { PATH: process.env.PATH ?? '', HOME: folder } };
};
