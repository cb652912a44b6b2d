/**
 * The file of a backup: lines of JSON, compressed with zstd (`zstdcat FILE` shows them). First the
 * manifest. Then, for each of its tables in that order, a line `{"table":…}` and its rows, one a
 * line. Last `{"end":{"sha256":…}}` over all bytes before that line, with the installation's public
 * key and signature if it has a key. The file may be encrypted as a whole (encryption.ts).
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { type InstallationKey, isSignedBy } from '../base/installation-key.ts';
import { writeNewFile } from '../base/new-file.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { unzstd } from '../base/zstd.ts';
import { encrypted, isEncrypted, opened } from './encryption.ts';
import { format, type Manifest, rowsIn } from './manifest.ts';

const hasher = () => new Bun.CryptoHasher('sha256');

/** What is signed of a backup: these words, and the sum over everything before the last line. */
const signedText = (sha256: string) => `matterhorn backup 1 ${sha256}`;

const endLine = (sha256: string, key: InstallationKey | undefined) => {
  const signed = key && { publicKey: key.publicKey, signature: key.sign(signedText(sha256)) };
  return JSON.stringify({ end: { sha256, ...signed } });
};

/** With a key the archive is signed; with recipients, only they can read it. */
type Writing = {
  signal?: AbortSignal | undefined;
  key?: InstallationKey | undefined;
  recipients?: readonly string[];
};

/**
 * Writes lines to a new file that only its owner may read: all of them, or no file. Returns the
 * size in bytes. Throws as `writeNewFile` does.
 */
export const writeArchive = (
  file: string,
  lines: AsyncIterable<string>,
  { signal, key, recipients = [] }: Writing = {},
): Promise<number> =>
  writeNewFile(
    file,
    (writeOn) =>
      pipeline(
        Readable.from(withEnd(lines, key), { objectMode: false }),
        createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
        async (compressed: AsyncIterable<Uint8Array>) => {
          for await (const chunk of await encrypted(compressed, recipients)) await writeOn(chunk);
        },
        signal ? { signal } : {},
      ),
    signal,
  );

async function* withEnd(
  lines: AsyncIterable<string>,
  key: InstallationKey | undefined,
): AsyncGenerator<Uint8Array> {
  const sum = hasher();
  for await (const text of lines) {
    const bytes = Buffer.from(text);
    sum.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`${endLine(sum.digest('hex'), key)}\n`);
}

/** A backup that was read: its manifest, and the public key that signed it, if any. */
type Checked = { manifest: Manifest; signedBy: string | undefined };

type Reading = { signal?: AbortSignal; identities?: readonly string[] };

/**
 * Reads a whole backup once, with the identities that open it if it is encrypted. Throws `Refusal` if it is no backup, is damaged or cut off, has a
 * format that only a newer program knows, or was changed after it was signed; and if it unpacks to
 * more than its manifest states, before much more is unpacked.
 */
export const checkArchive = async (
  file: string,
  { signal, identities = [] }: Reading = {},
): Promise<Checked> => {
  const sum = hasher();
  let manifest: Manifest | undefined;
  let last: string | undefined;
  let allowance: Allowance | undefined;
  for await (const lines of linesOf(
    file,
    identities,
    (characters) => allowance?.fitsLine(characters) ?? characters <= maxManifestCharacters,
  )) {
    signal?.throwIfAborted();
    manifest ??= manifestIn(file, lines[0] ?? '');
    allowance ??= allowanceOf(file, manifest);
    allowance.take(lines);
    if (last !== undefined) sum.update(`${last}\n`);
    last = lines.pop() ?? '';
    if (lines.length > 0) sum.update(`${lines.join('\n')}\n`);
  }
  if (!manifest) throw notABackup(file);
  return { manifest, signedBy: signerIn(file, last ?? '', sum.digest('hex')) };
};

const signerIn = (file: string, line: string, sha256: string): string | undefined => {
  const end = (textAsJson(line) as { end?: Partial<Record<string, string>> } | undefined)?.end;
  const { publicKey, signature } = end ?? {};
  if (end?.sha256 !== sha256) throw damaged(file);
  if (publicKey === undefined && signature === undefined) return undefined;
  if (isSignedBy(publicKey ?? '', signedText(sha256), signature ?? '')) return publicKey;
  throw invalid(
    `The signature of ${file} does not fit: it was changed after it was signed. Copy it once more from where it was created, or take another backup.`,
  );
};

const textAsJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What a file may still unpack to. */
type Allowance = { take(lines: string[]): void; fitsLine(characters: number): boolean };

// More than the longest row, as JSON, of what the API takes.
const maxLineCharacters = 256 * 1024 * 1024;
const maxManifestCharacters = 16 * 1024 * 1024;

const allowanceOf = (file: string, manifest: Manifest): Allowance => {
  // Besides the rows: the manifest, a line for each table, and the end.
  let lines = rowsIn(manifest) + manifest.tables.length + 2;
  let bytes = manifest.tables.reduce((all, { mostBytes = Infinity }) => all + mostBytes, 0);
  bytes += maxManifestCharacters;
  return {
    take(some) {
      lines -= some.length;
      for (const line of some) bytes -= line.length + 1;
      if (lines < 0 || bytes < 0) throw tooMuch(file);
    },
    fitsLine: (characters) => characters <= Math.min(maxLineCharacters, bytes),
  };
};

const tooMuch = (file: string) =>
  invalid(
    `The file ${file} unpacks to more than it states: it is damaged, or was created to fill this machine. Use another backup.`,
  );

const manifestIn = (file: string, line: string): Manifest => {
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(line);
  } catch {
    throw notABackup(file);
  }
  if (manifest?.matterhorn !== 'backup') throw notABackup(file);
  if (manifest.format !== 1 && manifest.format !== format) throw newer(manifest.version);
  if (!Array.isArray(manifest.tables)) throw notABackup(file);
  return manifest as Manifest;
};

const notABackup = (file: string) =>
  invalid(
    `The file ${file} is not a backup of Matterhorn. Name one that \`matterhorn backup\` created.`,
  );

const damaged = (file: string) =>
  invalid(
    `The file ${file} is damaged or cut off. Copy it once more from where it was created, or take another backup.`,
  );

/** The refusal of a backup that this program is too old for. */
export const newer = (version: unknown) =>
  new Refusal(
    'conflict',
    `This backup was created by a newer Matterhorn (${JSON.stringify(version)}). Restore it with that version or a newer one.`,
  );

/** Rows of a table, as they are in a backup, some thousand characters at a time. */
type Rows = { table: string; lines: string[] };

/** The rows of a backup that `checkArchive` has read, table by table. */
export async function* rowsOf(
  file: string,
  { tables }: Manifest,
  identities: readonly string[],
): AsyncGenerator<Rows> {
  // What comes next: the manifest's line, then for each table its own line and its rows.
  const left = [
    { name: '', rows: 1 },
    ...tables.map(({ name, rows }) => ({ name, rows: rows + 1 })),
  ];
  let isFirst = true;
  for await (const lines of linesOf(file, identities)) {
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

/** The lines of a file, as many at a time as a chunk brings. A line that is too long ends it. */
async function* linesOf(
  file: string,
  identities: readonly string[],
  fitsLine = (characters: number) => characters <= maxLineCharacters,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  // A long line comes in many chunks and is joined once.
  let begun: string[] = [];
  let begunCharacters = 0;
  try {
    const zstd = unzstd();
    const content = await opened(file, identities);
    for await (const chunk of content.pipeThrough(zstd)) {
      const lines = decoder.decode(chunk, { stream: true }).split('\n');
      const rest = lines.pop() as string;
      if (lines.length > 0) {
        lines[0] = begun.join('') + lines[0];
        begun = [];
        begunCharacters = 0;
        yield lines;
      }
      begun.push(rest);
      begunCharacters += rest.length;
      if (!fitsLine(begunCharacters)) throw tooMuch(file);
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
  if (await isEncrypted(file)) return damaged(file);
  const start = await Bun.file(file).slice(0, 4).arrayBuffer();
  const isZstd = start.byteLength === 4 && new DataView(start).getUint32(0, true) === zstdMark;
  return isZstd ? damaged(file) : notABackup(file);
};
