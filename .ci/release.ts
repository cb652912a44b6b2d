/**
 * Builds what a release offers into dist/release, for every platform at once: `bun run release`.
 * Beside the executables: packages for Debian and Ubuntu, the systemd unit, SHA256SUMS, and what is inside them as sbom.cdx.json (CycloneDX). With
 * RELEASE_KEY, the file of an Ed25519 key (PEM), SHA256SUMS.sig is its signature, and release.pub
 * the public key, which the executables carry; docs/administrators.md says how to check them.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import { version } from '../src/version.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { architectures, makeDeb } from './deb/deb.ts';

/** By Bun's name of the target: whose Postgres is carried. Only Linux runs it (embedded/host.ts). */
const targets = {
  'linux-x64': 'linux-x64',
  'linux-x64-baseline': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': undefined,
  'darwin-arm64': undefined,
  'windows-x64': undefined,
};

const keyFile = process.env.RELEASE_KEY;
const key = keyFile ? createPrivateKey(await Bun.file(keyFile).text()) : undefined;
const publicKey = key && createPublicKey(key);
// `matterhorn upgrade` then trusts what this key signs.
process.env.MATTERHORN_BUILD_KEY = publicKey?.export({ format: 'jwk' }).x ?? '';

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

const bill = await billOfMaterials();
await Bun.write(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
await copyFile('LICENSE', join(folder, 'LICENSE'));
await copyFile('.ci/deb/matterhorn.service', join(folder, 'matterhorn.service'));
names.push('sbom.cdx.json', 'LICENSE', 'matterhorn.service');
for (const [target, architecture] of Object.entries(architectures)) {
  const executable = join(folder, `matterhorn-${version}-${target}`);
  names.push(await makeDeb({ executable, architecture, version, folder }));
}

const sumOf = async (name: string) =>
  new Bun.CryptoHasher('sha256').update(await Bun.file(join(folder, name)).bytes()).digest('hex');
const sums = await Promise.all(names.map(async (name) => `${await sumOf(name)}  ${name}\n`));
await Bun.write(join(folder, 'SHA256SUMS'), sums.join(''));

if (key && publicKey) {
  await Bun.write(join(folder, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums.join('')), key));
  await Bun.write(join(folder, 'release.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
} else {
  console.log('SHA256SUMS is not signed: RELEASE_KEY names no key.');
}
