/** @jsxImportSource preact */
import { type FeedView, myFeed } from '../../calendar/feed.ts';
import { memberWithId } from '../../firm/member.ts';
import { chooseNotifications, switchableKinds } from '../../notifications/notification.ts';
import type { NotificationKind } from '../../notifications/table.ts';
import {
  beginAuthenticator,
  confirmAuthenticator,
  needsCode,
  removeAuthenticator,
} from '../../sign-in/code.ts';
import { type FailedSignIn, lastFailedSignIn } from '../../sign-in/failure.ts';
import { listMyPasskeys } from '../../sign-in/passkey.ts';
import { hasPassword, passwordLength } from '../../sign-in/password.ts';
import {
  endMyOtherSessions,
  endSession,
  listMySessions,
  type SessionView,
  sessionLimits,
} from '../../sign-in/session.ts';
import { changeMyPassword, proveAgain } from '../../sign-in/sign-in.ts';
import { pathWithin } from '../address.ts';
import { ownCookie } from '../cookies.ts';
import { Copy } from '../copy.tsx';
import type { Fields } from '../fields.ts';
import { Act, Check, Form, Text } from '../form.tsx';
import { seeOther } from '../headers.ts';
import { Panel } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { preferencesOf } from '../preferences.ts';
import { countAttempt } from '../sign-in/limits.ts';
import { siteOf } from '../sign-in/site.ts';
import { Value, Values } from '../values.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { browserWords } from './browser-words.ts';
import { LastFailed } from './failed-sign-in.tsx';
import { Passkeys, passkeyForms } from './passkeys.tsx';
import { afterProof } from './proof.ts';
import { QrCode } from './qr-code.tsx';
import { SettingsPage } from './sections.tsx';

/** The names of the switches, as the specification has them where it names them. */
const switchNames: Record<
  Exclude<NotificationKind, 'lead.burst'>,
  { name: string; says: string }
> = {
  'lead.new': {
    name: 'New lead created',
    says: 'One minute after a lead arrives through the API. Many leads come as one notice.',
  },
  'lead.assigned': { name: 'Lead assigned to you', says: 'When a colleague gives you a lead.' },
  'matter.added': { name: 'Added to a matter', says: 'When you join the team of a matter.' },
  'matter.archived': { name: 'Matter archived', says: 'For matters whose team you are on.' },
  'matter.deleted': { name: 'Matter deleted', says: 'For matters whose team you are on.' },
  'limitation.near': {
    name: 'Limitation date near',
    says: '180, 90, 60, 30, 14, 7 and 1 days before it, until somebody says that it was met.',
  },
  'task.assigned': { name: 'Task assigned to you', says: 'When a colleague gives you a task.' },
  'event.invited': { name: 'Invited to an event', says: 'When a colleague invites you.' },
  'event.cancelled': { name: 'Event cancelled', says: 'For events that you are invited to.' },
};

const showMe = async (visit: Visit): Promise<Shown> => {
  const { actor, session, database } = visit;
  const { member, firmId } = session;
  const [stored, sessions, hasCode, hasOne, feed, passkeys, failed] = await Promise.all([
    memberWithId(actor, member.id),
    listMySessions(actor),
    needsCode(actor, member.id),
    hasPassword(database, firmId, member.id),
    myFeed(actor),
    listMyPasskeys(actor),
    lastFailedSignIn(actor, member.id),
  ]);
  return {
    title: 'My settings',
    place: '/settings',
    main: (
      <SettingsPage title="My settings">
        <Panel id="profile" title="Profile">
          <div class="body">
            <Values>
              <Value label="Name" shown={member.name} />
              <Value label="Email" shown={member.email} />
              <Value label="Role" shown={session.roleName} />
            </Values>
          </div>
        </Panel>
        <Notifications muted={stored.mutedKinds} />
        {visit.may('matters:read') && <FeedPanel feed={feed} />}
        {hasOne && <Password />}
        <Passkeys passkeys={passkeys} canAdd={siteOf(visit) !== undefined} />
        <Authenticator hasCode={hasCode} />
        <Sessions sessions={sessions} here={session.sessionId} failed={failed} />
        <Letters areKeys={preferencesOf(visit.request).letters} />
      </SettingsPage>
    ),
  };
};

