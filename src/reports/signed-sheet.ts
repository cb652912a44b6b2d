/** A control sheet as a file that the installation has signed. It is proved without a server and without a network. */
import { canonicalJson } from '../audit/chain.ts';
import { type InstallationKey, isSignedBy } from '../base/installation-key.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import type { ControlSheet } from './control-sheet.ts';

/** A sheet with the key that signed it (32 bytes in base64url), and the signature (64 bytes). */
export type SignedSheet = ControlSheet & { publicKey: string; signature: string };

/**
 * What is signed, as UTF-8: these words, and the sheet as canonical JSON (RFC 8785) without the key and the
 * signature.
 */
const textOf = (sheet: ControlSheet) => `matterhorn control sheet 1 ${canonicalJson(sheet)}`;

/** Signs a sheet. */
export const signSheet = (sheet: ControlSheet, key: InstallationKey): SignedSheet => ({
  ...sheet,
  publicKey: key.publicKey,
  signature: key.sign(textOf(sheet)),
});

/** A signed sheet as the text of its file: canonical JSON in one line. */
export const sheetFile = (sheet: SignedSheet): string => `${canonicalJson(sheet)}\n`;

/**
 * Reads the text of a file that `sheetFile` made, and proves it. It throws `Refusal` invalid_request for a text that
 * is no control sheet; conflict if anything in it differs from what was signed, be it only how it is written.
 */
export const proveSheet = (text: string): SignedSheet => {
  const found = parsed(text);
  if (!isSheet(found)) throw invalid('This is no control sheet that was saved with its signature.');
  const { publicKey, signature, ...sheet } = found;
  const isWhole = canonicalJson(found) === text.trimEnd();
  if (isWhole && isSignedBy(publicKey, textOf(sheet), signature)) return found;
  throw new Refusal(
    'conflict',
    'This control sheet was changed after it was signed. Do not rely on it: print it again from the application.',
  );
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isSheet = (value: unknown): value is SignedSheet => {
  if (typeof value !== 'object' || value === null) return false;
  const { dates, from, to, publicKey, signature } = value as Record<string, unknown>;
  return (
    Array.isArray(dates) && [from, to, publicKey, signature].every((one) => typeof one === 'string')
  );
};
