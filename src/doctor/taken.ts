/** How the certificate stands that the server takes from a directory (TLS_ACME). */
import type { Acme } from '../base/certificate-settings.ts';
import { type InstallationKey, readInstallationKey } from '../base/installation-key.ts';
import { wordsOfRefused } from '../certificate/refused.ts';
import { areForeign } from '../certificate/sealed.ts';
import { readStanding, type Standing } from '../certificate/stored.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Finding, problem, warning } from './finding.ts';

/** The certificate as it stands; without days where there is none yet. */
export type TakenCertificate = { names: readonly string[]; endsAt?: string; renewsAt?: string };

/** How the certificate stands, and what is wrong with it. */
export const examineTaken = async (
  database: Runs,
  acme: Acme,
  keyFile: string | undefined,
): Promise<{ certificate: TakenCertificate; findings: Finding[] }> => {
  const [standing, sealing] = await Promise.all([
    readStanding(database, acme),
    examineSealing(database, acme, keyIn(keyFile)),
  ]);
  const { endsAt, renewsAt } = standing ?? {};
  return {
    certificate: {
      names: acme.names,
      ...(endsAt && { endsAt: endsAt.toISOString() }),
      ...(renewsAt && { renewsAt: renewsAt.toISOString() }),
    },
    findings: [...findingsOf(acme, standing), ...sealing],
  };
};

/** The installation's key; nothing where it cannot be read, of which `examineKey` says why. */
const keyIn = (file: string | undefined) => {
  try {
    return file === undefined ? undefined : readInstallationKey(file);
  } catch {
    return undefined;
  }
};

/** Whether the private keys of the certificate and its account can be read. */
const examineSealing = async (
  database: Runs,
  acme: Acme,
  key: InstallationKey | undefined,
): Promise<Finding[]> => {
  const { certificate, account } = await areForeign(database, acme, key);
  const its = acme.names.join(', ');
  const anew = 'Seal it anew with `matterhorn audit key --old FILE`.';
  return [
    ...(certificate
      ? [
          problem(
            `The private key of the certificate for ${its} is sealed with a key that is not here: the server cannot show this certificate.`,
            `${anew} If that key is lost, start the server: it takes a new certificate.`,
          ),
        ]
      : []),
    ...(account
      ? [
          warning(
            `The private key of the account at ${acme.directory} is sealed with a key that is not here.`,
            `${anew} If that key is lost, do nothing: with the next certificate, the server makes another account.`,
          ),
        ]
      : []),
  ];
};

/** How the certificate stands, in one sentence. */
export const wordsOfTaken = ({ names, endsAt, renewsAt }: TakenCertificate): string => {
  const its = names.join(', ');
  if (!endsAt || !renewsAt) return `There is no certificate for ${its} yet.`;
  return `The certificate for ${its} ends on ${dayOf(endsAt)}. The server renews it from ${dayOf(renewsAt)} on.`;
};

const dayOf = (moment: string) => moment.slice(0, 10);

const dayMilliseconds = 86_400_000;
const urgentDays = 7;

const findingsOf = (acme: Acme, standing: Standing | undefined): Finding[] => {
  const { endsAt, refused, nextTryAt } = standing ?? {};
  const left = endsAt ? endsAt.getTime() - Date.now() : 0;
  const level = left > urgentDays * dayMilliseconds ? warning : problem;
  if (refused && nextTryAt) {
    const words = wordsOfRefused(refused, acme);
    const when = `${nextTryAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const next = refused.waitSeconds
      ? `The server tries again at ${when}, as the directory asks.`
      : `The server tries again at ${when}, or at once after \`systemctl kill -s HUP --kill-whom=main matterhorn\`.`;
    const stands = endsAt ? '' : ' So there is no certificate yet.';
    return [level(`${words.what}${stands}`, `${words.do} ${next}`)];
  }
  if (!endsAt) {
    const todo =
      'Start the server if it is not running; if it is, wait a minute, then look at its log.';
    return [warning(wordsOfTaken({ names: acme.names }), todo)];
  }
  if (left > 0) return [];
  const what = `The certificate for ${acme.names.join(', ')} ended on ${dayOf(endsAt.toISOString())}: browsers refuse it.`;
  return [problem(what, 'Start the server if it is not running; if it is, look at its log.')];
};