const Notifications = ({ muted }: { muted: string[] }) => (
  <Panel id="notifications" title="Notifications">
    <div class="body">
      <Form action="/settings/me/notifications" save="Save">
        {switchableKinds.map((kind) => {
          const { name, says } = switchNames[kind as keyof typeof switchNames];
          return (
            <Check
              name="kinds"
              value={kind}
              label={name}
              hint={says}
              checked={!muted.includes(kind)}
            />
          );
        })}
      </Form>
    </div>
  </Panel>
);

const FeedPanel = ({ feed }: { feed: FeedView | undefined }) => (
  <Panel id="feed" title="Calendar feed">
    <div class="body stack">
      <p>
        Your limitation dates, tasks and events in the calendar of your phone or computer, by a
        secret address. They can be read there, not changed.
      </p>
      {feed && (
        <p>
          An address was made <Moment at={feed.createdAt.toISOString()} />.{' '}
          {feed.lastUsedAt ? (
            <>
              Last used: <Moment at={feed.lastUsedAt.toISOString()} />.
            </>
          ) : (
            'It was not used yet.'
          )}
        </p>
      )}
      <div class="row">
        <form class="act" method="post" action="/settings/me/feed" data-whole>
          <button class="button">
            {feed ? 'Make another address; this one ends' : 'Make an address'}
          </button>
        </form>
        {feed && <Act action="/settings/me/feed/revoke">End the feed</Act>}
      </div>
    </div>
  </Panel>
);

const Password = () => (
  <Panel id="password" title="Password">
    <div class="body">
      <Form action="/settings/me/password" save="Change password" whole>
        <Text
          name="present"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
        <Text
          name="password"
          label="New password"
          hint={`${passwordLength.least} characters or more. It signs you out everywhere else.`}
          type="password"
          autocomplete="new-password"
          required
        />
      </Form>
    </div>
  </Panel>
);

const Authenticator = ({ hasCode }: { hasCode: boolean }) => (
  <Panel id="authenticator" title="Authenticator">
    <div class="body stack">
      <p>
        {hasCode
          ? 'When you sign in, you are asked for a code from your authenticator.'
          : 'With an authenticator app on your phone, you sign in with a code besides your password. Nobody gets in with your password alone.'}
      </p>
      {hasCode ? (
        <Act action="/settings/me/authenticator/remove">Remove the authenticator</Act>
      ) : (
        <form class="act" method="post" action="/settings/me/authenticator" data-whole>
          <button class="button">Set up an authenticator</button>
        </form>
      )}
    </div>
  </Panel>
);

type SessionsProps = { sessions: SessionView[]; here: string; failed: FailedSignIn | undefined };

