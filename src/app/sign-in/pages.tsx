/** @jsxImportSource preact */
import { isId } from '../../base/columns.ts';
import { Refusal } from '../../base/refusal.ts';
import { sealsOf } from '../../base/seal.ts';
import { listFirms } from '../../firm/firm.ts';
import type { Entry } from '../../sign-in/invitation.ts';
import { readLink } from '../../sign-in/link.ts';
import { beginPasskeySignIn, signInWithPasskey } from '../../sign-in/passkey-sign-in.ts';
import type { Membership } from '../../sign-in/password.ts';
import { endSession } from '../../sign-in/session.ts';
import { signIn, signInWithCode } from '../../sign-in/sign-in.ts';
import { pathWithin } from '../address.ts';
import { Choices } from '../choices.tsx';
import { ownCookie, ownTextIn } from '../cookies.ts';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { seeOther } from '../headers.ts';
import { Card } from '../layout.tsx';
import {
  bytesWithPending,
  isSentOn,
  PendingForm,
  pendingFrom,
  pendingIn,
  ResumeForm,
} from '../pending-form.tsx';
import { Secret } from '../secret.tsx';
import { form, type GoTo, type OpenVisit, type Page, page, type Shown } from '../visit.ts';
import { browserOf, goIn } from './go-in.ts';
import { countAttempt, countGuess, takeCode } from './limits.ts';
import { knownPassword } from './passwords.tsx';
import { siteFor, siteOf } from './site.ts';

const formBytes = 16 * 1024;

/** Signs in, and has the form sent that waited. */
const goInWith = async (visit: OpenVisit, entry: Entry, fields: Fields): Promise<GoTo | Shown> => {
  const to = pathWithin(fields.raw('to'));
  const pending = pendingIn(fields);
  const next = await goIn(visit, entry, to);
  if (pending === undefined || typeof next === 'string') return next;
  const { headers = {} } = next;
  if ('awaitsCode' in entry) {
    const query = new URLSearchParams({ to });
    return { ...(await showCode({ ...visit, query }, pending)), headers };
  }
  return {
    title: 'You are signed in',
    headers,
    main: (
      <Card title="You are signed in">
        <div class="stack">
          <p>What you typed is still here. It is not saved yet.</p>
          <ResumeForm pending={pending} send="Send it now" />
          <a class="button wide" href={to}>
            Continue without sending
          </a>
        </div>
      </Card>
    ),
  };
};

const wayOf = ({ query, refused }: OpenVisit) =>
  pathWithin(refused?.fields.raw('to') ?? query.get('to'));

const showSignIn = async (visit: OpenVisit, sentOn?: string): Promise<Shown | Response> => {
  const to = wayOf(visit);
  const pending = pendingIn(visit.refused?.fields) ?? sentOn;
  const member = againAs(visit);
  const isIn = visit.session && (member ?? visit.session.member.id) === visit.session.member.id;
  if (isIn && !visit.refused) return seeOther(to);
  const within = member && 'again';
  const [only, another] = await listFirms(visit.database);
  if (!only) return showNoFirm();
  const title = another ? 'Sign in' : `Sign in to ${only.name}`;
  return {
    title,
    main: (
      <>
        <Card title={title}>
          {visit.settings.publicUrl?.startsWith('http://') && (
            <p class="banner warn">
              This connection is not encrypted: others can read what you send.
            </p>
          )}
          <Form action="/sign-in" {...(within && { within })}>
            <Onward to={to} member={member} pending={pending} />
            <Text name="email" label="Email" type="email" autocomplete="username" required first />
            <Secret {...knownPassword} />
            <button class="button primary wide">Sign in</button>
          </Form>
          {siteOf(visit) && <PasskeySignIn to={to} member={member} pending={pending} />}
        </Card>
        <p class="muted">
          No password yet, or forgotten? Ask an owner of the firm for a link. With the link you
          choose a new password.
        </p>
      </>
    ),
  };
};

/** For a person whose address and password fit in several firms. */
const showFirms = (to: string, email: string, firms: Membership[], pending?: string): Shown => ({
  title: 'Which firm?',
  main: (
    <Card title="Which firm?">
      <div class="stack">
        <p>You are a member of several firms. Choose one, and type your password again.</p>
        <Form action="/sign-in">
          <Onward to={to} member={undefined} pending={pending} />
          <input type="hidden" name="email" value={email} />
          <Choices
            name="member"
            label="Firm"
            value={firms[0]?.memberId}
            options={firms.map(({ memberId, firmName }) => ({ value: memberId, name: firmName }))}
          />
          <Secret {...knownPassword} />
          <button class="button primary wide">Sign in</button>
        </Form>
      </div>
    </Card>
  ),
});

type Onward = { to: string; member: string | undefined; pending: string | undefined };

/** Where the sign-in leads, the form that waits, and the only member who may sign in there. */
const Onward = ({ to, member, pending }: Onward) => (
  <>
    <input type="hidden" name="to" value={to} />
    <PendingForm pending={pending} />
    {member && <input type="hidden" name="member" value={member} />}
  </>
);

