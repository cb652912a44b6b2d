/**
 * What must be cleaned up at the end: of a test file, or of a program that uses the same support.
 */
import { afterAll } from 'bun:test';

const isTest = process.env.NODE_ENV === 'test';
const calls: (() => unknown)[] = [];

/** Has this called when the test file is over, or when the program calls `endAll`. */
export const atEnd = (call: () => unknown): void => {
  if (isTest) afterAll(async () => void (await call()));
  else calls.push(call);
};

/** For programs: runs the clean-ups, the last one first. */
export const endAll = async (): Promise<void> => {
  for (const call of calls.splice(0).reverse()) await call();
};
