import { fileSentenceOf } from '../base/file-error.ts';
import { describeError, log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import { escapes } from '../config.ts';
import { noTls } from '../postgres/connection.ts';

/** A failure as one plain sentence that says what to do; details of a bug go to the log. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof Refusal) return error.message;
  const { code = '', syscall, severity } = (error ?? {}) as Partial<DatabaseError>;
  if (syscall === 'connect' && code === 'ENOENT') return reasons.ECONNREFUSED as string;
  if (syscall === 'listen' && (code === 'EADDRNOTAVAIL' || code === 'EINVAL')) return noAddress;
  // With FATAL it is about the connection, and not about a statement.
  if (severity === 'FATAL' && /^(22|42[67])/.test(code)) return strangeParameter;
  if (/CERT|LEAF_SIGNATURE/.test(code)) return strangeCertificate;
  const sentence = reasons[code] ?? fileSentenceOf(error);
  if (sentence) return sentence;
  log('error', 'command failed', describeError(error));
  return 'Something failed that should not have; the line above has the details. Nothing was changed halfway.';
};

type DatabaseError = NodeJS.ErrnoException & { severity: string };

const noAddress =
  '--host must be an address of this machine: 127.0.0.1 to be reached from here alone, 0.0.0.0 from everywhere.';
const silent =
  'What is at DATABASE_URL does not answer as a Postgres does. Check the address and the network.';
const unknownHost = `The host in DATABASE_URL is not known. Correct the address; ${escapes}.`;
const strangeParameter =
  'Behind the `?` of DATABASE_URL stands a parameter that Postgres does not know, or does not take so. Take it out.';
const strangeCertificate =
  'The certificate of the server at DATABASE_URL is not trusted here, or is for another host. Name the file with that of its issuer in NODE_EXTRA_CA_CERTS, correct the host, or ask for sslmode=require, which looks at no certificate.';
const strangeDatabase =
  'The database that DATABASE_URL names holds something else, and nothing of it was changed. Create an empty database, and name that.';

/** By the code of Postgres, postgres.js or the network. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'No database answers at DATABASE_URL. Start it, or correct the address.',
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  CONNECT_TIMEOUT: silent,
  ECONNRESET: silent,
  EHOSTUNREACH: silent,
  ENETUNREACH: silent,
  ETIMEDOUT: silent,
  [noTls]:
    'The server at DATABASE_URL offers no TLS. Take `sslmode` or `ssl` out of the address, or switch TLS on at the server.',
  '28P01': `The database at DATABASE_URL refuses this user or password. Correct the address; ${escapes}.`,
  '28000':
    'The database at DATABASE_URL refuses this user, or a connection without TLS. Correct the address, or add ?sslmode=require to it.',
  '3D000':
    'The database that DATABASE_URL names does not exist. Create it, or correct the address.',
  '42P06': strangeDatabase,
  '42P07': strangeDatabase,
  '42710': strangeDatabase,
  '42723': strangeDatabase,
  '42501':
    'The database user may not create tables. Give it the right to, or name another user in DATABASE_URL.',
  '53100': "The database's disk is full. Free some space and try again.",
  '53300': 'The database takes no more connections. Try again in a moment, or raise its limit.',
  '57P03': 'The database is starting or stopping. Try again in a moment.',
  '25006': 'The database only lets itself be read. Name the main server in DATABASE_URL.',
  '22021': 'A text holds a character that cannot be stored, such as NUL. Take it out.',
};
