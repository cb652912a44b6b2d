import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { KeptHead } from '../audit/kept-heads.ts';
import { checkArchive } from '../backup/archive.ts';
import { isEncrypted } from '../backup/encryption.ts';
import { invalid } from '../base/refusal.ts';

/** Heads that somebody kept: with their firm and number, or only the hash. */
export type KeptElsewhere = { heads: KeptHead[]; hashes: string[] };

/**
 * Reads what `--against` names: a head's hash, or a file with heads (a backup, an export, what
 * `audit head` printed, the server's log). Throws `Refusal` if there is no head.
 */
export const keptElsewhere = async (
  fileOrHead: string,
  identities: readonly string[],
): Promise<KeptElsewhere> => {
  if (/^[0-9a-f]{64}$/.test(fileOrHead)) return { heads: [], hashes: [fileOrHead] };
  const isBackup = await startsAsBackup(fileOrHead);
  const heads = isBackup
    ? await headsOfBackup(fileOrHead, identities)
    : await headsOfLines(fileOrHead);
  if (heads.length > 0) return { heads, hashes: [] };
  throw invalid(
    `There is no head of an audit log in ${fileOrHead}. Name a backup, an export, a log of the server, what \`matterhorn audit head\` printed, or the 64 digits of a head.`,
  );
};

const startsAsBackup = async (file: string) => {
  const start = await Bun.file(file)
    .slice(0, 4)
    .bytes()
    .catch((error) => {
      throw Object.assign(error as Error, { path: file });
    });
  return Buffer.from(start).toString('hex') === '28b52ffd' || (await isEncrypted(file));
};

const headsOfBackup = async (file: string, identities: readonly string[]): Promise<KeptHead[]> => {
  const { manifest } = await checkArchive(file, { identities });
  return manifest.firms.flatMap(({ hash, ...head }) => (hash === null ? [] : [{ ...head, hash }]));
};

const headsOfLines = async (file: string): Promise<KeptHead[]> => {
  const heads: KeptHead[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    // Entries of an export are long and hold no heads.
    if (!line.startsWith('{"entry"')) heads.push(...headsIn(line));
  }
  return heads;
};

const headsIn = (line: string): KeptHead[] => {
  const [, firmId, seals, hash] =
    /^([0-9a-f-]{36})\s+(\d{1,19})\s+([0-9a-f]{64})\b/.exec(line) ?? [];
  if (firmId && seals && hash) return [{ firmId, seals, hash }];
  try {
    return headsInJson(JSON.parse(line));
  } catch {
    return [];
  }
};

const headsInJson = (value: unknown): KeptHead[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(headsInJson);
  const { head, firms, firmId, seals, sealed, hash } = value as Record<string, unknown>;
  if (head !== undefined || firms !== undefined) return headsInJson(head ?? firms);
  const number = String(seals ?? sealed);
  const isHead = typeof firmId === 'string' && /^\d{1,19}$/.test(number) && number !== '0';
  return isHead && typeof hash === 'string' ? [{ firmId, seals: number, hash }] : [];
};