const Sessions = ({ sessions, here, failed }: SessionsProps) => (
  <Panel
    id="sessions"
    title="Where you are signed in"
    action={
      sessions.length > 1 && (
        <Act action="/settings/me/sessions/end-others" look="button quiet">
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
              {address} · {id === here ? 'this browser' : <Moment at={seenAt.toISOString()} />}
            </div>
          </div>
          {id !== here && (
            <Act
              action={`/settings/me/sessions/${id}/end`}
              look="button quiet small"
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
        {sessionLimits.mostDays} days at most.
      </p>
    </div>
  </Panel>
);

const Letters = ({ areKeys }: { areKeys: boolean }) => (
  <Panel id="keys-here" title="Keys in this browser">
    <div class="body stack">
      <p>
        {areKeys
          ? 'Single letters are shortcuts: N makes a new lead, M moves a card.'
          : 'Single letters do nothing, so that dictation causes no surprises.'}
      </p>
      <form class="act" method="post" action="/preferences" data-whole>
        <input type="hidden" name="letters" value={areKeys ? 'off' : 'on'} />
        <button class="button">Switch single-letter keys {areKeys ? 'off' : 'on'}</button>
      </form>
    </div>
  </Panel>
);

const saved = (part: string) => `/settings/me?saved=${part}#${part}`;

const changeNotifications = async ({ actor }: Visit, fields: Fields) => {
  await chooseNotifications(actor, fields.all('kinds'));
  return saved('notifications');
};

const changePassword = async (visit: Visit, fields: Fields) => {
  const { actor, session, request, address } = visit;
  await countAttempt(visit, session.member.email);
  const typed = { present: fields.raw('present') ?? '', wish: fields.raw('password') ?? '' };
  const browser = { address, agent: request.headers.get('user-agent') ?? '' };
  const token = await changeMyPassword(actor, session.member.email, typed, browser);
  const cookie = ownCookie(visit, 'session', token, sessionLimits.mostDays * 86_400);
  return { path: saved('password'), headers: { 'set-cookie': cookie } };
};

const showSetUp = async ({ actor }: Visit): Promise<Shown> => {
  const { secret, address } = await beginAuthenticator(actor);
  return {
    title: 'Set up an authenticator',
    place: '/settings',
    main: (
      <SettingsPage title="Set up an authenticator">
        <Panel id="scan" title="Scan this code, then type what the app shows">
          <div class="body stack">
            <QrCode says={address} label="The secret as a QR code, for an authenticator app" />
            <p>
              Or type this secret: <code id="totp">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>{' '}
              <Copy of="totp" label="Copy the secret" />
            </p>
            <Form action="/settings/me/authenticator/confirm" save="Confirm" whole>
              <Text
                name="code"
                label="Code"
                autocomplete="one-time-code"
                inputmode="numeric"
                required
                first
              />
            </Form>
          </div>
        </Panel>
      </SettingsPage>
    ),
  };
};

const confirm = async ({ actor }: Visit, fields: Fields): Promise<Shown> => {
  const codes = await confirmAuthenticator(actor, fields.text('code') ?? '');
  return {
    title: 'Recovery codes',
    place: '/settings',
    main: (
      <SettingsPage title="Recovery codes">
        <Panel id="codes" title="Keep these ten codes: they are shown only now">
          <div class="body stack">
            <p>If you lose your phone, type one of these instead of a code. Each works once.</p>
            <ul class="codes" id="recovery-codes">
              {codes.map((code) => (
                <li>
                  <code>{code.replace(/(.{4})(?=.)/g, '$1-')}</code>
                </li>
              ))}
            </ul>
            <div class="row">
              <a class="button primary" href="/settings/me">
                I have kept them
              </a>
              <Copy of="recovery-codes" label="Copy the recovery codes" />
            </div>
          </div>
        </Panel>
      </SettingsPage>
    ),
  };
};

/** After a wrong first code, a new secret is shown, because a secret is only for one try. */
const showConfirmAgain = async (visit: Visit): Promise<Shown> => showSetUp(visit);

const showProof = async ({ query, refused }: Visit): Promise<Shown> => ({
  title: 'Is it you?',
  place: '/settings',
  main: (
    <SettingsPage title="Is it you?">
      <Panel id="proof" title="Type your password again">
        <div class="body">
          <Form action="/settings/me/confirm" save="Go on" whole>
            <input
              type="hidden"
              name="to"
              value={pathWithin(refused?.fields.raw('to') ?? query.get('to'))}
            />
            <Text
              name="password"
              label="Password"
              type="password"
              autocomplete="current-password"
              required
              first
            />
          </Form>
        </div>
      </Panel>
    </SettingsPage>
  ),
});

const prove = async (visit: Visit, fields: Fields) => {
  await countAttempt(visit, visit.session.member.email);
  await proveAgain(visit.database, visit.session, fields.raw('password') ?? '');
  return pathWithin(fields.raw('to'));
};

export const mePages: Page[] = [
  page('/settings', 'member', async () => seeOther('/settings/me')),
  page('/settings/me', 'member', showMe),
  form('/settings/me/notifications', 'member', changeNotifications, showMe),
  form('/settings/me/password', 'member', changePassword, showMe),
  form(
    '/settings/me/authenticator',
    'member',
    afterProof('/settings/me#authenticator', showSetUp),
    showMe,
  ),
  form('/settings/me/authenticator/confirm', 'member', confirm, showConfirmAgain),
  form(
    '/settings/me/authenticator/remove',
    'member',
    afterProof('/settings/me#authenticator', async ({ actor }) => {
      await removeAuthenticator(actor);
      return saved('authenticator');
    }),
    showMe,
  ),
  form(
    '/settings/me/sessions/end-others',
    'member',
    async ({ actor, session }) => {
      await endMyOtherSessions(actor, session.sessionId);
      return saved('sessions');
    },
    showMe,
  ),
  form(
    '/settings/me/sessions/:id/end',
    'member',
    async ({ actor, parameters }) => {
      await endSession(actor, parameters.id);
      return saved('sessions');
    },
    showMe,
  ),
  ...passkeyForms(showMe),
  page('/settings/me/confirm', 'member', showProof),
  form('/settings/me/confirm', 'member', prove, showProof),
];
