/** The executable that is measured, built again if a source is newer. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

const repository = join(import.meta.dir, '../../..');
const built = join(repository, 'dist/matterhorn');

/** The path of an executable of the present sources; builds it if there is none. */
export const freshExecutable = async (): Promise<string> => {
  const sources = [...new Bun.Glob('{src,drizzle}/**/*').scanSync(repository), 'bun.lock'];
  const times = await Promise.all(sources.map((path) => changedAt(join(repository, path))));
  if ((await changedAt(built)) >= Math.max(...times)) return built;
  console.error('Building the executable …');
  const build = Bun.spawn([process.execPath, 'run', 'build'], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await build.exited) !== 0) throw new Error('The executable could not be built.');
  return built;
};

const changedAt = (path: string) =>
  stat(path).then(
    (found) => found.mtimeMs,
    () => 0,
  );
