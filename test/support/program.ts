/** How tests start the program as a process of its own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../src/version.ts';

const repository = join(import.meta.dir, '../..');
const source = join(repository, 'src/main.ts');

/** Begins to build the executable, as `bun run build` does but without a Postgres. */
export const buildProgram = (path: string) => {
  const [app, unfinished] = [`${path}-files/app`, `${path}-files/matterhorn`];
  const options = '--compile --bytecode --format=esm --env=MATTERHORN_BUILD_* --asset drizzle';
  const quiet = '--no-compile-autoload-dotenv --no-compile-autoload-bunfig';
  const line = `bun src/app/bundle.ts '${app}' &&
    NODE_ENV=production bun build ${options} --asset '${app}' ${quiet} src/main.ts --outfile '${unfinished}' &&
    mv '${unfinished}' '${path}'`;
  return Bun.spawn(['sh', '-c', line], {
    cwd: repository,
    env: { ...process.env, MATTERHORN_BUILD_COMMIT: build.commit },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
};

/**
 * The command that starts it on a database that is there. A whole run builds an executable of it,
 * which starts in a fraction of the time; until it is built, and in a run of a part, it is the
 * source.
 */
export const programWords = (databaseUrl: string): string[] => {
  const built = process.env.TEST_PROGRAM;
  // That executable carries no Postgres of its own.
  return built && databaseUrl && existsSync(built) ? [built] : ['bun', source];
};

/** The source, in which something else is loaded before it. */
export const sourceWords = (preload: string[]): string[] => ['bun', ...preload, source];
