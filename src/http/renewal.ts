import { type CertificateFiles, endOf, type Pair, readPair } from '../base/certificate.ts';
import { describeError, log } from '../base/log.ts';
import { invalid, Refusal } from '../base/refusal.ts';

// What a program that renews certificates writes is read, not watched: links may lead to it.
const lookEveryMilliseconds = 2_000;

/**
 * Takes up each new certificate in the files: `replace` gets it. One that cannot be used is refused
 * with one line in the log. `look` does not wait until the files stay as they are.
 */
export const whenChanged = (
  files: CertificateFiles,
  inUse: Pair,
  replace: (pair: Pair) => void,
): { look(): void; close(): void } => {
  let used: Found = inUse;
  let judged: Found = inUse;
  let seen: Found = inUse;
  const look = (isPatient: boolean) => {
    const found = read(files);
    // The two files are written one after the other.
    const isSettled = !isPatient || isSame(found, seen);
    seen = found;
    if (!isSettled || isSame(found, judged)) return;
    judged = found;
    if (!isSame(found, used) && takeUp(found, replace)) used = found;
  };
  const timer = setInterval(() => look(true), lookEveryMilliseconds);
  return { look: () => look(false), close: () => clearInterval(timer) };
};

/**
 * Takes up a new certificate, unless it has ended: `replace` gets it. Says whether, also in the log.
 */
export const takeUp = (found: Found, replace: (pair: Pair) => void): boolean => {
  try {
    if (found instanceof Error) throw found;
    const end = endOf(found);
    if (end.getTime() < Date.now()) throw invalid('The new certificate has expired.');
    replace(found);
    log('info', 'certificate renewed', { ends: end.toISOString() });
    return true;
  } catch (error) {
    const why = error instanceof Refusal ? { message: error.message } : describeError(error);
    log('error', 'certificate refused, the one before stays', why);
    return false;
  }
};

/** What is in the files, or why they cannot be read. */
type Found = Pair | Error;

const read = (files: CertificateFiles): Found => {
  try {
    return readPair(files);
  } catch (error) {
    return error as Error;
  }
};

const isSame = (one: Found, other: Found) =>
  one instanceof Error || other instanceof Error
    ? one instanceof Error && other instanceof Error && one.message === other.message
    : one.certificate === other.certificate && one.key === other.key;
