import { fileSentenceOf } from '../base/file-error.ts';
import { describeError, log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import { escapes } from '../config.ts';
import { noTls } from '../postgres/connection.ts';

/** A failure as one plain sentence that says what to do. Details of a bug go to the log. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof Refusal) return error.message;
  const { code = '', syscall, severity } = (error ?? {}) as Partial<DatabaseError>;
  if (syscall === 'connect' && code === 'ENOENT') return reasons.ECONNREFUSED as string;
  if (syscall === 'listen' && (code === 'EADDRNOTAVAIL' || code === 'EINVAL')) return noAddress;
  // FATAL is about the connection, not about a statement.
  if (severity === 'FATAL' && /^(22|42[67])/.test(code)) return strangeParameter;
  if (/CERT|LEAF_SIGNATURE/.test(code)) return strangeCertificate;
  const sentence = reasons[code] ?? fileSentenceOf(error);
  if (sentence) return sentence;
  log('error', 'command failed', describeError(error));
  return 'Something failed unexpectedly. The line above has the details. No change was left half done.';
};

type DatabaseError = NodeJS.ErrnoException & { severity: string };

const noAddress =
  '--host must be an address of this machine. Use 127.0.0.1 for access from this machine only, 0.0.0.0 for access from anywhere.';
const silent =
  'The server at DATABASE_URL does not answer like a Postgres. Check the address and the network.';
const unknownHost = `The host in DATABASE_URL is not known. Correct the address; ${escapes}.`;
const strangeParameter =
  'DATABASE_URL has a parameter after its `?` that Postgres does not know, or whose value it does not accept. Remove it.';
const strangeCertificate =
  'The certificate of the server at DATABASE_URL is not trusted, or is for another host. Set NODE_EXTRA_CA_CERTS to the file of the issuing certificate, correct the host, or use sslmode=require, which checks no certificate.';
const busy = 'The database was busy for too long. Nothing was changed. Run the command again.';
const strangeDatabase =
  'The database in DATABASE_URL holds something else. Nothing in it was changed. Create an empty database and name that one.';

/** By the error code of Postgres, postgres.js or the network. */
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
    'The server at DATABASE_URL offers no TLS. Remove `sslmode` or `ssl` from the address, or switch TLS on at the server.',
  '28P01': `The database at DATABASE_URL refuses this user or password. Correct the address; ${escapes}.`,
  '28000':
    'The database at DATABASE_URL refuses this user, or a connection without TLS. Correct the address, or add ?sslmode=require to it.',
  '3D000': 'The database in DATABASE_URL does not exist. Create it, or correct the address.',
  '42P06': strangeDatabase,
  '42P07': strangeDatabase,
  '42710': strangeDatabase,
  '42723': strangeDatabase,
  '42501':
    'The database user may not create or change tables. Grant it that right, or name the user that owns the tables in DATABASE_OWNER_URL.',
  // Too long for a lock or a statement; a deadlock.
  '55P03': busy,
  '57014': busy,
  '40P01': busy,
  '53100': "The database's disk is full. Free some space and try again.",
  '53300': 'The database accepts no more connections. Try again in a moment, or raise its limit.',
  '57P03': 'The database is starting or stopping. Try again in a moment.',
  '25006': 'The database is read-only. Name the main server in DATABASE_URL.',
  '22021': 'A text holds a character that cannot be stored (NUL, for example). Remove it.',
};
