import { describeError, log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';

/** A failure as one plain sentence that says what to do; details of a bug go to the log. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof Refusal || (error instanceof Error && error.name === 'PlainError'))
    return error.message;
  const { code = '', path, syscall } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (syscall === 'connect' && code === 'ENOENT') return reasons.ECONNREFUSED as string;
  if (syscall === 'listen' && (code === 'EADDRNOTAVAIL' || code === 'EINVAL')) return noAddress;
  const sentence = reasons[code] ?? fileReasons[code]?.(path ?? 'what it writes to');
  if (sentence) return sentence;
  log('error', 'command failed', describeError(error));
  return 'Something failed that should not have; the line above has the details. Nothing was changed halfway.';
};

const noAddress =
  '--host must be an address of this machine: 127.0.0.1 to be reached from here alone, 0.0.0.0 from everywhere.';
const silent =
  'What is at DATABASE_URL does not answer as a Postgres does. Check the address and the network.';
const unknownHost = 'The host in DATABASE_URL is not known. Correct the address.';

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
  '28P01': 'The database at DATABASE_URL refuses this user or password. Correct the address.',
  '28000':
    'The database at DATABASE_URL refuses this user, or a connection without TLS. Correct the address, or add ?sslmode=require to it.',
  '3D000':
    'The database that DATABASE_URL names does not exist. Create it, or correct the address.',
  '42501':
    'The database user may not create tables. Give it the right to, or name another user in DATABASE_URL.',
  '53100': "The database's disk is full. Free some space and try again.",
  '53300': 'The database takes no more connections. Try again in a moment, or raise its limit.',
  '57P03': 'The database is starting or stopping. Try again in a moment.',
  '25006': 'The database only lets itself be read. Name the main server in DATABASE_URL.',
  '22021': 'A text holds a character that cannot be stored, such as NUL. Take it out.',
};

/** By the code of the operating system, for the file it happened to. */
const fileReasons: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no ${path}. Correct the name.`,
  EACCES: (path) =>
    `This user may not use ${path}. Name another place, or run the command as its owner.`,
  EPERM: (path) =>
    `This user may not use ${path}. Name another place, or run the command as its owner.`,
  EISDIR: (path) => `The path ${path} is a folder. Name a file.`,
  ENOTDIR: (path) => `A part of the path ${path} is a file, not a folder. Correct the name.`,
  EEXIST: (path) => `There is ${path} already. Name another.`,
  ENAMETOOLONG: (path) => `The name ${path} is too long. Choose a shorter one.`,
  ELOOP: (path) => `The path ${path} leads in a circle of links. Name another.`,
  EROFS: (path) => `The disk of ${path} can only be read. Name another place.`,
  ENOSPC: (path) => `The disk is full at ${path}. Free some space and try again.`,
  EDQUOT: (path) => `The disk quota is used up at ${path}. Free some space and try again.`,
};
