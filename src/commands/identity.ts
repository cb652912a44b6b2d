import type { Command } from 'commander';
import { identitiesIn } from '../backup/encryption.ts';
import { invalid } from '../base/refusal.ts';
import type { Terminal } from './terminal.ts';

/** Adds the option of the commands that read a backup. */
export const withIdentity = (command: Command) =>
  command.option('--identity <file>', 'the secret key that opens an encrypted backup; - reads it');

/** The secret keys in the file of --identity, none without it. Throws `Refusal` if it has none. */
export const identitiesFor = async (
  terminal: Terminal,
  { identity }: { identity?: string },
): Promise<string[]> => {
  if (identity === undefined) return [];
  if (identity === '-') return identitiesIn(await terminal.readInput(), 'the standard input');
  const text = await Bun.file(identity)
    .text()
    .catch(() => {
      throw invalid(
        `The file ${identity} cannot be read. Name the file of the secret key, or - for standard input.`,
      );
    });
  return identitiesIn(text, identity);
};
