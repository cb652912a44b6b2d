/** @jsxImportSource preact */
import { endWaysIn, type WayIn, waysInOf } from '../../hand-over/ways-in.ts';
import { Check, Checks } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { seeOther } from '../headers.ts';
import { dayAndTime } from '../moments.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { settingsPage } from './sections.tsx';

/** Where a member decides on their own keys, passkeys and feed, after everything else was signed out. */
export const myWays = '/settings/me/ways';

const kinds: Record<WayIn['kind'], string> = {
  key: 'API key',
  feed: 'Address',
  passkey: 'Passkey',
};

/** What a way in is, and when it was made and last used, as the end of a line. */
export const useWords = ({ kind, createdAt, lastUsedAt }: WayIn) => {
  const frame = useFrame();
  const made = `${kinds[kind]}, created ${dayAndTime(createdAt, frame)}`;
  return lastUsedAt ? `${made}, last used ${dayAndTime(lastUsedAt, frame)}` : `${made}, never used`;
};

type Props = { ways: WayIn[]; action: string; keep?: string };

/** The form that ends those that are ticked. `keep` is the address to go on to without it. */
export const WaysIn = ({ ways, action, keep }: Props) => (
  <Form action={action}>
    <Checks name="end" label="What to end">
      <div class="pair">
        {ways.map((way) => (
          <Check
            name="end"
            value={way.id}
            label={way.name}
            hint={useWords(way)}
            checked={way.isSuggested}
          />
        ))}
      </div>
    </Checks>
    <p class="muted">
      What you end stops at once and cannot be restored. A key that was used in the last 30 days is
      not ticked, because your website’s form may need it.
    </p>
    <div class="row end">
      {keep && (
        <a class="button" href={keep}>
          Keep all
        </a>
      )}
      <button class="button danger">End selected</button>
    </div>
  </Form>
);

const showMyWays = async ({ actor, session }: Visit): Promise<Shown | Response> => {
  const ways = await waysInOf(actor, session.member.id);
  if (ways.length === 0) return seeOther('/settings/me?saved=sessions#sessions');
  return settingsPage({
    title: 'Other ways to sign in',
    intro:
      'You are signed out everywhere else. These ways to sign in still work without your password.',
    within: { path: '/settings/me', name: 'My settings' },
    main: (
      <>
        <section class="panel" aria-label="Keys, passkeys and calendar feed">
          <div class="body stack">
            <p>End any that you do not recognise or no longer need.</p>
            <WaysIn ways={ways} action={myWays} keep="/" />
          </div>
        </section>
      </>
    ),
  });
};

const endMine = async ({ actor, session }: Visit, fields: Fields) => {
  await endWaysIn(actor, session.member.id, fields.all('end'));
  return '/settings/me?saved=ways';
};

const myWaysPage = page(myWays, 'member', showMyWays);

export const myWaysPages: Page[] = [
  myWaysPage,
  form(myWays, 'member', endMine, myWaysPage, { said: 'Ways to sign in ended.' }),
];
