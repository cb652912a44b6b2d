/** @jsxImportSource preact */
import { isId } from '../../base/columns.ts';
import { Refusal } from '../../base/refusal.ts';
import { listFirms } from '../../firm/firm.ts';
import { type Entry, followLink, readLink } from '../../sign-in/invitation.ts';
import { beginPasskeySignIn, signInWithPasskey } from '../../sign-in/passkey-sign-in.ts';
import { passwordLength } from '../../sign-in/password.ts';
import { endSession, sessionLimits } from '../../sign-in/session.ts';
import { signIn, signInWithCode } from '../../sign-in/sign-in.ts';
import { pathWithin } from '../address.ts';
import { isSecure, ownCookie, textIn } from '../cookies.ts';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { seeOther } from '../headers.ts';
import { Card } from '../layout.tsx';
import { form, type GoTo, type OpenVisit, type Page, page, type Shown } from '../visit.ts';
import { countAttempt } from './limits.ts';
import { siteOf, whyNoPasskeys } from './site.ts';

/** The browser that a visitor signs in from. */
export const browserOf = ({ request, address }: OpenVisit) => ({
  address,
  agent: request.headers.get('user-agent') ?? '',
});

const sessionSeconds = sessionLimits.mostDays * 86_400;
const codeSeconds = 600;
const formBytes = 16 * 1024;

/** Gives the browser its new session, and ends the old one. */
export const goIn = async (visit: OpenVisit, entry: Entry, to: string): Promise<GoTo> => {
  if (visit.session) await endSession(visit.session.actor, visit.session.sessionId);
  if ('session' in entry) {
    const cookie = ownCookie(visit, 'session', entry.session, sessionSeconds);
    return { path: to, headers: { 'set-cookie': cookie } };
  }
  const cookie = ownCookie(visit, 'code', entry.awaitsCode, codeSeconds);
  return {
    path: `/sign-in/code?to=${encodeURIComponent(to)}`,
    headers: { 'set-cookie': cookie },
  };
};

const wayOf = ({ query, refused }: OpenVisit) =>
  pathWithin(refused?.fields.raw('to') ?? query.get('to'));

const showSignIn = async (visit: OpenVisit): Promise<Shown | Response> => {
  const to = wayOf(visit);
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
            <Onward to={to} member={member} />
            <Text name="email" label="Email" type="email" autocomplete="username" required first />
            <Text
              name="password"
              label="Password"
              type="password"
              autocomplete="current-password"
              required
            />
            <button class="button primary wide">Sign in</button>
          </Form>
          {siteOf(visit) && <PasskeySignIn to={to} member={member} />}
        </Card>
        <p class="muted">
          No password yet, or forgotten? Ask an owner of the firm for a link: you choose a new one
          with it.
        </p>
      </>
    ),
  };
};

type Onward = { to: string; member: string | undefined };

/** Where the sign-in leads, and the only member who may sign in there. */
const Onward = ({ to, member }: Onward) => (
  <>
    <input type="hidden" name="to" value={to} />
    {member && <input type="hidden" name="member" value={member} />}
  </>
);

/** The member whose page waits below, if somebody signs in over it. */
const againAs = ({ query, refused }: OpenVisit) => {
  const member = refused ? refused.fields.raw('member') : query.get('member');
  return member && isId(member) ? member : undefined;
};

const PasskeySignIn = ({ to, member }: Onward) => (
  <>
    <p class="or">or</p>
    <Form action="/sign-in/passkey" passkey="/sign-in/passkey/challenge">
      <Onward to={to} member={member} />
      <button class="button wide">Use a passkey</button>
    </Form>
  </>
);

const showNoFirm = (): Shown => ({
  title: 'There is no firm yet',
  main: (
    <Card title="There is no firm yet">
      <p>The server printed an address when it started. Open that one to set up your firm.</p>
    </Card>
  ),
});

const showCode = async (visit: OpenVisit): Promise<Shown> => ({
  title: 'Your code',
  main: (
    <Card title="Your code">
      <Form action="/sign-in/code">
        <input type="hidden" name="to" value={wayOf(visit)} />
        <Text
          name="code"
          label="Code"
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
      <form class="form" method="post" action="/sign-out" data-whole data-signs-out>
        <button class="button primary wide">Sign out</button>
      </form>
    </Card>
  ),
});

