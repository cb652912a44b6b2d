/** @jsxImportSource preact */
import type { FailedSignIn } from '../../sign-in/failure.ts';
import {
  endMyOtherSessions,
  endSession,
  type SessionView,
  sessionLimits,
} from '../../sign-in/session.ts';
import { Act } from '../form.tsx';
import { Moment, MomentSaid } from '../moments.tsx';
import { Panel } from '../page-parts.tsx';
import { form, type Page, type ShownPage, type Visit } from '../visit.ts';
import { myWays } from './ways-in.tsx';

const saved = '/settings/me?saved=sessions#sessions';

type SessionsProps = { sessions: SessionView[]; current: string; failed: FailedSignIn | undefined };

/** Where the member is signed in. `current` is the session of this browser. */
export const MySessions = ({ sessions, current, failed }: SessionsProps) => (
  <Panel
    id="sessions"
    title="Where you are signed in"
    action={
      sessions.length > 1 && (
        <Act action="/settings/me/sessions/end-others" class="button quiet">
          Sign out everywhere else
        </Act>
      )
    }
  >
    <ul class="rows">
      {sessions.map(({ id, browser, address, seenAt }) => (
        <li>
          <div class="grow">
            <span class="name">{browserWords(browser)}</span>
            <div class="sub">
              {address} · {id === current ? 'this browser' : <Moment at={seenAt.toISOString()} />}
            </div>
          </div>
          {id !== current && (
            <Act
              action={`/settings/me/sessions/${id}/end`}
              class="button quiet small"
              label={`Sign out ${browserWords(browser)}`}
            >
              Sign out
            </Act>
          )}
        </li>
      ))}
    </ul>
    <div class="body stack tight">
      <LastFailed last={failed} />
      <p class="muted">
        A session ends after {sessionLimits.idleHours} hours without use, and after{' '}
        {sessionLimits.maxDays} days at most.
      </p>
    </div>
  </Panel>
);

const wrong = { password: 'a wrong password', code: 'a wrong code', passkey: 'a wrong passkey' };

const LastFailed = ({ last }: { last: FailedSignIn | undefined }) =>
  last ? (
    <p>
      Last failed attempt <MomentSaid at={last.at} />, with {wrong[last.with]}, from {last.address},{' '}
      {browserWords(last.browser)}.
    </p>
  ) : (
    <p class="muted">There were no failed attempts to sign in.</p>
  );

const endOthers = async ({ actor, session }: Visit) => {
  await endMyOtherSessions(actor, session.sessionId);
  // If there is nothing to decide on, it leads back here.
  return myWays;
};

const endOne = async ({ actor, parameters }: Visit<'/:id'>) => {
  await endSession(actor, parameters.id);
  return saved;
};

/** The sessions' forms. After a refusal, `mePage` is shown again. */
export const sessionForms = (mePage: ShownPage): Page[] => [
  form('/settings/me/sessions/end-others', 'member', endOthers, mePage, {
    said: 'You are signed out everywhere else.',
  }),
  form('/settings/me/sessions/:id/end', 'member', endOne, mePage, {
    said: 'That session is ended.',
  }),
];

const programs: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const firstOf = (known: [RegExp, string][], agent: string) =>
  known.find(([pattern]) => pattern.test(agent))?.[1];

/** A browser's name in words, from its user agent: `Firefox on Windows`. */
export const browserWords = (agent: string): string => {
  const [program, system] = [firstOf(programs, agent), firstOf(systems, agent)];
  if (program && system) return `${program} on ${system}`;
  return program ?? system ?? 'An unknown browser';
};
