import { BlockList, isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { isTaken, type Tls, tlsFrom } from './base/certificate-settings.ts';
import { type MailAccount, mailFrom } from './base/mail-settings.ts';
import { invalid } from './base/refusal.ts';
import type { Address } from './postgres/connection.ts';

/** How fast one key may call: calls a second on average, and calls at once. */
export type Rate = { perSecond: number; burst: number };

/** The folder for the server's own backups, how often they are made, and how many are kept. */
export type ScheduledBackups = { directory: string; everyMilliseconds: number; keep: number };

/** Every setting of the server, from the environment. The commands' options come in addition. */
export type Settings = {
  /** DATABASE_URL: any Postgres 15 or newer. Without it, the embedded one is used. */
  database: Address | undefined;
  /** DATABASE_OWNER_URL: the same database, as the owner of its tables; by default DATABASE_URL. */
  databaseOwner: Address | undefined;
  /**
   * RATE_LIMIT: `off`, or `<per second>/<burst>`; 20/600 by default (docs/contract.md, Keys, roles,
   * rates).
   */
  rateLimit: Rate | 'off';
  /** DATABASE_CONNECTIONS: how many connections to Postgres at most; 5 by default, 2 to 100. */
  databaseConnections: number;
  /** DRAIN_SECONDS: how long it still answers after it was told to stop; 1 by default, 0 to 60. */
  drainSeconds: number;
  /** METRICS_ADDRESS: where `/metrics` is, for example 127.0.0.1:9464; nowhere by default. */
  metricsAddress: { host: string; port: number } | undefined;
  /** TRUSTED_PROXIES: addresses and networks whose X-Forwarded-For is believed; none by default. */
  trustedProxies: BlockList;
  /**
   * WEBHOOK_ALLOW: networks that webhooks are sent to though they are not of the open internet; none by
   * default.
   */
  webhookAllow: BlockList;
  /** PUBLIC_URL: how browsers reach the application; used for links and cookies. */
  publicUrl: string | undefined;
  /**
   * For HTTPS without a proxy: TLS_CERT and TLS_KEY, the files of a certificate and its key, or
   * TLS_ACME, the names for which the server takes one itself.
   */
  tls: Tls | undefined;
  /**
   * INSTALLATION_KEY: the file of the signing key; by default beside the embedded database, with
   * DATABASE_URL none.
   */
  installationKey: string | undefined;
  /**
   * BACKUP_DIR, BACKUP_EVERY (24h by default), BACKUP_KEEP (14). Without a folder, no backups are
   * made.
   */
  backups: ScheduledBackups | undefined;
  /** BACKUP_RECIPIENT: for whom backups are encrypted, none by default. */
  backupRecipients: readonly string[];
  /** MAIL_URL and MAIL_FROM: the mail server of firms that have set none of their own. */
  mail: MailAccount | undefined;
};

type Environment = Record<string, string | undefined>;

/** Reads the environment. Throws `Refusal` that names the wrong variable and what it takes. */
export const readSettings = (environment: Environment): Settings => {
  checkLog(environment.MATTERHORN_LOG);
  const database = databaseFrom('DATABASE_URL', environment.DATABASE_URL);
  const databaseOwner = databaseFrom('DATABASE_OWNER_URL', environment.DATABASE_OWNER_URL);
  if (databaseOwner && !database) {
    throw invalid(
      'DATABASE_OWNER_URL is set without DATABASE_URL, which names the user that serves requests. Set both.',
    );
  }
  const tls = tlsFrom(environment);
  const installationKey = keyFileFrom(environment.INSTALLATION_KEY);
  if (isTaken(tls) && database && !installationKey) {
    throw invalid(
      "TLS_ACME needs INSTALLATION_KEY beside DATABASE_URL: the certificate's key is sealed with it.",
    );
  }
  return {
    database,
    databaseOwner: databaseOwner ?? database,
    rateLimit: rateFrom(environment.RATE_LIMIT),
    databaseConnections: connectionsFrom(environment.DATABASE_CONNECTIONS),
    drainSeconds: drainFrom(environment.DRAIN_SECONDS),
    metricsAddress: metricsAddressFrom(environment.METRICS_ADDRESS),
    trustedProxies: networksFrom('TRUSTED_PROXIES', environment.TRUSTED_PROXIES),
    webhookAllow: networksFrom('WEBHOOK_ALLOW', environment.WEBHOOK_ALLOW),
    publicUrl: publicUrlFrom(environment.PUBLIC_URL, tls),
    tls,
    installationKey,
    backups: backupsFrom(environment),
    backupRecipients: environment.BACKUP_RECIPIENT?.split(/[\s,]+/).filter(Boolean) ?? [],
    mail: mailFrom(environment),
  };
};

/** The log reads MATTERHORN_LOG itself, from its first line on (base/log.ts). */
const checkLog = (text = '') => {
  if (text !== '' && text !== 'quiet') {
    throw invalid('MATTERHORN_LOG must be quiet, or not be set: then everything is logged.');
  }
};

/** How to write a user and a password in an address. */
export const escapes =
  'in user and password / is written %2F, # is %23, ? is %3F, @ is %40 and % itself is %25';

const databaseFrom = (variable: string, text: string | undefined): Address | undefined => {
  if (!text) return undefined;
  const url = /^postgres(ql)?:\/\//.test(text) ? URL.parse(text) : null;
  if (!url) {
    throw invalid(
      `${variable} must be an address like postgres://user:password@host:5432/database; ${escapes}.`,
    );
  }
  const [host, username, password, database] = [
    ...[url.hostname, url.username, url.password, url.pathname.slice(1)].map((part) =>
      decoded(variable, part),
    ),
  ] as [string, string, string, string];
  for (const name of ['sslmode', 'ssl']) {
    if (!tlsModes.includes(url.searchParams.get(name) ?? 'prefer')) {
      throw invalid(`In ${variable} ${name} must be disable, prefer, require or verify-full.`);
    }
  }
  if (!host.startsWith('/')) return url.href;
  // As in libpq: a percent-encoded folder in place of the host is the folder of the socket.
  return { path: `${host}/.s.PGSQL.${url.port || 5432}`, username, password, database };
};

// The values of postgres.js and libpq. `ssl` may also be true or false.
const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'].concat([
  'true',
  'false',
]);

