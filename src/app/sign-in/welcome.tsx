/** @jsxImportSource preact */
import { followLink } from '../../sign-in/invitation.ts';
import { readLink } from '../../sign-in/link.ts';
import { Form } from '../form.tsx';
import { Card } from '../layout.tsx';
import { myWays } from '../settings/ways-in.tsx';
import { form, type OpenVisit, type Page, page, type Shown } from '../visit.ts';
import { browserOf, goIn } from './go-in.ts';
import { countAttempt } from './limits.ts';
import { NewPassword, signsOutElsewhere } from './passwords.tsx';

const formBytes = 16 * 1024;

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
        <Form action={`/welcome/${token}`}>
          <p>
            {link.memberName}, {link.email}
          </p>
          {!isDemonstration && (
            <NewPassword hint={link.purpose === 'RESET' ? signsOutElsewhere : ''} first />
          )}
          <button class="button primary wide" autofocus={isDemonstration}>
            {isDemonstration ? 'Open the demonstration' : 'Save and sign in'}
          </button>
        </Form>
      </Card>
    ),
  };
};

/**
 * The page for a one-time link that no longer works: why, and the way on. It is 410 for a link that
 * was used, is too old or never was: the answer does not tell which.
 */
export const showOver = (
  { session }: OpenVisit,
  why = 'The link was already used, is too old, or your role, email address or password has changed since it was created.',
  isFirmThere = true,
): Shown => ({
  title: 'This link no longer works',
  status: 410,
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

const welcomePage = page('/welcome/:token', 'open', showWelcome);

export const welcomePages: Page[] = [
  welcomePage,
  form(
    '/welcome/:token',
    'open',
    async (visit, fields) => {
      await countAttempt(visit, 'link');
      const input = { password: fields.raw('password') ?? '' };
      const { token } = visit.parameters;
      const { wasReset, ...entry } = await followLink(
        visit.database,
        token,
        input,
        browserOf(visit),
      );
      // The link of a demonstration asks for none.
      const words = input.password === '' ? undefined : 'Your password is saved.';
      return goIn(visit, entry, wasReset ? myWays : '/', words);
    },
    welcomePage,
    { maxBytes: formBytes },
  ),
];
