/** @jsxImportSource preact */
import { encode } from 'uqr';
import { sealsOf } from '../../base/seal.ts';
import {
  beginAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
} from '../../sign-in/code.ts';
import type { Fields } from '../fields.ts';
import { Act, Form } from '../form.tsx';
import { Panel } from '../page-parts.tsx';
import { Secret } from '../secret.tsx';
import { form, type Page, page, type Shown, type ShownPage, type Visit } from '../visit.ts';
import { Copy } from './secret.tsx';
import { settingsPage } from './sections.tsx';

/** Whether the member has an authenticator, and the button to add or remove it. */
export const Authenticator = ({ hasCode }: { hasCode: boolean }) => (
  <Panel id="authenticator" title="Authenticator">
    <div class="body stack">
      <p>
        {hasCode
          ? 'When you sign in, you are asked for a code from your authenticator.'
          : 'With an authenticator app on your phone, you sign in with a code in addition to your password. Your password alone is not enough.'}
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

const showSetUp = async ({ actor, installation }: Visit): Promise<Shown> => {
  const { secret, address } = await beginAuthenticator(actor, sealsOf(installation.key));
  return settingsPage({
    title: 'Set up an authenticator',
    within: { path: '/settings/me', name: 'My settings' },
    main: (
      <>
        <Panel id="scan" title="Scan this code, then type what the app shows">
          <div class="body stack">
            <QrCode text={address} label="The secret as a QR code, for an authenticator app" />
            <div class="field">
              <p class="label">Or type this secret</p>
              <div class="secret">
                <code id="totp">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
                <Copy of="totp" label="Copy the secret" />
              </div>
            </div>
            <Form action="/settings/me/authenticator/confirm" save="Confirm" whole>
              <Secret
                name="code"
                type="text"
                label="Code"
                ask="Enter the code."
                autocomplete="one-time-code"
                inputmode="numeric"
                required
                first
              />
            </Form>
          </div>
        </Panel>
      </>
    ),
  });
};

/** A QR code, dark on white in both themes, because cameras need that. */
const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { data, size } = encode(text, { border: 2 });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
};

const confirm = async ({ actor, installation }: Visit, fields: Fields): Promise<Shown> => {
  const codes = await confirmAuthenticator(
    actor,
    sealsOf(installation.key),
    fields.text('code') ?? '',
  );
  return settingsPage({
    title: 'Recovery codes',
    main: (
      <>
        <Panel id="codes" title="Save these ten codes: they are shown only now">
          <div class="body stack">
            <p>If you lose your phone, type one of these codes instead. Each code works once.</p>
            <ul class="codes" id="recovery-codes">
              {codes.map((code) => (
                <li>
                  <code>{code.replace(/(.{4})(?=.)/g, '$1-')}</code>
                </li>
              ))}
            </ul>
            <div class="row">
              <a class="button primary" href="/settings/me">
                I have saved them
              </a>
              <Copy of="recovery-codes" label="Copy the recovery codes" />
            </div>
          </div>
        </Panel>
      </>
    ),
  });
};

/** After a wrong first code, a new secret is shown, because a secret is only for one try. */
const setUpPage = page('/settings/me/authenticator', 'member', showSetUp);

const remove = async ({ actor }: Visit) => {
  await removeAuthenticator(actor);
  return '/settings/me?saved=authenticator#authenticator';
};

/** The authenticator's forms. After a refusal, `mePage` is shown again. */
export const authenticatorForms = (mePage: ShownPage): Page[] => [
  form('/settings/me/authenticator', 'member', showSetUp, mePage, {
    proof: 'set up an authenticator app',
  }),
  form('/settings/me/authenticator/confirm', 'member', confirm, setUpPage),
  form('/settings/me/authenticator/remove', 'member', remove, mePage, {
    proof: 'remove your authenticator app',
    said: 'The authenticator app is removed.',
  }),
];
