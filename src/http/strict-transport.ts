import { isIP } from 'node:net';
import type { Settings } from '../config.ts';

/** Tells browsers to use only HTTPS for this host from now on, for a year. */
export const strictTransport = 'max-age=31536000';

/**
 * Whether an answer says `strictTransport`: if the installation's address begins with https and has
 * a name of its own. Localhost and numbers belong to other programs too.
 */
export const insistsOnHttps = ({ publicUrl, tls }: Pick<Settings, 'publicUrl' | 'tls'>) => {
  const isHttps = publicUrl ? publicUrl.startsWith('https:') : tls !== undefined;
  if (!isHttps || (publicUrl && !hasName(publicUrl))) return () => false;
  // A proxy in front may ask by localhost. A browser that asks by it comes to us without one.
  return ({ headers }: Request) => !tls || hasName(`https://${headers.get('host')}`);
};

const hasName = (address: string) => {
  const host = URL.parse(address)?.hostname ?? '';
  return (
    host !== '' && !/(^|\.)localhost\.?$/.test(host) && isIP(host.replace(/^\[|\]$/g, '')) === 0
  );
};
