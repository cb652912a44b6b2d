/** @jsxImportSource preact */
import { listMyPasskeys } from '../../sign-in/passkey.ts';
import { proveByPasskey } from '../../sign-in/passkey-sign-in.ts';
import { hasPassword } from '../../sign-in/password.ts';
import { proveAgain } from '../../sign-in/sign-in.ts';
import { pathWithin } from '../address.ts';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Panel } from '../page-parts.tsx';
import {
  bytesWithPending,
  isSentOn,
  PendingForm,
  pendingFrom,
  pendingIn,
  ResumeForm,
} from '../pending-form.tsx';
import { Secret } from '../secret.tsx';
import { countAttempt, countProof } from '../sign-in/limits.ts';
import { knownPassword } from '../sign-in/passwords.tsx';
import { siteFor, siteOf } from '../sign-in/site.ts';
import { form, type GoTo, type Page, page, type Shown, type Visit } from '../visit.ts';
import { settingsPage } from './sections.tsx';

const path = '/settings/me/confirm';
const title = 'Confirm that it is you';

/** Asks for the password or a passkey before a change that needs it, see `proof` in the rows of forms. */
const showProof = async (visit: Visit, sentOn?: string): Promise<Shown> => {
  const { actor, database, query, refused, session } = visit;
  const to = pathWithin(refused?.fields.raw('to') ?? query.get('to'));
  const pending = pendingIn(refused?.fields) ?? sentOn;
  const [typesPassword, passkeys] = await Promise.all([
    hasPassword(database, session.firmId, session.member.id),
    listMyPasskeys(actor),
  ]);
  const hasPasskey = passkeys.length > 0 && siteOf(visit) !== undefined;
  const action = refused?.fields.raw('for') ?? query.get('for') ?? '';
  const onward = (
    <>
      <input type="hidden" name="to" value={to} />
      <input type="hidden" name="for" value={action} />
      <PendingForm pending={pending} />
    </>
  );
  return settingsPage({
    title,
    main: (
      <>
        <Panel id="proof" title="Confirm by password or passkey">
          <div class="body">
            <Waits action={action} />
            {typesPassword && (
              <Form action={path} save="Continue" whole>
                {onward}
                <Secret {...knownPassword} first />
              </Form>
            )}
            {typesPassword && hasPasskey && <p class="or">or</p>}
            {hasPasskey && (
              <Form action={`${path}/passkey`} passkey="/sign-in/passkey/challenge">
                {onward}
                <button class="button wide">Use a passkey</button>
              </Form>
            )}
            {!typesPassword && !hasPasskey && (
              <p>
                You have no password, and no passkey that works at this address. Ask an owner of the
                firm for a link: with it you choose a password.
              </p>
            )}
          </div>
        </Panel>
      </>
    ),
  });
};

/** What the member is about to do, in the words of the form that waits. */
const Waits = ({ action }: { action: string }) => {
  const does = useFrame().policyOf(action)?.proof;
  return (
    <p class="muted">
      {does
        ? `You are about to ${does}. Confirm first that it is you.`
        : 'Before this change, confirm that it is you.'}
    </p>
  );
};

/** Where the proof leads: the form that waited is sent, else back to its page. */
const goOn = (fields: Fields): GoTo | Shown => {
  const pending = pendingIn(fields);
  if (pending === undefined) return pathWithin(fields.raw('to'));
  return settingsPage({
    title: 'Confirmed',
    intro: 'Now continue with your change.',
    main: (
      <>
        <Panel id="proof" title="Your change">
          <div class="body">
            <ResumeForm pending={pending} send="Continue" itself />
          </div>
        </Panel>
      </>
    ),
  });
};

const prove = async (visit: Visit, fields: Fields) => {
  if (isSentOn(visit)) {
    await countAttempt(visit, 'page');
    return showProof(visit, pendingFrom(visit, fields));
  }
  const guess = await countProof(visit);
  await proveAgain(visit.database, visit.session, fields.raw('password') ?? '');
  await guess.succeeded();
  return goOn(fields);
};

const proveWithPasskey = async (visit: Visit, fields: Fields) => {
  await countAttempt(visit, 'passkey');
  await proveByPasskey(visit.database, siteFor(visit), visit.session, fields.raw('answer') ?? '');
  return goOn(fields);
};

const proofPage = page(path, 'member', showProof);

/** The page that asks who the member is, and its forms. */
export const confirmPages: Page[] = [
  proofPage,
  form(path, 'member', prove, proofPage, { maxBytes: bytesWithPending }),
  form(`${path}/passkey`, 'member', proveWithPasskey, proofPage, { maxBytes: bytesWithPending }),
];