const decoded = (variable: string, part: string) => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid(`${variable} holds a % that begins no code: ${escapes}.`);
  }
};

const rateFrom = (text = '20/600'): Rate | 'off' => {
  if (text === 'off') return 'off';
  const [, perSecond, burst] = /^(\d{1,6}(?:\.\d{1,3})?)\/(\d{1,7})$/.exec(text) ?? [];
  if (!(Number(perSecond) > 0 && Number(burst) >= 1)) {
    throw invalid('RATE_LIMIT must be `off` or `<per second>/<burst>`, for example 20/600.');
  }
  return { perSecond: Number(perSecond), burst: Number(burst) };
};

const connectionsFrom = (text = '5') => {
  const connections = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (connections < 2 || connections > 100) {
    throw invalid('DATABASE_CONNECTIONS must be a whole number from 2 to 100.');
  }
  return connections;
};

const drainFrom = (text = '1') => {
  if (!/^\d{1,2}$/.test(text) || Number(text) > 60) {
    throw invalid('DRAIN_SECONDS must be a whole number from 0 to 60.');
  }
  return Number(text);
};

const metricsAddressFrom = (text: string | undefined) => {
  if (!text) return undefined;
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) {
    throw invalid('METRICS_ADDRESS must be an address and a port, for example 127.0.0.1:9464.');
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
};

const networksFrom = (variable: string, text = ''): BlockList => {
  const networks = new BlockList();
  for (const network of text.split(',').map((one) => one.trim())) {
    if (network === '') continue;
    const [address = '', bits, ...more] = network.split('/');
    const [max, family] = isIP(address) === 6 ? [128, 'ipv6' as const] : [32, 'ipv4' as const];
    const isSane = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
    if (isIP(address) === 0 || !isSane || more.length > 0) {
      throw invalid(
        `${variable} must be addresses or networks with commas between them, for example 10.0.0.0/8, ::1.`,
      );
    }
    networks.addSubnet(address, Number(bits ?? max), family);
  }
  return networks;
};

const publicUrlFrom = (text: string | undefined, tls: Tls | undefined) => {
  if (!text) return isTaken(tls) ? `https://${tls.names[0]}` : undefined;
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url || url.href !== `${url.origin}/`) {
    throw invalid(
      'PUBLIC_URL must be an address without a path, for example https://practice.harrow.example.',
    );
  }
  if (isTaken(tls) && !(url.protocol === 'https:' && tls.names.includes(url.hostname))) {
    throw invalid('PUBLIC_URL must begin with https:// and have a name that TLS_ACME has too.');
  }
  return url.origin;
};

const keyFileFrom = (text: string | undefined) => {
  if (!text) return undefined;
  if (isAbsolute(text)) return text;
  throw invalid(
    'INSTALLATION_KEY must be the full path of a file, for example /var/lib/matterhorn/installation.key.',
  );
};

const unitMilliseconds: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const backupsFrom = ({ BACKUP_DIR, BACKUP_EVERY = '24h', BACKUP_KEEP = '14' }: Environment) => {
  const [, count = '0', unit = ''] = /^(\d{1,4})([mhd])$/.exec(BACKUP_EVERY) ?? [];
  const everyMilliseconds = Number(count) * (unitMilliseconds[unit] ?? 0);
  if (everyMilliseconds === 0) {
    throw invalid('BACKUP_EVERY must be minutes, hours or days, for example 30m, 6h or 7d.');
  }
  const keep = /^\d{1,4}$/.test(BACKUP_KEEP) ? Number(BACKUP_KEEP) : 0;
  if (keep === 0) throw invalid('BACKUP_KEEP must be a whole number from 1 to 9999.');
  if (!BACKUP_DIR) return undefined;
  if (!isAbsolute(BACKUP_DIR)) {
    throw invalid('BACKUP_DIR must be the full path of a folder, for example /var/lib/backups.');
  }
  return { directory: BACKUP_DIR, everyMilliseconds, keep };
};
