/** A server whose certificate is taken from a directory (TLS_ACME). Loaded only for such a server. */
import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Pair } from '../base/certificate.ts';
import type { Acme } from '../base/certificate-settings.ts';
import { type InstallationKey, readInstallationKey } from '../base/installation-key.ts';
import { invalid, type Refusal } from '../base/refusal.ts';
import { sealsOf } from '../base/seal.ts';
import { readDirectory } from '../certificate/directory.ts';
import { type Keeper, keepCertificate } from '../certificate/keeper.ts';
import { interimPair } from '../certificate/request.ts';
import { publishedAnswer, readCertificateIfStored } from '../certificate/stored.ts';
import type { Settings } from '../config.ts';
import { openPorts, type Ports } from '../http/ports.ts';
import { openToHttps } from '../http/to-https.ts';
import type { Address } from '../postgres/connection.ts';
import type { Database } from '../postgres/pool.ts';
import { openSession } from '../postgres/session.ts';

/** What a server does for its certificate, from its start to its end. */
export type Taken = {
  /**
   * Opens the ports, with the certificate that is stored, or one that nobody trusts. Throws as
   * `openPorts`, `openSession` and `readInstallationKey` do.
   */
  openPorts(owner: Address, keyFile: string | undefined): Promise<Ports>;
  /** Answers challenges, and takes and renews the certificate, on a migrated database. */
  keep(database: Database, key: InstallationKey | undefined): void;
  /** Ends the pause after a refusal. */
  tryNow(): void;
  stop(): Promise<void>;
};

/**
 * Opens the port of challenges. Throws `Refusal` if the directory's terms are not accepted, or if the
 * port is taken or may not be opened.
 */
export const beginTaking = async (
  settings: Settings,
  acme: Acme,
  where: { host: string; port: number },
): Promise<Taken> => {
  if (!acme.areTermsAccepted) throw await termsNotAccepted(acme);
  const place = { host: where.host, port: acme.httpPort };
  const toHttps = openToHttps(place, settings.publicUrl ?? '');
  let ports: Ports | undefined;
  let shown: Pair | undefined;
  let keeper: Keeper | undefined;
  const show = (pair: Pair) => {
    if (ports?.callers.take(pair)) toHttps.send();
  };
  return {
    async openPorts(owner, keyFile) {
      const seals = sealsOf(keyFile === undefined ? undefined : readInstallationKey(keyFile));
      const session = await openSession(owner);
      shown = await readCertificateIfStored(session, acme, seals).finally(session.close);
      ports = openPorts(settings, where, shown ?? (await interimPair()));
      if (shown) toHttps.send();
      return ports;
    },
    keep(database, key) {
      toHttps.answerChallengesBy((token) => publishedAnswer(database, token));
      keeper = keepCertificate({ database, acme, seals: sealsOf(key), shown, show });
    },
    tryNow: () => keeper?.tryNow(),
    async stop() {
      await keeper?.stop();
      await toHttps.close();
    },
  };
};

const patienceMilliseconds = 10_000;
const maxCharacters = 300;

/** Nobody accepts terms for another: the sentence says where they are. */
const termsNotAccepted = async ({ directory }: Acme): Promise<Refusal> => {
  const signal = AbortSignal.timeout(patienceMilliseconds);
  const found = await readDirectory(directory, signal).catch(() => undefined);
  const terms = found?.terms?.slice(0, maxCharacters) ?? `those of ${directory}`;
  return invalid(
    `A certificate is issued under terms that you accept: ${terms}. Read them, and set TLS_ACME_TERMS=accepted.`,
  );
};

/** What stands for every address of this machine: those of IPv6 too, where it has any. */
export const everyAddress = () => (hasIpv6() ? '::' : '0.0.0.0');

const hasIpv6 = () => {
  try {
    return Object.values(networkInterfaces())
      .flat()
      .some((own) => own?.family === 'IPv6');
  } catch {
    // The unit of systemd keeps the server from asking the kernel (AF_NETLINK), which writes it here too.
    return existsSync(ipv6Addresses) && readFileSync(ipv6Addresses, 'utf8') !== '';
  }
};

const ipv6Addresses = '/proc/net/if_inet6';
