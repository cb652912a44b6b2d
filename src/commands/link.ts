import type { Settings } from '../config.ts';

/** The address of a one-time link: at PUBLIC_URL, or at this machine's own port. */
export const linkOf = ({ publicUrl, tls }: Settings, port: number, token: string) =>
  `${publicUrl ?? `${tls ? 'https' : 'http'}://127.0.0.1:${port}`}/welcome/${token}`;
