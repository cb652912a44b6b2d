import { Glob } from 'bun';

/**
 * The two lanes of the tests. A test is in the slow lane if a folder that it lies in has one of these
 * names, at whatever depth; every other test is in the fast lane, which `npm test` runs. What is in
 * the fast lane lives in one process, and takes the test's clock where it would have to wait.
 */
export const slowFolders = [
  'alone',
  'backup',
  'browser',
  'commands',
  'embedded',
  'large',
  'processes',
  'proof',
  'server',
  'upgrades',
];

const foldersOf = (file: string) => file.split('/').slice(0, -1);

/** Whether the test in this file, such as `test/api/large/corpus.test.ts`, is in the slow lane. */
export const isSlow = (file: string): boolean =>
  foldersOf(file).some((folder) => slowFolders.includes(folder));

/**
 * Whether the test in this file needs the machine for itself, because it judges by seconds, by memory
 * or by the time of processors, or kills in the middle of what takes a second or two. It lies in a
 * folder `alone`, and runs when all others have ended.
 */
export const isAlone = (file: string): boolean => foldersOf(file).includes('alone');

/**
 * The files of tests that the words of a call of `bun test` choose: parts of their paths, or all files
 * if there are none, without those of `--path-ignore-patterns`.
 */
export const filesFor = (repository: string, words: string[]): string[] => {
  const parts = words.filter((word) => !word.startsWith('--'));
  const ignored = words.flatMap(
    (word) =>
      /^--path-ignore-patterns=(.*)$/
        .exec(word)
        ?.slice(1)
        .map((one) => new Glob(one)) ?? [],
  );
  return [...new Glob('test/**/*.test.{ts,tsx}').scanSync(repository)]
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .filter((file) => !ignored.some((pattern) => pattern.match(file)))
    .sort();
};
