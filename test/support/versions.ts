/** Executables of other versions, built from this source code with another number and one more migration. */
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';

const repository = join(import.meta.dir, '../..');

type Version = {
  version: string;
  /** Whose releases it trusts: a public key in base64url. */
  key: string;
  /** Whether it has a migration that this source code lacks; then it also fails where `UPGRADE_FAILS` says. */
  isNewer: boolean;
};

/** Builds a version into a folder, with the Postgres and the application of `bun run build`. Returns its executable. */
export const buildVersion = async (folder: string, { version, key, isNewer }: Version) => {
  const tree = join(folder, `source-${version}`);
  await mkdir(join(tree, 'dist'), { recursive: true });
  for (const part of ['src', 'drizzle', 'docs', 'package.json', 'tsconfig.json', 'bunfig.toml']) {
    await cp(join(repository, part), join(tree, part), { recursive: true });
  }
  for (const part of ['node_modules', 'dist/app', 'dist/postgres']) {
    await symlink(join(repository, part), join(tree, part));
  }
  const manifest = await Bun.file(join(tree, 'package.json')).json();
  await Bun.write(join(tree, 'package.json'), JSON.stringify({ ...manifest, version }));
  if (isNewer) await makeNewer(tree);
  const executable = join(folder, `matterhorn-${version}-linux-x64`);
  await $`bun src/compile.ts --asset dist/postgres --outfile ${executable}`
    .cwd(tree)
    .env({ ...process.env, MATTERHORN_BUILD_KEY: key, MATTERHORN_BUILD_COMMIT: 'abc' })
    .quiet();
  return executable;
};

const makeNewer = async (tree: string) => {
  const journal = join(tree, 'drizzle/meta/_journal.json');
  const { entries, ...rest } = await Bun.file(journal).json();
  const last = entries.at(-1);
  const tag = '9999_of_the_newer_version';
  const entry = { ...last, idx: last.idx + 1, when: last.when + 1, tag };
  await Bun.write(journal, JSON.stringify({ ...rest, entries: [...entries, entry] }));
  await Bun.write(
    join(tree, `drizzle/${tag}.sql`),
    'create table of_the_newer_version (id int primary key);--> statement-breakpoint\nalter table firm add column newer text;',
  );
  const serve = join(tree, 'src/commands/serve.ts');
  const text = await Bun.file(serve).text();
  const migrated = /await Promise\.race\(\[migrate\(.*\n/;
  if (!migrated.test(text)) throw new Error('serve.ts migrates elsewhere now');
  const fails = `if (process.env.UPGRADE_FAILS === (isTrial ? 'trial' : 'service')) throw new Refusal('conflict', 'It fails as it was asked to.');\n`;
  await Bun.write(
    serve,
    text.replace(migrated, (line) => `${line}${fails}`),
  );
};
