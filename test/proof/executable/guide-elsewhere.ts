/** The guide's lines behind Caddy, and with a Postgres of one's own. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '../../support/executable.ts';
import type { Follow } from './guide-every-day.ts';
import { blocksUnder, linesUnder } from './guide-lines.ts';
import type { Machine } from './machine.ts';
import type { issueIn } from './machine-directory.ts';

/** Debian's packages of Caddy, which the machines cannot download, in a folder. Says whether they are there. */
export const downloadCaddy = async (folder: string): Promise<boolean> => {
  await mkdir(join(folder, 'partial'), { recursive: true });
  const apt = (...words: string[]) =>
    Bun.spawn(['apt-get', ...words], { stdio: ['ignore', 'ignore', 'ignore'] }).exited;
  const download = () =>
    apt('install', '--yes', '--download-only', '-o', `Dir::Cache::archives=${folder}`, 'caddy');
  if ((await download()) !== 0 && (await apt('update')) === 0) await download();
  return (await readdir(folder)).some((name) => /^caddy_.*\.deb$/.test(name));
};

export const useCaddy = async (
  machine: Machine,
  follow: Follow,
  directory: Awaited<ReturnType<typeof issueIn>>,
) => {
  const [lines = ''] = linesUnder('Behind a proxy');
  // Not lines of the guide: the package is downloaded already, and Let's Encrypt is pebble here.
  await machine.type('dpkg --install /release/caddy/*.deb');
  const isPebble = `{
	acme_ca ${directory.address}
	acme_ca_root ${directory.certificate}
}
`;
  await follow(
    machine,
    'Behind a proxy',
    lines.replace("<<'CADDYFILE'\n", (line) => `${line}${isPebble}`),
  );
  const page = await directory.visit('https://matterhorn.harrow.example/sign-in');
  check(
    'a browser that trusts the directory gets the application through Caddy',
    page.includes('<form'),
  );
};

const password = 'ofthetrial';

/** The firm moves to a Postgres of Debian's on the same machine, which is then upgraded by the command. */
export const useOwnPostgres = async (
  machine: Machine,
  follow: Follow,
  { mh, newer, upgrade }: { mh: string; newer: string; upgrade: string },
) => {
  const version = (await machine.type('ls /usr/lib/postgresql | sort -V | tail -n 1')).said.trim();
  if (!/^\d+$/.test(version)) return console.log('     this Linux has no Postgres');
  // Not lines of the guide: a database on another machine is somebody else's.
  const { exitCode, said } = await machine.type(
    `cd /\npg_dropcluster --stop ${version} main || true\npg_createcluster ${version} main --start`,
  );
  check('there is a Postgres', exitCode === 0);
  if (exitCode !== 0) console.log(said);
  const sql = blocksUnder('Two roles', 'sql', 'scaling').join('\n').replaceAll('…', password);
  await follow(
    machine,
    'Two roles',
    `cd /\nrunuser -u postgres -- psql --set ON_ERROR_STOP=1 <<'SQL'\n${sql}\nSQL`,
  );
  const heading = 'When to leave the built-in database';
  const [last = '', restore = ''] = linesUnder(heading, 'scaling');
  const [settings = ''] = blocksUnder(heading, '', 'scaling');
  const ours = settings.replaceAll('…', password).replaceAll('db.example', '127.0.0.1');
  const [folder = ''] = linesUnder('Make one', 'backups')[0]?.split('\n') ?? [];
  await follow(machine, `${heading}: the last backup`, `${mh}\n${folder}\n${last}`);
  await machine.type(`cat >> /etc/matterhorn.env <<'SETTINGS'\n${ours}\nSETTINGS`);
  await follow(machine, `${heading}: restore`, restore);
  const [, mhOfDatabase = ''] = linesUnder('Commands');
  const hasFirm = async () =>
    (await machine.type(`${mhOfDatabase}\nmh firm list`)).said.includes('Harrow');
  check('the firm is in the database', await hasFirm());
  const said2 = await follow(machine, 'Upgrade, with the database', upgrade);
  check('the service is upgraded', said2.includes(`to ${newer}.`) && (await hasFirm()));
  const left = await machine.type('ls /var/lib/matterhorn');
  check('no copy is left', !left.said.includes('before-upgrade'));
};

/** The compose file says what its services need, in words that Compose knows. */
export const checkCompose = async () => {
  const file = join(import.meta.dir, '../../../docs/compose.yaml');
  const { services, volumes } = Bun.YAML.parse(await Bun.file(file).text()) as {
    services: Record<string, { build: string; image: string; volumes: string[] }>;
    volumes: Record<string, unknown>;
  };
  const [service] = Object.values(services);
  const named = service?.volumes.map((volume) => volume.split(':')[0] ?? '') ?? [];
  check(
    'the compose file names its volumes',
    named.every((name) => name in volumes),
  );
  check('its image has a default', /:-matterhorn\}$/.test(service?.image ?? ''));
};
