/**
 * Writes the browser's scripts into a folder for the executable: `bun src/app/bundle.ts dist/app`.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleScripts } from './assets.ts';

const [folder = 'dist/app'] = process.argv.slice(2);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const { name, text } of await bundleScripts()) await Bun.write(join(folder, name), text);
