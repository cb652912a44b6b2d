import type { Entry } from '../../sign-in/invitation.ts';
import { knownBrowserLimits, rememberBrowser } from '../../sign-in/known-browser.ts';
import { endSession, sessionLimits } from '../../sign-in/session.ts';
import { ownCookie, ownTextIn } from '../cookies.ts';
import type { GoTo, OpenVisit } from '../visit.ts';

export const browserOf = ({ request, address }: OpenVisit) => ({
  address,
  agent: request.headers.get('user-agent') ?? '',
});

const sessionSeconds = sessionLimits.maxDays * 86_400;
const deviceSeconds = knownBrowserLimits.days * 86_400;
const codeSeconds = 600;

/**
 * The cookies of a new session, by its token: its own, for as long as it may last, and the one by
 * which the browser is known afterwards.
 */
export const sessionCookies = async (visit: OpenVisit, token: string): Promise<string[]> => {
  const device = await rememberBrowser(visit.database, token, ownTextIn(visit, 'device'));
  return [
    ownCookie(visit, 'session', token, sessionSeconds),
    ...(device ? [ownCookie(visit, 'device', device, deviceSeconds)] : []),
  ];
};

/** Gives the browser its new session, and ends the old one. The page that it leads to says `words`. */
export const goIn = async (
  visit: OpenVisit,
  entry: Entry,
  to: string,
  words = 'You are signed in.',
): Promise<GoTo> => {
  if (visit.session) await endSession(visit.session.actor, visit.session.sessionId);
  if ('session' in entry) {
    const cookies = await sessionCookies(visit, entry.session);
    return { path: to, headers: { 'set-cookie': cookies }, said: { words } };
  }
  const cookie = ownCookie(visit, 'code', entry.awaitsCode, codeSeconds);
  return {
    path: `/sign-in/code?to=${encodeURIComponent(to)}`,
    headers: { 'set-cookie': cookie },
  };
};
