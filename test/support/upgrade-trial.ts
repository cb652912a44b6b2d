/** An installation that `matterhorn upgrade` is tried on: its executable, its data with a firm, and the files of releases. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { $ } from 'bun';
import { freePort } from './instances.ts';
import { buildVersion } from './versions.ts';

export type Ran = { exitCode: number; out: string; err: string };

/** Builds the two versions, and makes the firm's data with the older one. */
export const openUpgradeTrial = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'matterhorn-upgrade-'));
  await chmod(folder, 0o755);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'jwk' }).x ?? '';
  // The older one was built by somebody else: it knows no key.
  const older = await buildVersion(folder, { version: '9.1.0', key: '', isNewer: false });
  const newer = await buildVersion(folder, { version: '9.2.0', key, isNewer: true });

  const at = (name: string) => join(folder, name);
  const [executable, data, pristine] = [at('bin/matterhorn'), at('data'), at('pristine')];
  const release = at('release');
  const file = join(release, basename(newer));
  await mkdir(at('bin'));
  const keyFile = at('release.pub');
  await Bun.write(keyFile, publicKey.export({ type: 'spki', format: 'pem' }));
  const environment = { PATH: process.env.PATH ?? '', HOME: folder, RATE_LIMIT: 'off' };

  const command = async (words: string[], more: Record<string, string> = {}): Promise<Ran> => {
    const ran = Bun.spawn([executable, ...words], {
      cwd: folder,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([ran.stdout.text(), ran.stderr.text()]);
    return { exitCode: await ran.exited, out, err };
  };

  /** Puts the files of a release into its folder, with the checksums of what they are now. */
  const publish = async (files: string[]) => {
    await rm(release, { recursive: true, force: true });
    await mkdir(release);
    let sums = '';
    for (const one of files) {
      await copyFile(one, join(release, basename(one)));
      const sum = new Bun.CryptoHasher('sha256').update(await Bun.file(one).bytes()).digest('hex');
      sums += `${sum}  ${basename(one)}\n`;
    }
    await Bun.write(join(release, 'SHA256SUMS'), sums);
    await Bun.write(join(release, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums), privateKey));
  };

  /** As it was when the older version was installed, and its firm made. */
  const install = async (version = older) => {
    for (const name of ['', '.new', '.before']) await rm(`${executable}${name}`, { force: true });
    await link(version, executable);
    await rm(data, { recursive: true, force: true });
    if (existsSync(pristine)) await $`cp -a ${pristine} ${data}`.quiet();
  };

  /** Starts the server as its administrator does. */
  const serve = async (more: Record<string, string> = {}, where = ['--data', data]) => {
    const port = await freePort();
    const server = Bun.spawn([executable, 'serve', '--port', String(port), ...where], {
      cwd: folder,
      env: { ...environment, ...more },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const errors = server.stderr.text();
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (server.exitCode === null && !(await isReady())) await Bun.sleep(50);
    const stop = async () => {
      server.kill('SIGTERM');
      await server.exited;
      return errors;
    };
    return { server, url: `http://127.0.0.1:${port}`, isReady, stop };
  };

  await install();
  const blueprint = join(folder, 'firm.json');
  const toTakeLeads = { numbering: { lead: 'L-{####}' }, leadStages: ['New'] };
  const ada = { email: 'ada@harrow.example', name: 'Ada', role: 'Owner' };
  await Bun.write(blueprint, JSON.stringify({ name: 'Harrow', members: [ada], ...toTakeLeads }));
  const made = await command(['firm', 'apply', blueprint, '--data', data]);
  if (made.exitCode !== 0) throw new Error(made.err);
  await $`cp -a ${data} ${pristine}`.quiet();

  const upgradeWords = ['upgrade', file, '--key', keyFile, '--data', data];
  return {
    ...{
      folder,
      executable,
      data,
      release,
      file,
      keyFile,
      older,
      newer,
      environment,
      upgradeWords,
    },
    ...{ command, publish, install, serve },
    version: async () => (await command(['version'])).out.split('\n')[0],
    hasFirm: async () => (await command(['firm', 'list', '--data', data])).out.includes('Harrow'),
    isLogWhole: async () => (await command(['audit', 'verify', '--data', data])).exitCode === 0,
    close: () => rm(folder, { recursive: true, force: true }),
  };
};

export type UpgradeTrial = Awaited<ReturnType<typeof openUpgradeTrial>>;
