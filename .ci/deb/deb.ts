/** The package for Debian and Ubuntu, made of one executable by Debian's own `dpkg-deb`. */
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { $ } from 'bun';

/** Debian's name of a machine, by the name in our executables. */
export const architectures = { 'linux-x64-baseline': 'amd64', 'linux-arm64': 'arm64' } as const;

type Parts = {
  executable: string;
  architecture: (typeof architectures)[keyof typeof architectures];
  /** As `matterhorn version` prints it. */
  version: string;
  folder: string;
};

/** Debian sorts `0.3.0~dev` before `0.3.0`. */
const debianVersion = (version: string) => version.replace('-dev', '~dev').replace(/-/g, '.');

/** Makes `matterhorn_VERSION_ARCHITECTURE.deb` in the folder, and gives its name. */
export const makeDeb = async ({ executable, architecture, version, folder }: Parts) => {
  const root = await mkdtemp(join(tmpdir(), 'matterhorn-deb-'));
  const put = async (from: string, to: string, mode: number) => {
    const path = join(root, to);
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await copyFile(from, path);
    await chmod(path, mode);
  };
  const own = (name: string) => join(import.meta.dir, name);
  try {
    await put(executable, 'usr/bin/matterhorn', 0o755);
    await put(own('matterhorn.service'), 'usr/lib/systemd/system/matterhorn.service', 0o644);
    await put(own('matterhorn.env'), 'usr/share/matterhorn/matterhorn.env', 0o644);
    await put(join(import.meta.dir, '../../LICENSE'), 'usr/share/doc/matterhorn/copyright', 0o644);
    const docs = join(import.meta.dir, '../../CHANGELOG.md');
    await put(docs, 'usr/share/doc/matterhorn/CHANGELOG.md', 0o644);
    for (const script of ['postinst', 'prerm', 'postrm'])
      await put(own(script), `DEBIAN/${script}`, 0o755);
    await put(own('templates'), 'DEBIAN/templates', 0o644);
    const control = [
      'Package: matterhorn',
      `Version: ${debianVersion(version)}`,
      `Architecture: ${architecture}`,
      'Maintainer: The engineers of Matterhorn <matterhorn@example.invalid>',
      'Section: web',
      'Priority: optional',
      'Depends: libc6 (>= 2.34), libstdc++6, passwd, debconf (>= 0.5) | debconf-2.0',
      'Description: Practice management for law firms',
      ' Contacts, leads, matters, dates and an audit log: an application in the',
      ' browser and a REST API, with the database inside.',
      '',
    ];
    await Bun.write(join(root, 'DEBIAN/control'), control.join('\n'));
    await $`chmod -R u+rwX,go+rX,go-w ${root}`;
    const name = `matterhorn_${debianVersion(version)}_${architecture}.deb`;
    await $`dpkg-deb --build --root-owner-group -Zzstd -z12 ${root} ${join(folder, name)}`.quiet();
    return name;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};
