import type { WayIn } from '../hand-over/ways-in.ts';
import { table } from './terminal.ts';

/** A member's keys, feed and passkeys for people, each with its last use; nothing if there are none. */
export const waysLines = (heading: string, ways: readonly WayIn[]): string[] => {
  if (ways.length === 0) return [];
  const rows = ways.map(({ kind, name, lastUsedAt }) => [
    ...[kind, name],
    lastUsedAt ? lastUsedAt.toISOString() : 'never',
  ]);
  return [heading, ...table(['KIND', 'NAME', 'LAST USED'], rows, '')];
};
