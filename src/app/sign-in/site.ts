import { isIP } from 'node:net';
import { Refusal } from '../../base/refusal.ts';
import type { Site } from '../../sign-in/passkey.ts';
import { originOf } from '../cookies.ts';
import type { OpenVisit } from '../visit.ts';

/**
 * The site of passkeys, by the address at which a visitor reaches us. Undefined if browsers offer no
 * passkeys there: they need https or localhost, and a name in the address instead of numbers.
 */
export const siteOf = (visit: Pick<OpenVisit, 'request' | 'settings'>): Site | undefined => {
  const url = URL.parse(originOf(visit));
  if (!url) return undefined;
  const { hostname: host, origin, protocol } = url;
  const isNumbers = isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
  const isSafe = protocol === 'https:' || host === 'localhost';
  return isNumbers || !isSafe ? undefined : { host, origin };
};

/** The site of passkeys. Throws `Refusal` conflict if there are none. */
export const siteFor = (visit: OpenVisit): Site => {
  const site = siteOf(visit);
  if (!site) throw new Refusal('conflict', whyNoPasskeys);
  return site;
};

/** Why there are no passkeys, if `siteOf` returns undefined. */
export const whyNoPasskeys = 'Passkeys need https and a domain name.';
