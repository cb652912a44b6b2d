/** @jsxImportSource preact */
import { Refusal } from '../../base/refusal.ts';
import {
  addPasskey,
  beginPasskey,
  type PasskeyView,
  removePasskey,
  type Site,
} from '../../sign-in/passkey.ts';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { MomentSaid } from '../moments.tsx';
import { Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { siteOf, whyNoPasskeys } from '../sign-in/site.ts';
import { form, type Page, type ShownPage, type Visit } from '../visit.ts';
import { removedWords } from './name-list.tsx';
import { Removes } from './removes.tsx';

const saved = '/settings/me?saved=passkeys#passkeys';

/** The member's passkeys, and the form for another one if `canAdd`. */
export const Passkeys = ({ passkeys, canAdd }: { passkeys: PasskeyView[]; canAdd: boolean }) => (
  <Panel id="passkeys" title="Passkeys">
    {passkeys.length > 0 && (
      <ul class="rows">
        {passkeys.map((one) => (
          <li>
            <div class="grow">
              <span class="name">{one.name}</span>
              <div class="sub">
                Added <MomentSaid at={one.createdAt} /> ·{' '}
                {one.lastUsedAt ? (
                  <>
                    last used <MomentSaid at={one.lastUsedAt} />
                  </>
                ) : (
                  'not used yet'
                )}
                {one.isSynced && ' · on all your devices'}
              </div>
            </div>
            <Removes
              of={one.id}
              name={one.name}
              action={`/settings/me/passkeys/${one.id}/remove`}
              class="button quiet small"
            >
              Nobody can sign in with this passkey any more.
            </Removes>
          </li>
        ))}
      </ul>
    )}
    <div class="body stack">
      <p class={passkeys.length > 0 ? 'muted' : undefined}>
        With a passkey you sign in by fingerprint, face or PIN, without a password. Your device
        keeps it; nobody can guess it or read it from us.
      </p>
      {canAdd ? (
        <Form
          action="/settings/me/passkeys"
          passkey="/settings/me/passkeys/challenge"
          save="Add a passkey"
          isOneOfSeveral
        >
          <Text
            name="name"
            label="Name of the new passkey"
            ask="Enter a name."
            hint="To recognise it: Work laptop, Blue key."
            required
          />
        </Form>
      ) : (
        <p class="muted">{whyNoPasskeys}</p>
      )}
    </div>
  </Panel>
);

const siteFor = (visit: Visit): Site => {
  const site = siteOf(visit);
  if (!site) throw new Refusal('conflict', whyNoPasskeys);
  return site;
};

const giveChallenge = async (visit: Visit) =>
  Response.json({ create: await beginPasskey(visit.actor, siteFor(visit)) });

const add = async (visit: Visit, fields: Fields) => {
  const [name, answer] = [fields.text('name') ?? '', fields.raw('answer') ?? ''];
  await addPasskey(visit.actor, siteFor(visit), { name, answer });
  return saved;
};

const remove = async ({ actor, parameters }: Visit<'/:id'>, fields: Fields) => {
  await removePasskey(actor, parameters.id);
  return saying(saved, removedWords('Passkey')(fields));
};

/** The forms for passkeys. After a refusal, `mePage` is shown again. */
export const passkeyForms = (mePage: ShownPage): Page[] => [
  form('/settings/me/passkeys', 'member', add, mePage, {
    proof: 'add a passkey',
    maxBytes: 64 * 1024,
    said: 'Passkey added.',
  }),
  form('/settings/me/passkeys/challenge', 'member', giveChallenge, mePage, {
    proof: 'add a passkey',
  }),
  form('/settings/me/passkeys/:id/remove', 'member', remove, mePage, {
    proof: 'remove a passkey',
    said: 'Passkey removed.',
  }),
];
