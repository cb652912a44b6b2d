/** Whether browsers reach the application at PUBLIC_URL, safely and in the weeks to come. */
import { checkServerIdentity } from 'node:tls';
import { call, type Met, type Shown } from '../base/call.ts';
import { isTaken } from '../base/certificate-settings.ts';
import { interimName } from '../certificate/request.ts';
import type { Settings } from '../config.ts';
import { version } from '../version.ts';
import { endFindings, examineCertificate } from './certificate.ts';
import { type Finding, problem, warning } from './finding.ts';

/** Everything about the server's address: its scheme, its certificate, and what answers there. */
export const examineAddress = async (
  settings: Pick<Settings, 'publicUrl' | 'tls'>,
): Promise<Finding[]> => {
  const { publicUrl } = settings;
  const own = examineCertificate(settings);
  if (!publicUrl) return own.findings;
  // How a taken certificate stands is said by itself (taken.ts).
  const found = await examineAnswer(publicUrl, isTaken(settings.tls) ? 'said' : own.end);
  return [...schemeFindings(publicUrl), ...own.findings, ...found];
};

const schemeFindings = (publicUrl: string): Finding[] =>
  publicUrl.startsWith('http://')
    ? [
        warning(
          "PUBLIC_URL begins with http://: passwords and clients' data cross the network unencrypted.",
          'Put a proxy that speaks HTTPS in front, and set PUBLIC_URL=https://…. Or set TLS_ACME: the server then takes a certificate itself.',
        ),
      ]
    : [];

/** When the server's own certificate ends, if it has one; or that this is said elsewhere. */
type OwnEnd = Date | 'said' | undefined;

// The page System waits for this too.
const patienceMilliseconds = 2_000;

const examineAnswer = async (publicUrl: string, ownEnd: OwnEnd): Promise<Finding[]> => {
  const met = await call(`${publicUrl}/version`, patienceMilliseconds).catch(
    (error: { code?: unknown }) => ({ code: String(error.code) }),
  );
  if ('code' in met) return [unreached(publicUrl, met.code)];
  const shown = met.shown ? shownFindings(publicUrl, met.shown, ownEnd) : [];
  return [...shown, ...answerFindings(publicUrl, met)];
};

/** Findings about the certificate that is shown; of the server's own, the end is said already. */
const shownFindings = (
  publicUrl: string,
  { certificate, doubt }: Shown,
  ownEnd: OwnEnd,
): Finding[] => {
  // There is no certificate yet.
  if (certificate.subject?.CN === interimName) return [];
  const { hostname } = new URL(publicUrl);
  const findings: Finding[] = [];
  if (checkServerIdentity(hostname.replace(/^\[|\]$/g, ''), certificate)) {
    const what = `The certificate at ${publicUrl} is for another name: browsers refuse it.`;
    findings.push(problem(what, 'Have one issued for the name in PUBLIC_URL, or correct that.'));
  }
  if (/SELF_SIGNED|UNABLE_TO/.test(doubt)) {
    const what = `The certificate at ${publicUrl} is of an issuer that this machine does not know.`;
    const todo =
      'Use one that browsers know, and have its file hold the certificates of its issuers too. For an issuer of your own, name its certificate in NODE_EXTRA_CA_CERTS.';
    findings.push(warning(what, todo));
  }
  const end = new Date(certificate.valid_to);
  const isSaid = ownEnd === 'said' || end.getTime() === ownEnd?.getTime();
  return isSaid ? findings : [...findings, ...endFindings(`The certificate at ${publicUrl}`, end)];
};

const answerFindings = (publicUrl: string, { status, location, text }: Met): Finding[] => {
  if (status >= 300 && status < 400) {
    const to = URL.parse(location ?? '', publicUrl)?.origin;
    const isElsewhere = to && to !== 'null' && to !== publicUrl;
    const what = `${publicUrl} sends browsers on${isElsewhere ? ` to ${to}` : ''}.`;
    const todo = isElsewhere
      ? `Set PUBLIC_URL=${to} if that is Matterhorn's address, or take the redirect away.`
      : 'Take the redirect away: what is in front must pass every request on to the server.';
    return [problem(`PUBLIC_URL is not where Matterhorn is: ${what}`, todo)];
  }
  if (status >= 500) {
    const what = `PUBLIC_URL, ${publicUrl}, answers ${status}: what is in front does not reach the server.`;
    return [warning(what, 'Start the server, or correct the address that the proxy passes on to.')];
  }
  const there = status === 200 ? versionIn(text) : undefined;
  if (there === undefined) {
    const what = `What answers at PUBLIC_URL, ${publicUrl}, is not Matterhorn.`;
    return [problem(what, 'Correct PUBLIC_URL, or have the proxy there pass everything on.')];
  }
  if (there === version) return [];
  const what = `At PUBLIC_URL, ${publicUrl}, Matterhorn ${there} answers, and this is ${version}.`;
  return [warning(what, 'Restart the server there, or correct PUBLIC_URL.')];
};

const versionIn = (text: string): string | undefined => {
  try {
    const said = JSON.parse(text) as Record<string, unknown> | null;
    const isBuild = said && 'commit' in said && 'builtOn' in said;
    return isBuild && /^[\w.+-]{1,100}$/.test(String(said.version))
      ? String(said.version)
      : undefined;
  } catch {
    return undefined;
  }
};

/** Nobody answers this machine: which is no more than it says, since others may reach it. */
const unreached = (publicUrl: string, code: string): Finding => {
  const { hostname } = new URL(publicUrl);
  switch (code) {
    case 'ECONNREFUSED':
      return warning(
        `Nobody answers at PUBLIC_URL, ${publicUrl}: it refuses connections.`,
        'Start the server, or what is in front of it; if they run, correct PUBLIC_URL.',
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return warning(
        `This machine finds no address for ${hostname}, the name in PUBLIC_URL.`,
        'Enter the name in the DNS, or correct PUBLIC_URL.',
      );
    case 'ECONNRESET':
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return problem(
        `What answers at PUBLIC_URL, ${publicUrl}, does not speak ${publicUrl.startsWith('https:') ? 'HTTPS' : 'plain HTTP'}.`,
        'Correct the beginning or the port of PUBLIC_URL, or the settings of what is in front.',
      );
    default:
      return warning(
        `Nobody answers this machine at PUBLIC_URL, ${publicUrl}, within ${patienceMilliseconds / 1000} seconds.`,
        'Open it in a browser of another machine. If that works, only this machine cannot reach it.',
      );
  }
};
