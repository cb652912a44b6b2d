/** Why no certificate was issued, and in which words an administrator is told. */
import { plainText } from '../base/plain-text.ts';

/** What kept a certificate from being issued; `detail` is the directory's own sentence. */
export type Refused = {
  kind: Kind;
  detail: string;
  /** The name that was not proved. */
  name?: string;
  /** For how long the directory wants to be left alone. */
  waitSeconds?: number;
};

type Kind =
  | 'away'
  | 'unknownIssuer'
  | 'slow'
  | 'unresolved'
  | 'unreached'
  | 'answeredElsewhere'
  | 'forbiddenByDns'
  | 'rateLimited'
  | 'rejectedName'
  | 'other';

const maxDetail = 300;

/** An error that says why no certificate was issued. */
export const refusedError = (refused: Refused) =>
  Object.assign(new Error(refused.kind), {
    refused: { ...refused, detail: plainText(refused.detail).slice(0, maxDetail) },
  });

/** Why no certificate was issued, if that is what an error says. */
export const refusedOf = (error: unknown): Refused | undefined =>
  (error as { refused?: Refused } | null)?.refused;

/** A problem as the directory words it (RFC 7807, RFC 8555 section 6.7). */
export type Problem = { type?: string; detail?: string; subproblems?: Problem[] };

/** What a directory's problem means. */
export const refusedBy = (problem: Problem, name?: string, waitSeconds?: number): Refused => {
  const type = /^urn:ietf:params:acme:error:(\w+)$/.exec(String(problem.type))?.[1] ?? '';
  const detail = String(problem.detail ?? type);
  const kind = kinds[type] ?? 'other';
  return {
    // Some directories tell the one from the other only in words.
    kind: kind === 'unreached' && unresolved.test(detail) ? 'unresolved' : kind,
    detail,
    ...(name !== undefined && { name }),
    ...(waitSeconds !== undefined && { waitSeconds }),
  };
};

const unresolved = /could not resolve|no such host|NXDOMAIN/i;

const kinds: Record<string, Kind> = {
  dns: 'unresolved',
  connection: 'unreached',
  unauthorized: 'answeredElsewhere',
  incorrectResponse: 'answeredElsewhere',
  caa: 'forbiddenByDns',
  rateLimited: 'rateLimited',
  rejectedIdentifier: 'rejectedName',
  unsupportedIdentifier: 'rejectedName',
  serverInternal: 'away',
};

/** What happened, and what to do about it: each a plain sentence. */
export const wordsOfRefused = (
  { kind, detail, name }: Refused,
  { names, directory }: { names: readonly string[]; directory: string },
): { what: string; do: string } => {
  const its = name ?? names.join(', ');
  const says = detail ? ` (${detail.replace(/\.+$/, '')})` : '';
  const at = `directory ${new URL(directory).host}`;
  switch (kind) {
    case 'unresolved':
      return {
        what: `The ${at} finds no address for ${its} in the DNS${says}.`,
        do: `Enter ${its} in the DNS with this machine's address, or correct TLS_ACME.`,
      };
    case 'unreached':
      return {
        what: `The ${at} does not reach ${its} at port 80${says}.`,
        do: `Open port 80 in the firewall and the router, and see that ${its} has this machine's address in the DNS.`,
      };
    case 'answeredElsewhere':
      return {
        what: `At ${its}, port 80, something other than this server answers the ${at}${says}.`,
        do: `Correct the address of ${its} in the DNS, IPv6 too, or what stands before this machine's port 80.`,
      };
    case 'forbiddenByDns':
      return {
        what: `The DNS of ${its} allows only other issuers of certificates${says}.`,
        do: `Add the issuer to its CAA records, or name an allowed directory in TLS_ACME_DIRECTORY.`,
      };
    case 'rateLimited':
      return {
        what: `The ${at} issues no more certificates for ${its} for now${says}.`,
        do: 'Wait, and do not change TLS_ACME meanwhile.',
      };
    case 'rejectedName':
      return {
        what: `The ${at} issues no certificate for ${its}${says}.`,
        do: 'Give the server a name that you own in the DNS, and correct TLS_ACME.',
      };
    case 'unknownIssuer':
      return {
        what: `The certificate of the ${at} itself is of an issuer that this machine does not know.`,
        do: "Name the file of that issuer's certificate in NODE_EXTRA_CA_CERTS, and restart the server.",
      };
    case 'away':
      return {
        what: `The ${at} does not answer${says}.`,
        do: 'See that this machine reaches it, and that TLS_ACME_DIRECTORY is right.',
      };
    case 'slow':
      return {
        what: `The ${at} did not issue the certificate in time${says}.`,
        do: 'Wait. If it happens again, see whether the directory reports a disturbance.',
      };
    default:
      return {
        what: `The ${at} refused the certificate for ${its}${says}.`,
        do: 'Correct what it says, in the settings TLS_ACME, TLS_ACME_EMAIL or TLS_ACME_DIRECTORY.',
      };
  }
};