/** The member whose page waits below, if somebody signs in over it. */
const againAs = ({ query, refused }: OpenVisit) => {
  const member = refused ? refused.fields.raw('member') : query.get('member');
  return member && isId(member) ? member : undefined;
};

const PasskeySignIn = (onward: Onward) => (
  <>
    <p class="or">or</p>
    <Form action="/sign-in/passkey" passkey="/sign-in/passkey/challenge">
      <Onward {...onward} />
      <button class="button wide">Use a passkey</button>
    </Form>
  </>
);

const showNoFirm = (): Shown => ({
  title: 'There is no firm yet',
  main: (
    <Card title="There is no firm yet">
      <p>The server printed an address when it started. Open it to set up your firm.</p>
    </Card>
  ),
});

const showCode = async (visit: OpenVisit, waiting?: string): Promise<Shown> => ({
  title: 'Your code',
  main: (
    <Card title="Your code">
      <Form action="/sign-in/code">
        <Onward
          to={wayOf(visit)}
          member={undefined}
          pending={pendingIn(visit.refused?.fields) ?? waiting}
        />
        <Secret
          name="code"
          type="text"
          label="Code"
          ask="Enter the code."
          hint="From your authenticator, or a recovery code."
          autocomplete="one-time-code"
          required
          first
        />
        <button class="button primary wide">Sign in</button>
      </Form>
    </Card>
  ),
});

const showSignOut = async (): Promise<Shown> => ({
  title: 'Sign out',
  main: (
    <Card title="Sign out">
      <form class="form" method="post" action="/sign-out" data-whole data-script="sign-out">
        <button class="button primary wide">Sign out</button>
      </form>
    </Card>
  ),
});

const giveChallenge = async (visit: OpenVisit) => {
  await countAttempt(visit, 'passkey');
  return Response.json({ sign: await beginPasskeySignIn(visit.database, siteFor(visit)) });
};

const signInByPasskey = async (visit: OpenVisit, fields: Fields) => {
  await countAttempt(visit, 'passkey');
  const answer = fields.raw('answer') ?? '';
  const site = siteFor(visit);
  const session = await signInWithPasskey(
    visit.database,
    site,
    { answer, only: fields.raw('member') },
    browserOf(visit),
  );
  return goInWith(visit, { session }, fields);
};

/** The fifth wrong code ends the sign-in that was started with the right password. */
const signInByCode = async (visit: OpenVisit, code: string): Promise<string> => {
  const { database } = visit;
  const token = ownTextIn(visit, 'code') ?? '';
  const link = await readLink(database, token);
  if (link?.purpose !== 'CODE') throw isOver('Too much time has passed.');
  const guess = await countGuess(visit, link.email);
  const left = await takeCode(database, link.id);
  if (left === undefined) {
    await guess.succeeded();
    throw isOver(tooManyCodes);
  }
  const seals = sealsOf(visit.installation.key);
  const typed = { token, code };
  const session = await signInWithCode(database, seals, typed, browserOf(visit)).catch(
    (refusal) => {
      throw left === 0 && refusal instanceof Refusal ? isOver(tooManyCodes) : refusal;
    },
  );
  await guess.succeeded();
  return session;
};

const tooManyCodes = 'There were too many wrong codes.';

const isOver = (why: string) => new Refusal('conflict', `${why} Sign in with your password again.`);

const signInPage = page('/sign-in', 'open', showSignIn);
const codePage = page('/sign-in/code', 'open', showCode);
const signOutPage = page('/sign-out', 'open', showSignOut);

/** Signing in and out, and one-time links. */
export const signInPages: Page[] = [
  signInPage,
  form(
    '/sign-in',
    'open',
    async (visit, fields) => {
      const email = fields.text('email') ?? '';
      if (isSentOn(visit)) {
        await countAttempt(visit, 'page');
        return showSignIn(visit, pendingFrom(visit, fields));
      }
      const guess = await countGuess(visit, email);
      const only = fields.raw('member');
      const typed = { email, password: fields.raw('password') ?? '', only };
      const entry = await signIn(visit.database, typed, browserOf(visit));
      await guess.succeeded();
      if ('firms' in entry) {
        return showFirms(pathWithin(fields.raw('to')), email, entry.firms, pendingIn(fields));
      }
      return goInWith(visit, entry, fields);
    },
    signInPage,
    { maxBytes: bytesWithPending },
  ),
  form('/sign-in/passkey', 'open', signInByPasskey, signInPage, { maxBytes: bytesWithPending }),
  form('/sign-in/passkey/challenge', 'open', giveChallenge, signInPage, { maxBytes: formBytes }),
  codePage,
  form(
    '/sign-in/code',
    'open',
    async (visit, fields) => {
      const session = await signInByCode(visit, fields.text('code') ?? '');
      return goInWith(visit, { session }, fields);
    },
    codePage,
    { maxBytes: bytesWithPending },
  ),
  signOutPage,
  form(
    '/sign-out',
    'open',
    async (visit) => {
      if (visit.session) await endSession(visit.session.actor, visit.session.sessionId);
      return { path: '/sign-in', headers: { 'set-cookie': ownCookie(visit, 'session', '', 0) } };
    },
    signOutPage,
    { maxBytes: formBytes },
  ),
];
