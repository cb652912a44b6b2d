import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import type { Database, Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { write } from '../record/write.ts';
import { noteFailures } from './failure.ts';
import { memberActor } from './invitation.ts';
import { library, type Site } from './passkey.ts';
import {
  answerIn,
  type Holder,
  keepChallenge,
  nobody,
  notAccepted,
  takeChallenge,
} from './passkey-challenge.ts';
import { type Browser, mustBeOnly, noteProof, type SignedIn, startSession } from './session.ts';

/** What a browser needs so that anybody can sign in with one of their passkeys. */
export const beginPasskeySignIn = async (
  database: Database,
  { host }: Site,
): Promise<PublicKeyCredentialRequestOptionsJSON> => {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: host,
    userVerification: 'required',
  });
  await keepChallenge(database, nobody, options.challenge);
  return options;
};

/**
 * Signs in the member whose passkey has signed the challenge, and returns the cookie's new value.
 * No code is needed: the device has asked its holder for a fingerprint, a face or a PIN. Throws
 * `Refusal` unauthorized, always in the same words, for everything that is wrong.
 */
export const signInWithPasskey = async (
  database: Database,
  site: Site,
  input: { answer: string; only?: string | undefined },
  browser: Browser,
): Promise<string> => {
  const signed = await signedIn(database, input.answer);
  const { holder } = signed;
  mustBeOnly(holder.memberId, input.only);
  return write(memberActor(database, holder), async (w) => {
    if (!(await isGenuine(w, site, signed))) {
      noteFailures(database, [holder], 'passkey', browser);
      throw notAccepted();
    }
    return startSession(w, holder.memberId, browser, 'passkey');
  });
};

/**
 * The signed-in member shows with a passkey of theirs that it is them, before an important change.
 * Throws `Refusal` unauthorized for everything that is wrong.
 */
export const proveByPasskey = async (
  database: Database,
  site: Site,
  { firmId, member, sessionId }: SignedIn,
  answer: string,
): Promise<void> => {
  const signed = await signedIn(database, answer);
  const isTheirs = signed.holder.firmId === firmId && signed.holder.memberId === member.id;
  if (!isTheirs || !(await isGenuine(database, site, signed))) throw notAccepted();
  await database.run(noteProof, { firmId, sessionId });
};

type Signed = { answer: AuthenticationResponseJSON; challenge: string; holder: Holder };

/** Reads what a browser answered, and uses up its challenge. */
const signedIn = async (database: Database, text: string): Promise<Signed> => {
  const { answer, challenge } = answerIn<AuthenticationResponseJSON>(text);
  await takeChallenge(database, nobody, challenge);
  return { answer, challenge, holder: holderIn(answer) };
};

/** Whether a passkey of its holder has signed the challenge; notes that it was used. */
const isGenuine = async (runs: Runs, site: Site, { answer, challenge, holder }: Signed) => {
  const stored = await runs.first(passkeyForUse, { ...holder, credentialId: String(answer.id) });
  if (!stored) throw notAccepted();
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    credential: {
      id: answer.id,
      publicKey: new Uint8Array(stored.publicKey),
      counter: Number(stored.uses),
    },
  }).catch(() => ({ verified: false, authenticationInfo: { newCounter: 0 } }));
  if (!verified) return false;
  const uses = authenticationInfo.newCounter;
  await runs.run(stampUse, { firmId: holder.firmId, id: stored.id, uses });
  return true;
};

const holderIn = ({ response: { userHandle } }: AuthenticationResponseJSON): Holder => {
  const text = Buffer.from(String(userHandle), 'base64url').toString('hex');
  const [firmId = '', memberId = ''] = [text.slice(0, 32), text.slice(32)].map((half) =>
    half.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  );
  if (!isId(firmId) || !isId(memberId)) throw notAccepted();
  return { firmId, memberId };
};

type InUse = { id: string; publicKey: Buffer; uses: string };

const passkeyForUse = statement(
  ({ firmId, memberId, credentialId }: Given<Holder & { credentialId: string }>) => sql<InUse>`
    select passkey.id::text as id, passkey.public_key as "publicKey", passkey.uses::text as uses
    from passkey
    join member on member.firm_id = passkey.firm_id and member.id = passkey.member_id
    where passkey.firm_id = ${firmId}::uuid and passkey.member_id = ${memberId}::uuid
      and passkey.credential_id = ${credentialId} and member.deactivated_at is null
    for update of passkey`,
);

const stampUse = statement(
  ({ firmId, id, uses }: Given<{ firmId: string; id: string; uses: number }>) => sql`
    update passkey set uses = ${uses}, last_used_at = moment()
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);
