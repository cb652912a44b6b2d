import type { Command } from 'commander';
import { mustBeRecipients } from '../backup/encryption.ts';
import { type Backups, startScheduledBackups } from '../backup/schedule.ts';
import { isTaken } from '../base/certificate-settings.ts';
import type { InstallationKey } from '../base/installation-key.ts';
import { log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import { readSettings, type Settings } from '../config.ts';
import type { Doors, Server } from '../doors.ts';
import { listFirms } from '../firm/firm.ts';
import { closePorts, openPorts, type Ports } from '../http/ports.ts';
import { endUpgrade } from '../postgres/embedded/before-upgrade.ts';
import {
  directoryOf,
  type EmbeddedPostgres,
  startEmbedded,
} from '../postgres/embedded/embedded.ts';
import { migrate } from '../postgres/migrate.ts';
import { setupToken } from '../sign-in/setup-link.ts';
import { endOutside, settleOutside } from '../upgrade/outside.ts';
import { endWithParent, isTrial as isTrialOf } from '../upgrade/steps.ts';
import { build } from '../version.ts';
import { firstSteps } from './first-steps.ts';
import { guardProcess } from './guard-process.ts';
import { keyFileFor, keyToSignWith } from './installation.ts';
import { setupLinkOf } from './link.ts';
import {
  type Addresses,
  addressesOf,
  type CommonOptions,
  portFrom,
  say,
  type Terminal,
  textOf,
  withCommonOptions,
} from './terminal.ts';

export type ServeOptions = CommonOptions & { host?: string; port?: number };

/** `serve`, which the executable also does without a command. */
export const serveCommand = (program: Command, terminal: Terminal) => {
  withServeOptions(program.command('serve', { isDefault: true }))
    .description('start the server: the application and the API (the default)')
    .addHelpText('after', '\nExample:\n  matterhorn serve --port 3000 --data /var/lib/matterhorn')
    .action((options: ServeOptions) =>
      serve(terminal, options, async (server, dataDirectory) => {
        const { url, metricsUrl } = server;
        const [token, firms] = await Promise.all([
          setupToken(server.database),
          listFirms(server.database),
        ]);
        const settings = readSettings(terminal.environment);
        const setupLink = token && setupLinkOf(settings, url, token);
        if (options.json) {
          return `${JSON.stringify({ url, metricsUrl, dataDirectory, setupLink })}\n`;
        }
        return textOf([
          `Matterhorn listens on ${url}`,
          ...(metricsUrl ? [`Its metrics are at ${metricsUrl}`] : []),
          dataDirectory
            ? `Its data is in ${dataDirectory}`
            : 'Its data is in the database of DATABASE_URL',
          ...(firms.length > 0
            ? [`Firms: ${firms.map((firm) => firm.name).join(', ')}`]
            : firstSteps(terminal, options, String(setupLink))),
        ]);
      }),
    );
};

/** Adds the options of every command that serves. */
export const withServeOptions = (command: Command, otherwise?: string) =>
  withCommonOptions(command, otherwise)
    .option(
      '--port <port>',
      `port to listen on; 0 takes a free one (default: ${usualPort}; with TLS_ACME ${securePort})`,
      portFrom,
    )
    .option(
      '--host <address>',
      `address to listen on (default: "${usualHost}"; with TLS_ACME every one)`,
    );

const [usualPort, securePort, usualHost] = [3000, 443, '127.0.0.1'];

/** Where to listen, by the options or else by the settings: a certificate is for the whole network. */
export const placeOf = async (
  { host, port }: Pick<ServeOptions, 'host' | 'port'>,
  { tls }: Settings,
) => {
  if (!isTaken(tls)) return { host: host ?? usualHost, port: port ?? usualPort };
  const { everyAddress } = await import('./taken-certificate.ts');
  return { host: host ?? everyAddress(), port: port ?? securePort };
};

/**
 * Serves until SIGTERM or SIGINT, then finishes what is under way and stops the database that it
 * started. A second signal ends it at once. The port is open before the database is ready, so that
 * its state can be asked for. `greet` returns what is printed once the first request can be
 * answered.
 */
export const serve = async (
  terminal: Terminal,
  options: ServeOptions,
  greet: (
    server: Server,
    dataDirectory: string | undefined,
    key: InstallationKey | undefined,
  ) => Promise<string>,
): Promise<void> => {
  log('info', 'starting', build);
  const settings = readSettings(terminal.environment);
  const isTrial = isTrialOf(terminal.environment);
  if (isTrial) void endWithParent();
  await mustBeRecipients(settings.backupRecipients, 'BACKUP_RECIPIENT');
  const { tls } = settings;
  const place = await placeOf(options, settings);
  const taken = isTaken(tls)
    ? await (await import('./taken-certificate.ts')).beginTaking(settings, tls, place)
    : undefined;
  const keyFile = keyFileFor(terminal, options);
  // A certificate is in the database, so that the ports are opened later.
  const found = Promise.withResolvers<Addresses>();
  const ports = taken
    ? found.promise.then(({ owner }) => taken.openPorts(owner, keyFile))
    : Promise.resolve(openPorts(settings, place));
  const ended = Promise.withResolvers<void>();
  // The database may be given up before anything waits for the end.
  ended.promise.catch(() => {});
  const isEnded = endOnSignals(ended.resolve);
  let doors: Doors | undefined;
  guardProcess(async () => doors?.stop(0));
  // Without a certificate, it ends a server whose terminal is closed.
  if (tls) {
    process.on('SIGHUP', () => (taken ? taken.tryNow() : void ports.then(renew)));
  }
  const loading = loadDoors(settings);
  const preparing = Promise.all([loading, ports]).then(([open, opened]) => open(opened));
  preparing.catch(() => {});
  const starting = settings.database
    ? undefined
    : startDatabase(terminal, { ...options, isTrial }, taken ? loading : preparing, ended.reject);
  // It may fail before anything waits for it.
  starting?.catch(() => {});
  let backups: Backups | undefined;
  try {
    await loading;
    if (!taken) doors = await preparing;
    const embedded = await starting;
    const { requests, owner } = addressesOf(settings, embedded);
    found.resolve({ requests, owner });
    doors = await preparing;
    const upgrade = embedded ? undefined : await settleOutside({ requests, owner }, isTrial);
    await Promise.race([migrate(owner, requests, upgrade?.id), ended.promise]);
    if (isEnded()) return;
    const { key, why } = await keyToSignWith(keyFile, owner);
    if (why) log('warn', 'audit log and backups are not signed', { message: why });
    const dataDirectory = embedded?.dataDirectory;
    backups = startScheduledBackups(owner, settings, { key, dataDirectory });
    // From its first answer on, nothing may go back.
    if (!isTrial && embedded) endUpgrade(directoryOf(options.data));
    if (!isTrial && upgrade) await endOutside(owner, upgrade);
    const server = doors.start(requests, { key, keyFile, dataDirectory, backups });
    taken?.keep(server.database, key);
    terminal.out(await greet(server, dataDirectory, key));
    await ended.promise;
  } finally {
    if (!doors) ports.then(closePorts, () => {});
    await taken?.stop();
    await Promise.all([doors?.stop(), backups?.stop()]);
    const embedded = await starting?.catch(() => undefined);
    await embedded?.stop();
  }
};

const renew = ({ callers }: Ports) => callers.renew();

/**
 * Loads most of the program, and says how its doors are let answer at open ports. Postgres starts in
 * the meantime, in processes of its own, which are begun before this one is busy.
 */
const loadDoors = async (settings: Settings): Promise<(ports: Ports) => Doors> => {
  await Bun.sleep(0);
  const { openDoors } = await import('../doors.ts');
  const countWith = settings.metricsAddress && (await import('../metrics/metrics.ts')).openMetrics;
  return (ports) => openDoors(settings, ports, countWith);
};

/** The first signal ends the process in order, the second one at once. Committed work is safe. */
const endOnSignals = (end: () => void) => {
  let isEnded = false;
  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGINT', 2],
  ] as const) {
    process.on(signal, () => {
      if (isEnded) process.exit(128 + number);
      isEnded = true;
      end();
    });
  }
  return () => isEnded;
};

const startDatabase = (
  terminal: Terminal,
  { data, isTrial }: ServeOptions & { isTrial: boolean },
  meanwhile: Promise<unknown>,
  giveUp: (error: Error) => void,
): Promise<EmbeddedPostgres> =>
  startEmbedded({
    dataDirectory: data,
    isTrial,
    meanwhile,
    say: (sentence) => say(terminal, sentence),
    onGaveUp: (sentence) => giveUp(new Refusal('unavailable', sentence)),
  });
