/** @jsxImportSource preact */
import { type FeedView, myFeed } from '../../calendar/feed.ts';
import { memberWithId } from '../../firm/member.ts';
import { needsCode } from '../../sign-in/code.ts';
import { lastFailedSignIn } from '../../sign-in/failure.ts';
import { listMyPasskeys } from '../../sign-in/passkey.ts';
import { hasPassword } from '../../sign-in/password.ts';
import { listMySessions } from '../../sign-in/session.ts';
import { Act } from '../form.tsx';
import { seeOther } from '../headers.ts';
import { Panel } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { preferencesOf } from '../preferences.ts';
import { siteOf } from '../sign-in/site.ts';
import { Value, Values } from '../values.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { Authenticator, authenticatorForms } from './authenticator.tsx';
import { MyPassword, passwordForms } from './my-password.tsx';
import { MySessions, sessionForms } from './my-sessions.tsx';
import { NotificationSwitches, notificationForms } from './notification-switches.tsx';
import { Passkeys, passkeyForms } from './passkeys.tsx';
import { settingsPage } from './sections.tsx';
import { myWaysPages } from './ways-in.tsx';

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
  return settingsPage({
    title: 'My settings',
    main: (
      <>
        <Panel id="profile" title="Profile">
          <div class="body">
            <Values>
              <Value label="Name" shown={member.name} />
              <Value label="Email" shown={member.email} />
              <Value label="Role" shown={session.roleName} />
            </Values>
          </div>
        </Panel>
        <NotificationSwitches muted={stored.mutedKinds} />
        {visit.may('matters:read') && <FeedPanel feed={feed} />}
        {hasOne && <MyPassword />}
        <Passkeys passkeys={passkeys} canAdd={siteOf(visit) !== undefined} />
        <Authenticator hasCode={hasCode} />
        <MySessions sessions={sessions} current={session.sessionId} failed={failed} />
        <Letters areKeys={preferencesOf(visit.request).letters} />
      </>
    ),
  });
};

const FeedPanel = ({ feed }: { feed: FeedView | undefined }) => (
  <Panel id="feed" title="Calendar feed">
    <div class="body stack">
      <p>
        A secret address shows your limitation dates, tasks and events in the calendar of your phone
        or computer. You can read them there, but not change them.
      </p>
      {feed && (
        <p>
          An address was made <Moment at={feed.createdAt.toISOString()} />.{' '}
          {feed.lastUsedAt ? (
            <>
              Last used: <Moment at={feed.lastUsedAt.toISOString()} />.
            </>
          ) : (
            'It has not been used yet.'
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

const Letters = ({ areKeys }: { areKeys: boolean }) => (
  <Panel id="keys-here" title="Keys in this browser">
    <div class="body stack">
      <p>
        {areKeys
          ? 'Single letters are shortcuts: N makes a new lead, M moves a card.'
          : 'Single letters do nothing. This helps if you dictate.'}
      </p>
      <form class="act" method="post" action="/preferences" data-whole>
        <input type="hidden" name="letters" value={areKeys ? 'off' : 'on'} />
        <button class="button">Switch single-letter keys {areKeys ? 'off' : 'on'}</button>
      </form>
    </div>
  </Panel>
);

const mePage = page('/settings/me', 'member', showMe);

export const mePages: Page[] = [
  page('/settings', 'member', async () => seeOther('/settings/me')),
  mePage,
  ...notificationForms(mePage),
  ...passwordForms(mePage),
  ...authenticatorForms(mePage),
  ...sessionForms(mePage),
  ...passkeyForms(mePage),
  ...myWaysPages,
];