const showWelcome = async (visit: OpenVisit<'/welcome/:token'>): Promise<Shown> => {
  const { token } = visit.parameters;
  const link = await readLink(visit.database, token);
  if (!link || link.purpose === 'CODE') return showOver(visit);
  const isDemonstration = link.purpose === 'DEMONSTRATION';
  const title = link.purpose === 'RESET' ? 'A new password' : `Welcome to ${link.firmName}`;
  return {
    title,
    main: (
      <Card title={title}>
        <p>
          {link.memberName}, {link.email}
        </p>
        <Form action={`/welcome/${token}`}>
          {!isDemonstration && (
            <Text
              name="password"
              label="Password"
              hint={`${passwordLength.least} characters or more. It signs you out everywhere else.`}
              type="password"
              autocomplete="new-password"
              required
              first
            />
          )}
          <button class="button primary wide">
            {isDemonstration ? 'Open the demonstration' : 'Save and sign in'}
          </button>
        </Form>
      </Card>
    ),
  };
};

/** The page for a one-time link that no longer works: why, and the way on. */
export const showOver = (
  { session }: OpenVisit,
  why = 'It was used already, or is too old: it works once, and only for a while.',
  isFirmThere = true,
): Shown => ({
  title: 'This link no longer works',
  main: (
    <Card title="This link no longer works">
      <div class="stack">
        <div role="alert">
          <p>{why}</p>
        </div>
        {isFirmThere && <WayOn session={session} />}
      </div>
    </Card>
  ),
});

const WayOn = ({ session }: Pick<OpenVisit, 'session'>) =>
  session ? (
    <>
      <p>You do not need it: you are signed in as {session.member.name}.</p>
      <a class="button primary wide" href="/">
        Go to {session.firmName}
      </a>
    </>
  ) : (
    <>
      <p>If you have a password, sign in. If not, ask an owner of the firm for a new link.</p>
      <a class="button primary wide" href="/sign-in">
        Sign in
      </a>
    </>
  );

const siteFor = (visit: OpenVisit) => {
  const site = siteOf(visit);
  if (!site) throw new Refusal('conflict', whyNoPasskeys);
  return site;
};

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
  return goIn(visit, { session }, pathWithin(fields.raw('to')));
};

/** Signing in and out, and one-time links. */
export const signInPages: Page[] = [
  page('/sign-in', 'open', showSignIn),
  form(
    '/sign-in',
    'open',
    async (visit, fields) => {
      const email = fields.text('email') ?? '';
      await countAttempt(visit, email);
      const only = fields.raw('member');
      const typed = { email, password: fields.raw('password') ?? '', only };
      const entry = await signIn(visit.database, typed, browserOf(visit));
      return goIn(visit, entry, pathWithin(fields.raw('to')));
    },
    showSignIn,
    formBytes,
  ),
  form('/sign-in/passkey', 'open', signInByPasskey, showSignIn, 64 * 1024),
  form('/sign-in/passkey/challenge', 'open', giveChallenge, showSignIn, formBytes),
  page('/sign-in/code', 'open', showCode),
  form(
    '/sign-in/code',
    'open',
    async (visit, fields) => {
      const name = isSecure(visit.request, visit.settings) ? '__Host-code' : 'code';
      const token = textIn(visit.request, name) ?? '';
      const link = await readLink(visit.database, token);
      if (link?.purpose !== 'CODE') {
        throw new Refusal(
          'conflict',
          'Too much time has passed. Sign in with your password again.',
        );
      }
      await countAttempt(visit, link.email);
      const code = fields.text('code') ?? '';
      const session = await signInWithCode(visit.database, token, code, browserOf(visit));
      return goIn(visit, { session }, pathWithin(fields.raw('to')));
    },
    showCode,
    formBytes,
  ),
  page('/sign-out', 'open', showSignOut),
  form(
    '/sign-out',
    'open',
    async (visit) => {
      if (visit.session) await endSession(visit.session.actor, visit.session.sessionId);
      return { path: '/sign-in', headers: { 'set-cookie': ownCookie(visit, 'session', '', 0) } };
    },
    showSignOut,
    formBytes,
  ),
  page('/welcome/:token', 'open', showWelcome),
  form(
    '/welcome/:token',
    'open',
    async (visit, fields) => {
      await countAttempt(visit, 'link');
      const wish = { password: fields.raw('password') ?? '' };
      const { token } = visit.parameters;
      const entry = await followLink(visit.database, token, wish, browserOf(visit));
      return goIn(visit, entry, '/');
    },
    showWelcome,
    formBytes,
  ),
];
