import type { Settings } from '../config.ts';
import type { OpenVisit } from './visit.ts';

/** The cookie's value; undefined where the browser sent none of this name. */
export const textIn = (request: Request, name: string): string | undefined => {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value] = part.split('=', 2);
    if (key?.trim() === name) return value?.trim();
  }
  return undefined;
};

/** The names under which browsers keep a session: only a secure connection may set the first. */
export const sessionCookieNames = ['__Host-session', 'session'] as const;

/** Whether browsers reach this server over HTTPS: only then they keep a Secure cookie. */
export const isSecure = (request: Request, { publicUrl, tls }: Settings): boolean => {
  if (publicUrl) return publicUrl.startsWith('https:');
  if (tls) return true;
  const host = request.headers.get('host') ?? '';
  // A proxy in front speaks HTTPS; only this machine itself is reached without.
  return !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
};

/** A cookie for this server alone, that no script can read; `seconds` 0 takes it away. */
export const ownCookie = (
  visit: Pick<OpenVisit, 'request' | 'settings'>,
  name: 'session' | 'code',
  value: string,
  seconds: number,
): string => {
  const secure = isSecure(visit.request, visit.settings);
  const [fullName, mark] = secure ? [`__Host-${name}`, ' Secure;'] : [name, ''];
  return `${fullName}=${value};${mark} HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}`;
};

/** The application's own origin, as its visitors reach it: PUBLIC_URL, or the host that they ask for. */
export const originOf = ({
  request,
  settings,
}: Pick<OpenVisit, 'request' | 'settings'>): string => {
  if (settings.publicUrl) return settings.publicUrl;
  const scheme = isSecure(request, settings) ? 'https' : 'http';
  return `${scheme}://${request.headers.get('host') ?? 'localhost'}`;
};
