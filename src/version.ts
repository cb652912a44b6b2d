import { existsSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };

/**
 * What this program was built from. `compile.ts` puts these into an executable; a program
 * that runs from its source asks git, and has no day and no key.
 */
const given = {
  commit: process.env.MATTERHORN_BUILD_COMMIT,
  day: process.env.MATTERHORN_BUILD_DAY,
  key: process.env.MATTERHORN_BUILD_KEY,
};

const commitOfSource = () => {
  const repository = join(import.meta.dir, '..');
  // Without this, git would look for a repository above, which is somebody else's.
  if (!existsSync(join(repository, '.git'))) return undefined;
  const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  try {
    const { stdout, success } = Bun.spawnSync(['git', ...words], { cwd: repository });
    return success ? stdout.toString().trim() : undefined;
  } catch {
    return undefined; // There is no git here.
  }
};

/** The commit, 12 letters of it, with `-dirty` if files were changed since; or `unknown`. */
const commit = given.commit || commitOfSource() || 'unknown';

/**
 * This program's version. Between releases it has the commit too, so that two builds can be told
 * apart: `0.3.0-dev+0123456789ab`.
 */
export const version: string = manifest.version.endsWith('-dev')
  ? `${manifest.version}+${commit}`
  : manifest.version;

/** What this program is: its version, its commit, and the day on which it was built (`2026-11-24`). */
export const build = { version, commit, builtOn: given.day || null } as const;

/** The public key that signs the releases (Ed25519, base64url); null in what others built. */
export const releaseKey: string | null = given.key || null;
