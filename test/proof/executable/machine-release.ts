/** The page of two releases, as the guide names their files: executables, packages, unit, checksums and signature. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeDeb } from '../../../.ci/deb/deb.ts';
import { buildVersion } from '../../support/versions.ts';

const unit = join(import.meta.dir, '../../../.ci/deb/matterhorn.service');

/** Builds 0.3.0 and 0.4.0, which the guide names, and puts their files into the folder's `release`. */
export const makeRelease = async (folder: string) => {
  const release = join(folder, 'release');
  await mkdir(release);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'jwk' }).x ?? '';
  const versions = { older: '0.3.0', newer: '0.4.0' };
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const files = ['matterhorn.service'];
  await copyFile(unit, join(release, 'matterhorn.service'));
  for (const version of Object.values(versions)) {
    const isNewer = version === versions.newer;
    const executable = await buildVersion(folder, { version, key, isNewer });
    await copyFile(executable, join(release, basename(executable)));
    files.push(basename(executable));
    files.push(await makeDeb({ executable, architecture, version, folder: release }));
  }
  let sums = '';
  for (const name of files) {
    const bytes = await Bun.file(join(release, name)).bytes();
    sums += `${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}  ${name}\n`;
  }
  await Bun.write(join(release, 'SHA256SUMS'), sums);
  await Bun.write(join(release, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums), privateKey));
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  await Bun.write(join(release, 'release.pub'), pem);
  return versions;
};
