/** @jsxImportSource preact */

import { type FeedView, myFeed } from '../../calendar/feed.ts';
import { readFirm } from '../../firm/firm.ts';
import { chooseMyFormats, usualFormats } from '../../firm/formats.ts';
import { listMembers, memberWithId } from '../../firm/member.ts';
import { needsCode } from '../../sign-in/code.ts';
import { lastFailedSignIn } from '../../sign-in/failure.ts';
import { listMyPasskeys } from '../../sign-in/passkey.ts';
import { hasPassword } from '../../sign-in/password.ts';
import { listMySessions } from '../../sign-in/session.ts';
import { changeMyPassword } from '../../sign-in/sign-in.ts';
import { readsDates } from '../about.ts';
import type { Fields } from '../fields.ts';
import { Act, Form } from '../form.tsx';
import { seeOther } from '../headers.ts';
import { MomentSaid } from '../moments.tsx';
import { Panel } from '../page-parts.tsx';
import { preferencesOf } from '../preferences.ts';
import { Secret } from '../secret.tsx';
import { browserOf, sessionCookies } from '../sign-in/go-in.ts';
import { countProof } from '../sign-in/limits.ts';
import { knownPassword, NewPassword, signsOutElsewhere } from '../sign-in/passwords.tsx';
import { siteOf } from '../sign-in/site.ts';
import { Value, Values } from '../values.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { AbsencePanel, othersThan, ownAbsence } from './absence.tsx';
import { Authenticator, authenticatorForms } from './authenticator.tsx';
import { FormatsPanel, formatsIn } from './formats.tsx';
import { MailRefused } from './member-parts.tsx';
import { MySessions, sessionForms } from './my-sessions.tsx';
import { changeNotifications, NotificationChoices } from './notifications.tsx';
import { Passkeys, passkeyForms } from './passkeys.tsx';
import { settingsPage } from './sections.tsx';
import { myWaysPages } from './ways-in.tsx';

const showMe = async (visit: Visit): Promise<Shown> => {
  const { actor, session, database } = visit;
  const { member, firmId } = session;
  const [stored, members, firm, sessions, hasCode, hasOne, feed, passkeys, failed] =
    await Promise.all([
      memberWithId(actor, member.id),
      listMembers(actor),
      readFirm(actor),
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
          <div class="body stack">
            <MailRefused {...stored} />
            <Values>
              <Value label="Name" shown={member.name} />
              <Value label="Email" shown={member.email} />
              <Value label="Role" shown={session.roleName} />
            </Values>
          </div>
        </Panel>
        <FormatsPanel
          action="/settings/me/formats"
          chosen={stored.formats}
          firm={{ ...usualFormats, ...firm.formats }}
        />
        <NotificationChoices member={stored} hasMail={firm.mailsSince !== null} />
        <AbsencePanel
          action="/settings/me/absence"
          absence={stored}
          others={othersThan(member.id, members, session)}
        />
        {readsDates.anyOf.some(visit.may) && <FeedPanel feed={feed} />}
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
        A secret link shows your limitation dates, tasks and events in the calendar of your phone or
        computer. You can read them there, but not change them.
      </p>
      {feed && (
        <p>
          The feed link was created <MomentSaid at={feed.createdAt} />.{' '}
          {feed.lastUsedAt ? (
            <>
              It was last used <MomentSaid at={feed.lastUsedAt} />.
            </>
          ) : (
            'Not used yet.'
          )}
        </p>
      )}
      <div class="row">
        <form class="act" method="post" action="/settings/me/feed" data-whole>
          <button class="button">{feed ? 'Replace the feed link' : 'Create feed link'}</button>
        </form>
        {feed && <Act action="/settings/me/feed/revoke">End the feed</Act>}
      </div>
    </div>
  </Panel>
);

const MyPassword = () => (
  <Panel id="password" title="Password">
    <div class="body">
      <Form action="/settings/me/password" save="Change password" whole isOneOfSeveral>
        <Secret
          {...knownPassword}
          name="present"
          label="Current password"
          ask="Enter your current password."
        />
        <NewPassword label="New password" hint={signsOutElsewhere} />
      </Form>
    </div>
  </Panel>
);

const changePassword = async (visit: Visit, fields: Fields) => {
  const { actor, session } = visit;
  const guess = await countProof(visit);
  const typed = { present: fields.raw('present') ?? '', password: fields.raw('password') ?? '' };
  const token = await changeMyPassword(actor, session.member.email, typed, browserOf(visit));
  await guess.succeeded();
  const cookies = await sessionCookies(visit, token);
  return { path: '/settings/me?saved=password#password', headers: { 'set-cookie': cookies } };
};

const Letters = ({ areKeys }: { areKeys: boolean }) => (
  <Panel id="keys-here" title="Keyboard shortcuts in this browser">
    <div class="body stack">
      <p>
        {areKeys
          ? 'Single letters are shortcuts: N opens a new lead, M moves a card.'
          : 'Single letters do nothing. This helps if you dictate.'}
      </p>
      <form class="act" method="post" action="/preferences" data-whole>
        <input type="hidden" name="letters" value={areKeys ? 'off' : 'on'} />
        <button class="button">Switch single letters {areKeys ? 'off' : 'on'}</button>
      </form>
    </div>
  </Panel>
);

const mePage = page('/settings/me', 'member', showMe);

export const mePages: Page[] = [
  page('/settings', 'member', async () => seeOther('/settings/me')),
  mePage,
  form('/settings/me/notifications', 'member', changeNotifications, mePage, {
    said: 'Your notifications are changed.',
  }),
  form(
    '/settings/me/formats',
    'member',
    async ({ actor }, fields) => {
      await chooseMyFormats(actor, formatsIn(fields));
      return '/settings/me?saved=formats#formats';
    },
    mePage,
    { said: 'Your dates and times are changed.' },
  ),
  ownAbsence(mePage),
  form('/settings/me/password', 'member', changePassword, mePage, {
    said: 'Your password is changed.',
  }),
  ...authenticatorForms(mePage),
  ...sessionForms(mePage),
  ...passkeyForms(mePage),
  ...myWaysPages,
];
