/** The command line as tests use it: in this process, with its streams caught. */
import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../src/commands/program.ts';
import { environmentOf } from './roles.ts';

/** What a command printed and how it ended. */
export type Ran = { exitCode: number; out: string; err: string };

const keys = mkdtempSync(join(tmpdir(), 'matterhorn-keys-'));
process.on('exit', () => rmSync(keys, { recursive: true, force: true }));

/** The file of the installation's key, of its own for every database; what signs makes it. */
export const keyFileOf = (databaseUrl: string) =>
  join(keys, `${Bun.hash(databaseUrl).toString(36)}.key`);

/** Runs one command line on a database, with `input` as its standard input. */
export const run = async (
  databaseUrl: string,
  words: string[],
  input = '',
  environment: Record<string, string> = {},
): Promise<Ran> => {
  let out = '';
  let err = '';
  const exitCode = await runCommand(words, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    readInput: async () => input,
    environment: {
      INSTALLATION_KEY: databaseUrl && keyFileOf(databaseUrl),
      ...environmentOf(databaseUrl),
      ...environment,
    },
  });
  return { exitCode, out, err };
};

/** Runs a command that must succeed, and gives the JSON document it prints. */
export const runJson = async <Document>(
  databaseUrl: string,
  words: string[],
  input = '',
): Promise<Document> => {
  const { exitCode, out, err } = await run(databaseUrl, [...words, '--json'], input);
  if (exitCode !== 0)
    throw new Error(`matterhorn ${words.join(' ')} ended with ${exitCode}: ${err}`);
  return JSON.parse(out) as Document;
};

/**
 * A command failed, or was used wrongly where `expected` is 2: one plain sentence that holds this on
 * standard error, nothing on standard output.
 */
export const expectSentence = (
  { exitCode, out, err }: Ran,
  sentence: string,
  expected: 1 | 2 = 1,
) => {
  expect({ err, exitCode, out }).toEqual({ err, exitCode: expected, out: '' });
  expect(err).toContain(sentence);
  expect(err).toMatch(/^(--)?[A-Za-z].*\.\n$/);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect(err).not.toMatch(/\{"|\.ts:|node_modules|undefined|\[object/);
};
