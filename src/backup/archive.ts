/**
 * The file of a backup: lines of JSON, compressed with zstd, `zstdcat FILE` shows them. First the
 * manifest; for each of its tables, in that order, a line `{"table":…}` and then its rows, a line
 * each; and last `{"end":{"sha256":…}}`, over all bytes before that line.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { writeNewFile } from '../base/new-file.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { unzstd } from '../base/zstd.ts';
import { format, type Manifest } from './manifest.ts';

const hasher = () => new Bun.CryptoHasher('sha256');

/**
 * Writes lines, each ended by a line break, to a new file, whole or not at all, for its owner alone.
 * Gives the file's size in bytes. Throws as `writeNewFile` does.
 */
export const writeArchive = (
  file: string,
  lines: AsyncIterable<string>,
  signal?: AbortSignal,
): Promise<number> =>
  writeNewFile(
    file,
    (writeOn) =>
      pipeline(
        Readable.from(withEnd(lines), { objectMode: false }),
        createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
        async (compressed: AsyncIterable<Uint8Array>) => {
          for await (const chunk of compressed) await writeOn(chunk);
        },
        signal ? { signal } : {},
      ),
    signal,
  );

async function* withEnd(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const sum = hasher();
  for await (const text of lines) {
    const bytes = Buffer.from(text);
    sum.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`${JSON.stringify({ end: { sha256: sum.digest('hex') } })}\n`);
}

/**
 * Reads a whole backup once, and gives its manifest. Throws `Refusal` for what is no backup, is
 * damaged or cut off, or in a format that only a newer program knows.
 */
export const checkArchive = async (file: string, signal?: AbortSignal): Promise<Manifest> => {
  const sum = hasher();
  let manifest: Manifest | undefined;
  let last: string | undefined;
  for await (const lines of linesOf(file)) {
    signal?.throwIfAborted();
    manifest ??= manifestIn(file, lines[0] ?? '');
    if (last !== undefined) sum.update(`${last}\n`);
    last = lines.pop() ?? '';
    if (lines.length > 0) sum.update(`${lines.join('\n')}\n`);
  }
  if (!manifest) throw notABackup(file);
  if (last !== JSON.stringify({ end: { sha256: sum.digest('hex') } })) throw damaged(file);
  return manifest;
};

const manifestIn = (file: string, line: string): Manifest => {
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(line);
  } catch {
    throw notABackup(file);
  }
  if (manifest?.matterhorn !== 'backup') throw notABackup(file);
  if (manifest.format !== format) throw newer(manifest.version);
  return manifest as Manifest;
};

const notABackup = (file: string) =>
  invalid(
    `The file ${file} is not a backup of Matterhorn. Name one that \`matterhorn backup\` made.`,
  );

const damaged = (file: string) =>
  invalid(
    `The file ${file} is damaged or cut off. Copy it once more from where it was made, or take another backup.`,
  );

/** A backup that this program is too old for. */
export const newer = (version: unknown) =>
  new Refusal(
    'conflict',
    `This backup was made by a newer Matterhorn (${JSON.stringify(version)}). Restore it with that version or a newer one.`,
  );

/** Rows of a table, as they stand in a backup, some thousand characters at a time. */
export type Rows = { table: string; lines: string[] };

/** The rows of a backup that `checkArchive` has read, table by table. */
export async function* rowsOf(file: string, { tables }: Manifest): AsyncGenerator<Rows> {
  // What comes next: the manifest's line, then per table its own line and its rows.
  const left = [
    { name: '', rows: 1 },
    ...tables.map(({ name, rows }) => ({ name, rows: rows + 1 })),
  ];
  let isFirst = true;
  for await (const lines of linesOf(file)) {
    for (let start = 0; start < lines.length && left[0]; ) {
      const [current] = left;
      const taken = lines.slice(start, start + current.rows);
      start += taken.length;
      current.rows -= taken.length;
      const rows = isFirst ? taken.slice(1) : taken;
      if (rows.length > 0) yield { table: current.name, lines: rows };
      isFirst = current.rows === 0;
      if (isFirst) left.shift();
    }
  }
}

/** The lines of a file, as many at a time as come with a chunk of it. */
async function* linesOf(file: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  // A long line comes in many chunks, and is put together once.
  let begun: string[] = [];
  try {
    const zstd = unzstd();
    for await (const chunk of Bun.file(file).stream().pipeThrough(zstd)) {
      const lines = decoder.decode(chunk, { stream: true }).split('\n');
      const rest = lines.pop() as string;
      if (lines.length > 0) {
        lines[0] = begun.join('') + lines[0];
        begun = [];
        yield lines;
      }
      begun.push(rest);
    }
  } catch (error) {
    throw await cannotRead(file, error);
  }
  if (begun.join('') !== '') throw damaged(file);
}

const zstdMark = 0xfd2fb528;

const cannotRead = async (file: string, error: unknown) => {
  if (error instanceof Refusal) return error;
  if ((error as NodeJS.ErrnoException).syscall)
    return Object.assign(error as Error, { path: file });
  const start = await Bun.file(file).slice(0, 4).arrayBuffer();
  const isZstd = start.byteLength === 4 && new DataView(start).getUint32(0, true) === zstdMark;
  return isZstd ? damaged(file) : notABackup(file);
};
