/**
 * Makes the executable, which then knows what it was built from: `bun run compile OPTIONS`, with the
 * options of `bun build`. MATTERHORN_BUILD_COMMIT says the commit where there is no git (Dockerfile),
 * MATTERHORN_BUILD_KEY whose releases `matterhorn upgrade` trusts (.ci/release.ts).
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from './version.ts';

const usual = [
  ...['--compile', '--bytecode', '--splitting', '--format=esm', '--sourcemap'],
  // Never --minify: it switches off a part of Elysia's validation.
  ...['--minify-syntax', '--minify-whitespace', '--env=MATTERHORN_BUILD_*'],
  ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
  ...['--asset', 'drizzle', '--asset', 'dist/app'],
];

const compile = async (options: string[]): Promise<number> => {
  const { exitCode } = Bun.spawnSync(
    [process.execPath, 'build', ...usual, 'src/main.ts', ...options],
    {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        MATTERHORN_BUILD_COMMIT: build.commit,
        // Said also where it is empty: otherwise the one who starts the executable could say it.
        MATTERHORN_BUILD_KEY: process.env.MATTERHORN_BUILD_KEY ?? '',
        MATTERHORN_BUILD_DAY: new Date().toISOString().slice(0, 10),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  // The executable contains its source maps. The compiler leaves them beside it too.
  const folder = dirname(options[options.indexOf('--outfile') + 1] ?? '');
  for (const name of new Bun.Glob('*.map').scanSync(folder)) await rm(join(folder, name));
  return exitCode;
};

if (import.meta.main) process.exit(await compile(process.argv.slice(2)));
