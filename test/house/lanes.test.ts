import { expect, test } from 'bun:test';
import { dirname, join, relative, resolve } from 'node:path';
import { Glob } from 'bun';
import { isSlow, slowFolders } from '../support/lanes.ts';

const repository = join(import.meta.dir, '../..');
const files = [...new Glob('test/**/*.{ts,tsx}').scanSync(repository)].sort();
const textOf = (file: string) => Bun.file(join(repository, file)).text();
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await textOf(file)] as const)),
);
const isTest = (file: string) => file.includes('.test.');

/** A file and all of test/ that it imports, directly or not. */
const reachedFrom = (file: string, reached = new Set<string>()): Set<string> => {
  const text = texts.get(file);
  if (text === undefined || reached.has(file)) return reached;
  reached.add(file);
  for (const [, path = ''] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
    reachedFrom(relative(repository, resolve(repository, dirname(file), path)), reached);
  }
  return reached;
};

const startsProcesses = /\bBun\.spawn|\bstartEmbedded\(|node:child_process|\bchromium\.launch\(/;

test('A test of the fast lane starts no process: those lie in a folder of the slow lane', () => {
  const guilty = files
    .filter((file) => isTest(file) && !isSlow(file))
    .flatMap((file) =>
      [...reachedFrom(file)]
        .filter(
          (one) => startsProcesses.test(texts.get(one) ?? '') && one !== 'test/house/lanes.test.ts',
        )
        .map((one) => (one === file ? file : `${file} through ${one}`)),
    );
  expect(guilty, `The folders of the slow lane are ${slowFolders.join(', ')}.`).toEqual([]);
});

test('No test has less time than the run gives to each', () => {
  const [, given = ''] = /'--timeout=(\d+)'/.exec(texts.get('test/run.ts') ?? '') ?? [];
  const guilty = files.filter(isTest).flatMap((file) => {
    const own = [...(texts.get(file) ?? '').matchAll(/^ *\}, ([\d_]+)\);$/gm)];
    return own
      .filter(([, milliseconds = '']) => Number(milliseconds.replaceAll('_', '')) <= Number(given))
      .map(([, milliseconds]) => `${file} ${milliseconds}`);
  });
  expect(guilty, 'A time of its own is for a test that needs more.').toEqual([]);
});

test('Every folder of the slow lane has tests', () => {
  const lie = (folder: string) =>
    files.some((file) => isTest(file) && file.includes(`/${folder}/`));
  expect(slowFolders.filter((folder) => !lie(folder))).toEqual([]);
});
