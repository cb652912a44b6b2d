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

/** The end of a firm's chain at some time: how many seals, and the last one. */
export type KeptHead = { firmId: string; seals: string; hash: string };

/**
 * The newest heads that this installation has signed, in a file beside its key: out of the reach of
 * whoever writes to the database. A chain that no longer has one of them was cut off or rewritten.
 */
export const headsFileOf = (keyFile: string) => `${keyFile}.heads`;

/** The heads in a file by the firm's id; undefined where there is no file. Throws `Refusal` for what is none. */
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
      `The file ${file} holds no heads of the audit log. Keep a copy of it for whoever looks into this, remove it, and run \`matterhorn audit verify --against\` with a head or backup kept elsewhere.`,
    );
  } finally {
    closeSync(descriptor);
  }
};

/** Writes the heads anew, as a whole: by a file of its own that then takes the name. */
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

/** Keeps heads among the others of the file. That it cannot is said in the log, and stops nobody. */
export const keepHeads = (file: string, heads: KeptHead[]) => {
  try {
    const kept = readKeptHeads(file) ?? new Map<string, KeptHead>();
    for (const head of heads) kept.set(head.firmId, head);
    writeKeptHeads(file, kept.values());
  } catch (error) {
    log('error', 'heads of the audit log not kept', { file, ...describeError(error) });
  }
};
