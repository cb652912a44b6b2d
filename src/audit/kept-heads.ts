import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { giveToOwnerOf } from '../base/installation-key.ts';
import { describeError, log } from '../base/log.ts';
import { invalid } from '../base/refusal.ts';

/** The end of a firm's chain at some time: the number of seals, and the last one. */
export type KeptHead = { firmId: string; seals: string; hash: string };

/**
 * The newest heads that this installation has signed, in a file beside its key, where somebody who
 * can only write to the database cannot reach them. A chain that lacks one of them was cut off or
 * rewritten.
 */
export const headsFileOf = (keyFile: string) => `${keyFile}.heads`;

/**
 * The heads in a file by the firm's id; undefined if there is no file. Throws `Refusal` for a file
 * without heads.
 */
export const readKeptHeads = (file: string): Map<string, KeptHead> | undefined => {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const heads = JSON.parse(readFileSync(descriptor, 'utf8')) as KeptHead[];
    return new Map(heads.map((head) => [head.firmId, head]));
  } catch {
    throw invalid(
      `The file ${file} holds no heads of the audit log. Keep a copy of it for the investigation, remove it, and run \`matterhorn audit verify --against\` with a head or backup kept elsewhere.`,
    );
  } finally {
    closeSync(descriptor);
  }
};

/** Writes all heads to a new file, which then takes the old one's name. */
export const writeKeptHeads = (file: string, heads: Iterable<KeptHead>) => {
  const unfinished = `${file}.${crypto.randomUUID()}`;
  const descriptor = openSync(unfinished, 'wx', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify([...heads])}\n`);
    giveToOwnerOf(dirname(file), descriptor);
    fsyncSync(descriptor);
    renameSync(unfinished, file);
  } catch (error) {
    unlinkSync(unfinished);
    throw error;
  } finally {
    closeSync(descriptor);
  }
};

/** Adds heads to the file. If that fails, the log says so, and nothing is stopped. */
export const keepHeads = (file: string, heads: KeptHead[]) => {
  try {
    const kept = readKeptHeads(file) ?? new Map<string, KeptHead>();
    for (const head of heads) kept.set(head.firmId, head);
    writeKeptHeads(file, kept.values());
  } catch (error) {
    log('error', 'heads of the audit log not kept', { file, ...describeError(error) });
  }
};
