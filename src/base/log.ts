import { write, writeSync } from 'node:fs';
import { plainJson } from './plain-text.ts';

// Without word boundaries, because `%20`, or the `n` of an escaped line break, may come before a
// key.
const keyPattern = /mh_[0-9A-Za-z]{36}/g;

type Level = 'info' | 'warn' | 'error';

/** Whether MATTERHORN_LOG=quiet limits the log to what needs attention. */
export const isQuiet = () => Bun.env.MATTERHORN_LOG === 'quiet';

/** Limits the log to what needs attention, unless MATTERHORN_LOG is set. */
export const beQuiet = () => {
  Bun.env.MATTERHORN_LOG ??= 'quiet';
};

/**
 * Writes one JSON line to standard error soon, without waiting for it. Lines that come close
 * together share a write, since a write costs more than a dozen lines. An API key in any value is
 * replaced by `mh_***`.
 */
export const log = (level: Level, event: string, fields: Record<string, unknown> = {}) => {
  if (level === 'info' && isQuiet()) return;
  const line = JSON.stringify({ at: new Date().toISOString(), level, event, ...fields });
  keep(`${plainJson(line.replace(keyPattern, 'mh_***'))}\n`);
};

const standardError = 2;
const gatherMilliseconds = 20;
// If nobody reads the log, the server goes on without it.
const maxWaitingCharacters = 8 * 1024 * 1024;
const stuckAfterMilliseconds = 1_000;

let waiting: string[] = [];
let waitingCharacters = 0;
let lost = 0;
let writingSince: number | undefined;

const keep = (line: string) => {
  if (waitingCharacters > maxWaitingCharacters) {
    lost += 1;
    return;
  }
  if (waiting.length === 0 && writingSince === undefined) setTimeout(writeOn, gatherMilliseconds);
  waiting.push(line);
  waitingCharacters += line.length;
};

const takeWaiting = () => {
  if (lost > 0) {
    const fields = { at: new Date().toISOString(), level: 'warn', event: 'log lines lost', lost };
    waiting.push(`${JSON.stringify(fields)}\n`);
  }
  const text = waiting.join('');
  waiting = [];
  waitingCharacters = lost = 0;
  return Buffer.from(text);
};

const writeOn = () => {
  if (waiting.length === 0 || writingSince !== undefined) return;
  writingSince = performance.now();
  writeAll(takeWaiting());
};

const writeAll = (bytes: Uint8Array) =>
  write(standardError, bytes, (error, written) => {
    if (error?.code === 'EAGAIN') return void setTimeout(() => writeAll(bytes), 10);
    if (!error && written < bytes.byteLength) return writeAll(bytes.subarray(written));
    writingSince = undefined;
    if (waiting.length > 0) setTimeout(writeOn, gatherMilliseconds);
  });

/**
 * Writes all waiting lines now: before the process ends, and before other output that must follow.
 */
export const flushLog = () => {
  if (writingSince !== undefined) {
    if (performance.now() - writingSince > stuckAfterMilliseconds) return;
    // Another thread writes it. That is quick unless nobody reads.
    Bun.sleepSync(5);
  }
  if (waiting.length === 0) return;
  try {
    writeSync(standardError, takeWaiting());
  } catch {
    // Nobody reads it.
  }
};

process.on('exit', flushLog);

/** Milliseconds since a value of `performance.now()`, to a tenth. */
export const millisecondsSince = (began: number) =>
  Math.round((performance.now() - began) * 10) / 10;

/**
 * What may be logged of an error: its name, message, code, constraint and origin. Never a value,
 * which may be a client's name.
 */
export const describeError = (error: unknown): Record<string, unknown> => {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return { error: typeof cause };
  const { code, constraint_name: constraint } = cause as DatabaseError;
  return {
    error: cause.name,
    message: messageOf(cause).slice(0, 500),
    code,
    constraint,
    stack: placesOf(cause),
  };
};

/** The same as one line of at most 2,000 characters, to be stored with what failed. */
export const wordsOf = (error: unknown): string => {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return 'unknown';
  const { code } = cause as DatabaseError;
  return `${messageOf(cause)}${code ? ` (${code})` : ''}`.slice(0, 2_000);
};

type DatabaseError = Error & { code?: string; constraint_name?: string; severity?: string };

const causeOf = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;

/**
 * Postgres names values in its detail, which is never read here, and in messages about data it
 * cannot accept (class 22). Others quote what they could not parse.
 */
const messageOf = (error: DatabaseError) => {
  if (error.severity === undefined) return error.message.replace(/".*"/s, '"…"');
  return error.code?.startsWith('22') ? 'Postgres could not take a value.' : error.message;
};

/** The stack without the message before it. */
const placesOf = ({ stack = '', message }: Error) =>
  stack
    .slice(stack.includes(message) ? stack.indexOf(message) + message.length : 0)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');

const complainEveryMilliseconds = 5_000;

/** Logs what may fail many times in a row, with its error: at most once in five seconds. */
export const complaints = (event: string) => {
  let againAt = 0;
  return (error: unknown) => {
    if (performance.now() < againAt) return;
    againAt = performance.now() + complainEveryMilliseconds;
    log('warn', event, describeError(error));
  };
};
