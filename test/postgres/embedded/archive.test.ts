import { afterAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  tarEnd,
  tarHeader,
  tarPadding,
  unpackTar,
} from '../../../src/postgres/embedded/archive.ts';
import { packageFolder, runtimeFiles } from '../../../src/postgres/embedded/contents.ts';
import { temporaryDirectory, tidyUp } from './driver.ts';

afterAll(tidyUp);

const files = { 'bin/empty': 0, 'bin/small': 1, 'lib/block': 512, 'lib/large': 100_001 };

const packed = (): Buffer => {
  const parts: Uint8Array[] = [];
  for (const [name, size] of Object.entries(files)) {
    parts.push(tarHeader({ name, mode: 0o755, size }), Buffer.alloc(size, name), tarPadding(size));
  }
  return Buffer.concat([...parts, tarEnd()]);
};

const inPieces = async function* (bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};

test('an archive is unpacked as it was packed, in whatever pieces it arrives', async () => {
  for (const size of [1, 511, 512, 513, 1 << 20]) {
    const directory = temporaryDirectory();
    await unpackTar(inPieces(packed(), size), directory);
    for (const [name, length] of Object.entries(files)) {
      const found = readFileSync(join(directory, name));
      expect(found.equals(Buffer.alloc(length, name))).toBe(true);
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o755);
    }
  }
});

test('half an archive is not taken for a whole one', async () => {
  const half = packed().subarray(0, 60_000);
  await expect(unpackTar(inPieces(half, 4096), temporaryDirectory())).rejects.toThrow(/not whole/);
});

test('other programs read the archive as a tar', async () => {
  const directory = temporaryDirectory();
  await Bun.write(join(directory, 'made.tar'), packed());
  const tar = Bun.spawnSync(['tar', 'xf', 'made.tar'], { cwd: directory });
  expect(tar.stderr.toString()).toBe('');
  expect(readdirSync(join(directory, 'lib')).sort()).toEqual(['block', 'large']);
});

test('the libraries have the names that programs look for, and no foreign language comes along', () => {
  const targets = runtimeFiles(packageFolder(`${process.platform}-${process.arch}`)).map(
    (file) => file.target,
  );
  for (const needed of ['libpq.so.5', 'libicudata.so.60', 'libxml2.so.2', 'libz.so.1']) {
    expect(targets).toContain(`lib/${needed}`);
  }
  for (const needed of ['pg_trgm', 'unaccent', 'amcheck', 'pgcrypto', 'btree_gist']) {
    expect(targets).toContain(`lib/postgresql/${needed}.so`);
  }
  expect(targets.filter((name) => /perl|python|tcl|_fdw|uuid-ossp|pgxml/.test(name))).toEqual([]);
});
