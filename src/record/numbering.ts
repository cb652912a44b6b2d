import { invalid } from '../base/refusal.ts';

const counter = /\{(#+)\}/;

/**
 * Writes a record's number in the firm's format: literal text, `{YYYY}`, `{YY}`, `{MM}` of its
 * creation in UTC, and the counter `{####}`, zero-padded to as many digits, growing past them.
 */
export const formatNumber = (format: string, number: number, at: Date): string => {
  const year = String(at.getUTCFullYear());
  return format
    .replace(counter, (_, run: string) => String(number).padStart(run.length, '0'))
    .replaceAll('{YYYY}', year)
    .replaceAll('{YY}', year.slice(-2))
    .replaceAll('{MM}', String(at.getUTCMonth() + 1).padStart(2, '0'));
};

/** Throws `Refusal` unless the format has exactly one counter and no other braces (contract.md, Records). */
export const checkNumberFormat = (name: string, format: string) => {
  const rest = format.replace(counter, '').replaceAll(/\{(YYYY|YY|MM)\}/g, '');
  if (!counter.test(format) || /[{}]/.test(rest) || format.length > 64) {
    throw invalid(
      `${name} must hold one counter such as {####}, may hold {YYYY}, {YY} and {MM}, and is at most 64 characters.`,
    );
  }
};
