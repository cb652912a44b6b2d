/**
 * Builds what a release offers into dist/release, for every platform at once: `bun run release`.
 * Beside the executables: SHA256SUMS, and what is inside them as sbom.cdx.json (CycloneDX). With
 * RELEASE_KEY, the file of an Ed25519 key (PEM), SHA256SUMS.sig is its signature, and release.pub
 * the public key; docs/administrators.md says how to check them.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import { version } from '../src/version.ts';
import { billOfMaterials } from './bill-of-materials.ts';

/** By Bun's name of the target: whose Postgres is carried. Only Linux runs it (embedded/host.ts). */
const targets = {
  'linux-x64': 'linux-x64',
  'linux-x64-baseline': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': undefined,
  'darwin-arm64': undefined,
  'windows-x64': undefined,
};

const folder = 'dist/release';
const names: string[] = [];

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await $`bun install --frozen-lockfile --silent ${['--os=*', '--cpu=*']}`;
await $`bun src/app/bundle.ts dist/app`;

for (const [target, platform] of Object.entries(targets)) {
  const name = `matterhorn-${version}-${target}${target.startsWith('windows') ? '.exe' : ''}`;
  const assets: string[] = [];
  if (platform) {
    const archive = join('dist', platform, 'postgres', 'postgres.tar.zst');
    await $`bun src/postgres/pack.ts ${platform} ${archive}`;
    assets.push('--asset', join('dist', platform, 'postgres'));
  }
  await $`bun run compile --target=bun-${target} ${assets} --outfile ${join(folder, name)}`;
  names.push(name);
  console.log(`${name}${platform ? '' : ': without a database of its own, it needs DATABASE_URL'}`);
}

const maps = [...new Bun.Glob('*.map').scanSync(folder)].map((name) => join(folder, name));
const bill = await billOfMaterials(maps);
await Bun.write(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
await Promise.all(maps.map((map) => rm(map)));
await copyFile('LICENSE', join(folder, 'LICENSE'));
names.push('sbom.cdx.json', 'LICENSE');

const sumOf = async (name: string) =>
  new Bun.CryptoHasher('sha256').update(await Bun.file(join(folder, name)).bytes()).digest('hex');
const sums = await Promise.all(names.map(async (name) => `${await sumOf(name)}  ${name}\n`));
await Bun.write(join(folder, 'SHA256SUMS'), sums.join(''));

const keyFile = process.env.RELEASE_KEY;
if (keyFile) {
  const key = createPrivateKey(await Bun.file(keyFile).text());
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  await Bun.write(join(folder, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums.join('')), key));
  await Bun.write(join(folder, 'release.pub'), publicKey);
} else {
  console.log('SHA256SUMS is not signed: RELEASE_KEY names no key.');
}
