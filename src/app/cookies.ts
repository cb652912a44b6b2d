import type { Settings } from '../config.ts';
import type { OpenVisit } from './visit.ts';

/** The cookie's value; undefined if the browser did not send it. */
export const textIn = (request: Request, name: string): string | undefined => {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value] = part.split('=', 2);
    if (key?.trim() === name) return value?.trim();
  }
  return undefined;
};

/**
 * The names under which a session's cookie counts. Over HTTPS only the first: browsers accept that
 * one only from this very host, so no neighbouring host can plant a session.
 */
export const sessionCookieNames = (request: Request, settings: Settings) =>
  isSecure(request, settings) ? ['__Host-session'] : ['__Host-session', 'session'];

/** Whether browsers reach this server over HTTPS. Only then do they keep a Secure cookie. */
export const isSecure = (request: Request, { publicUrl, tls }: Settings): boolean => {
  if (publicUrl) return publicUrl.startsWith('https:');
  if (tls) return true;
  const host = request.headers.get('host') ?? '';
  // A proxy in front speaks HTTPS. Only this machine itself uses plain HTTP.
  return !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
};

/** A cookie only for this server, which no script can read. `seconds` 0 removes it. */
export const ownCookie = (
  visit: Pick<OpenVisit, 'request' | 'settings'>,
  name: 'session' | 'code' | 'device',
  value: string,
  seconds: number,
): string => {
  const mark = isSecure(visit.request, visit.settings) ? ' Secure;' : '';
  return `${ownName(visit, name)}=${value};${mark} HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}`;
};

const ownName = ({ request, settings }: Pick<OpenVisit, 'request' | 'settings'>, name: string) =>
  isSecure(request, settings) ? `__Host-${name}` : name;

/** The value of a cookie that `ownCookie` made. */
export const ownTextIn = (visit: OpenVisit, name: 'code' | 'device'): string | undefined =>
  textIn(visit.request, ownName(visit, name));

/** The application's own origin, as its visitors reach it: PUBLIC_URL, or the host that they ask for. */
export const originOf = ({
  request,
  settings,
}: Pick<OpenVisit, 'request' | 'settings'>): string => {
  if (settings.publicUrl) return settings.publicUrl;
  const scheme = isSecure(request, settings) ? 'https' : 'http';
  return `${scheme}://${request.headers.get('host') ?? 'localhost'}`;
};
