/** How the certificate stands that the server takes from a directory (TLS_ACME). */
import type { Acme } from '../base/certificate-settings.ts';
import { wordsOfRefused } from '../certificate/refused.ts';
import { readStanding, type Standing } from '../certificate/stored.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Finding, problem, warning } from './finding.ts';

/** The certificate as it stands; without days where there is none yet. */
export type TakenCertificate = { names: readonly string[]; endsAt?: string; renewsAt?: string };

/** How the certificate stands, and what is wrong with it. */
export const examineTaken = async (
  database: Runs,
  acme: Acme,
): Promise<{ certificate: TakenCertificate; findings: Finding[] }> => {
  const standing = await readStanding(database, acme);
  const { endsAt, renewsAt } = standing ?? {};
  return {
    certificate: {
      names: acme.names,
      ...(endsAt && { endsAt: endsAt.toISOString() }),
      ...(renewsAt && { renewsAt: renewsAt.toISOString() }),
    },
    findings: findingsOf(acme, standing),
  };
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
