/**
 * Reading and writing the archive of the runtime: plain files in a tar, compressed with zstd.
 * `Bun.Archive` (1.4.5) writes each file with mode 0644, those of `Bun.file` empty, and unpacks from
 * memory: the process then takes 167 MB instead of 73.
 */
import { chmodSync, closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const blockLength = 512;
const nameLength = 100;

type Header = { name: string; mode: number; size: number };

/** The header block of one file in a tar. Throws if the name is too long for it. */
export const tarHeader = ({ name, mode, size }: Header) => {
  if (Buffer.byteLength(name) > nameLength) throw new Error(`too long for a tar: ${name}`);
  const header = Buffer.alloc(blockLength);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write('        0', 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
};

/** The zero bytes that follow a file of this size in a tar. */
export const tarPadding = (size: number) =>
  new Uint8Array((blockLength - (size % blockLength)) % blockLength);

/** The two empty blocks that end a tar. */
export const tarEnd = () => new Uint8Array(2 * blockLength);

const readHeader = (block: Buffer): Header | undefined => {
  if (block[0] === 0) return undefined;
  const text = (at: number, length: number) =>
    block.toString('utf8', at, at + length).replace(/\0.*$/s, '');
  return {
    name: text(0, nameLength),
    mode: Number.parseInt(text(100, 8), 8),
    size: Number.parseInt(text(124, 12), 8),
  };
};

/**
 * Unpacks a tar made by the functions above into a directory, piece by piece as it arrives. Throws
 * if the tar is incomplete.
 */
export const unpackTar = async (pieces: AsyncIterable<Uint8Array>, directory: string) => {
  let header = Buffer.alloc(0);
  let file: number | undefined;
  let bytesLeft = 0;
  let paddingLeft = 0;
  let ended = false;
  const finishFile = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const begin = (block: Buffer) => {
    const entry = readHeader(block);
    ended = entry === undefined;
    if (entry === undefined) return;
    file = openForWriting(join(directory, entry.name), entry.mode);
    bytesLeft = entry.size;
    paddingLeft = tarPadding(entry.size).length;
    if (bytesLeft === 0) finishFile();
  };
  for await (const piece of pieces) {
    let at = 0;
    while (at < piece.length && !ended) {
      const rest = piece.length - at;
      if (bytesLeft > 0) {
        const length = Math.min(bytesLeft, rest);
        writeWhole(file as number, piece.subarray(at, at + length));
        bytesLeft -= length;
        at += length;
        if (bytesLeft === 0) finishFile();
      } else if (paddingLeft > 0) {
        const length = Math.min(paddingLeft, rest);
        paddingLeft -= length;
        at += length;
      } else {
        const length = Math.min(blockLength - header.length, rest);
        header = Buffer.concat([header, piece.subarray(at, at + length)]);
        at += length;
        if (header.length === blockLength) {
          begin(header);
          header = Buffer.alloc(0);
        }
      }
    }
  }
  finishFile();
  if (!ended) throw new Error('the archive of the runtime is not whole');
};

const openForWriting = (path: string, mode: number) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const file = openSync(path, 'wx', mode);
  chmodSync(path, mode);
  return file;
};

const writeWhole = (file: number, bytes: Uint8Array) => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
};
