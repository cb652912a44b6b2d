/**
 * The two lanes of the tests. A test is in the slow lane if a folder that it lies in has one of these
 * names, at whatever depth; every other test is in the fast lane, which `npm test` runs. What is in
 * the fast lane lives in one process, and takes the test's clock where it would have to wait.
 */
export const slowFolders = [
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

/** Whether the test in this file, such as `test/api/large/corpus.test.ts`, is in the slow lane. */
export const isSlow = (file: string): boolean =>
  file
    .split('/')
    .slice(0, -1)
    .some((folder) => slowFolders.includes(folder));
