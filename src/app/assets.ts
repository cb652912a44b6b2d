import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { isCompiled } from '../base/compiled.ts';
import { documentsSheet, sheet } from './styles/sheet.ts';

/**
 * Files that pages load. Their address changes with their content, so browsers keep them for good.
 */
export type Assets = {
  style: string;
  script: string;
  /** The sheet and the script of the documents for integrators. */
  documentsStyle: string;
  documentsScript: string;
  icon: string;
  /** The answer to a request for an asset; undefined if there is none at this address. */
  answer(request: Request, pathname: string): Response | undefined;
};

type File = { name: string; type: string; plain: Bytes; gzip: Bytes; brotli: Bytes };
type Bytes = Uint8Array<ArrayBuffer>;

let loading: Promise<Assets> | undefined;

/** The assets. They are bundled on first use, or taken from the executable. */
export const loadAssets = (): Promise<Assets> => (loading ??= gather());

const gather = async (): Promise<Assets> => {
  const scripts = isCompiled ? await packedScripts() : await bundleScripts();
  const files = [
    fileOf('sheet.css', sheet),
    fileOf('documents.css', documentsSheet),
    fileOf('icon.svg', icon),
    ...scripts.map(({ name, text }) => fileOf(name, text)),
  ];
  const hash = new Bun.CryptoHasher('sha256');
  for (const { name, plain } of files) hash.update(name).update(plain);
  const folder = `/assets/${hash.digest('hex').slice(0, 16)}`;
  const byPath = new Map(files.map((file) => [`${folder}/${file.name}`, file]));
  return {
    style: `${folder}/sheet.css`,
    script: `${folder}/main.js`,
    documentsStyle: `${folder}/documents.css`,
    documentsScript: `${folder}/documents.js`,
    icon: `${folder}/icon.svg`,
    answer(request, pathname) {
      const file = byPath.get(pathname);
      return file && answerWith(file, request);
    },
  };
};

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#1D5AA8"><path d="M1.5 21 8.2 11.6 10.4 6.4 13.8 2.5 12 10.2 14.4 21Z"/><path fill-opacity=".5" d="M13.8 2.5 15.9 7.6 18.4 11.2 22.5 21H14.4L12 10.2Z"/></svg>`;

type Script = { name: string; text: string };

/** Bundles the browser's scripts: `main.js`, `documents.js`, and one file for each island. */
export const bundleScripts = async (): Promise<Script[]> => {
  const built = await Bun.build({
    entrypoints: ['main.ts', 'documents.ts'].map((name) => join(import.meta.dir, 'browser', name)),
    target: 'browser',
    splitting: true,
    minify: true,
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]' },
  });
  return Promise.all(
    built.outputs.map(async (output) => ({
      name: output.path.replace(/^.*\//, ''),
      text: await output.text(),
    })),
  );
};

/** The scripts that `bun run build` put into the executable. */
const packedScripts = async (): Promise<Script[]> => {
  const folder = join(import.meta.dir, 'app');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  return Promise.all(
    names.map(async (name) => ({ name, text: await Bun.file(join(folder, name)).text() })),
  );
};

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const fileOf = (name: string, text: string): File => {
  const plain = new TextEncoder().encode(text);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return {
    name,
    type: types[name.replace(/^.*\./, '')] ?? 'application/octet-stream',
    plain,
    gzip: new Uint8Array(gzipSync(plain)),
    brotli: new Uint8Array(brotliCompressSync(plain, { params: quality })),
  };
};

const answerWith = (file: File, request: Request): Response => {
  const accepted = request.headers.get('accept-encoding') ?? '';
  const [body, encoding] = /\bbr\b/.test(accepted)
    ? [file.brotli, 'br']
    : /\bgzip\b/.test(accepted)
      ? [file.gzip, 'gzip']
      : [file.plain, undefined];
  return new Response(body, {
    headers: {
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    },
  });
};
