import type { Settings } from '../config.ts';

/** The address by which browsers reach a server that listens on `url`: no browser opens 0.0.0.0. */
const reachedAt = ({ publicUrl }: Settings, url: string) =>
  publicUrl ?? url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//127.0.0.1');

/** The address of the page that makes the first firm, on a server that listens on `url`. */
export const setupLinkOf = (settings: Settings, url: string, token: string) =>
  `${reachedAt(settings, url)}/setup?token=${token}`;

/** The address of a one-time link, on a server that listens on `url`. */
export const welcomeLinkOf = (settings: Settings, url: string, token: string) =>
  `${reachedAt(settings, url)}/welcome/${token}`;

/** The address of a one-time link: at PUBLIC_URL, or at this machine's own port. */
export const linkOf = ({ publicUrl, tls }: Settings, port: number, token: string) =>
  `${publicUrl ?? `${tls ? 'https' : 'http'}://127.0.0.1:${port}`}/welcome/${token}`;
