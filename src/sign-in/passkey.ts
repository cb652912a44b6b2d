import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { isId, newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { memberWithId } from '../firm/member.ts';
import type { Database, Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { write } from '../record/write.ts';
import { noteFailures } from './failure.ts';
import { memberActor } from './invitation.ts';
import { type Browser, mustBeOnly, startSession } from './session.ts';
import { passkey } from './table.ts';

/** How many passkeys a member has at most, and how many characters a passkey's name. */
export const passkeyLimits = { most: 20, nameLength: 80 };

/** What passkeys are made for: the host's name, and the origin of our pages. */
export type Site = { host: string; origin: string };

// EdDSA, ES256 and RS256. The library also offers ML-DSA, which this runtime cannot check.
const algorithms = [-8, -7, -257];
const challengeMinutes = 5;

/**
 * The library, at first use. It imports this polyfill too, but in the executable too late: Bun runs a
 * CommonJS module behind the others of its bundle.
 */
const library = async () => {
  await import('reflect-metadata');
  return import('@simplewebauthn/server');
};

/** At the beginning of a sign-in it is not known who signs in. */
const nobody = { firmId: '00000000-0000-0000-0000-000000000000', memberId: '' };

/**
 * What the acting member's browser needs to make a passkey. Throws `Refusal` conflict for a member
 * who has twenty.
 */
export const beginPasskey = async (
  actor: Actor,
  { host }: Site,
): Promise<PublicKeyCredentialCreationOptionsJSON> => {
  const { firmId } = actor;
  const memberId = String(actor.memberId);
  const [holder, present, { generateRegistrationOptions }] = await Promise.all([
    memberWithId(actor, memberId),
    actor.run(passkeysOf, { firmId, memberId }),
    library(),
  ]);
  if (present.length >= passkeyLimits.most) throw tooMany();
  const options = await generateRegistrationOptions({
    rpName: 'Matterhorn',
    rpID: host,
    userName: holder.email,
    userDisplayName: holder.name,
    userID: handleOf({ firmId, memberId }),
    attestationType: 'none',
    excludeCredentials: present.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports,
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
  await keepChallenge(actor.database, { firmId, memberId }, options.challenge);
  return options;
};

const tooMany = () =>
  new Refusal('conflict', `You have ${passkeyLimits.most} passkeys. Remove one first.`);

/**
 * Stores the passkey that the acting member's browser has made. Throws `Refusal` for an answer to
 * another challenge, or to one used before, of another site, or about a passkey that is known already.
 */
export const addPasskey = async (
  actor: Actor,
  { host, origin }: Site,
  wish: { name: string; answer: string },
): Promise<void> => {
  const name = wish.name.trim();
  if (name === '' || name.length > passkeyLimits.nameLength) {
    throw invalidField('name', `must have 1 to ${passkeyLimits.nameLength} characters`);
  }
  const memberId = String(actor.memberId);
  const { answer, challenge } = answerIn<RegistrationResponseJSON>(wish.answer);
  await takeChallenge(actor.database, { firmId: actor.firmId, memberId }, challenge);
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo: made } = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    supportedAlgorithmIDs: algorithms,
  }).catch(refuse);
  if (!made) throw notAccepted();
  const { id: credentialId, publicKey, counter, transports = [] } = made.credential;
  await write(actor, async (w) => {
    const [now, present, known] = await Promise.all([
      w.now(),
      w.run(passkeysOf, { firmId: w.firmId, memberId }),
      w.first(sameCredential, { credentialId }),
    ]);
    if (known) throw new Refusal('conflict', 'This passkey is known already.');
    if (present.length >= passkeyLimits.most) throw tooMany();
    w.create(passkey, {
      firmId: w.firmId,
      id: newId(),
      memberId,
      name,
      credentialId,
      publicKey: Buffer.from(publicKey),
      uses: counter,
      isSynced: made.credentialBackedUp,
      transports: transports.filter((one) => /^[a-z-]{1,20}$/.test(one)).slice(0, 8),
      createdAt: now,
      lastUsedAt: null,
    });
  });
};

/** A passkey as its member sees it. */
export type PasskeyView = {
  id: string;
  name: string;
  isSynced: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
};

/** The acting member's passkeys, the oldest first. */
export const listMyPasskeys = (reader: Reader): Promise<PasskeyView[]> =>
  reader.run(passkeysOf, { firmId: reader.firmId, memberId: String(reader.memberId) });

/** Removes a passkey of the acting member. Throws `Refusal` not_found. */
export const removePasskey = (actor: Actor, id: string): Promise<void> =>
  write(actor, async (w) => {
    const memberId = String(w.memberId);
    const removed = await w.first(takeAway, { firmId: w.firmId, memberId, id });
    if (!removed) throw notFound('You have no passkey with this id.');
    w.record('delete', passkey, id, { name: { before: removed.name, after: null } });
  });

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
  wish: { answer: string; only?: string | undefined },
  browser: Browser,
): Promise<string> => {
  const { answer, challenge } = answerIn<AuthenticationResponseJSON>(wish.answer);
  await takeChallenge(database, nobody, challenge);
  const holder = holderIn(answer);
  mustBeOnly(holder.memberId, wish.only);
  const { verifyAuthenticationResponse } = await library();
  return write(memberActor(database, holder), async (w) => {
    const stored = await w.first(passkeyForUse, { ...holder, credentialId: String(answer.id) });
    if (!stored) throw notAccepted();
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
    if (!verified) {
      noteFailures(database, [holder], 'passkey', browser);
      throw notAccepted();
    }
    const uses = authenticationInfo.newCounter;
    void w.run(stampUse, { firmId: w.firmId, id: stored.id, uses });
    return startSession(w, holder.memberId, browser, 'passkey');
  });
};

/** One wording for every mistake, so that nobody learns which passkeys are known. */
const notAccepted = () =>
  new Refusal('unauthorized', 'This passkey was not accepted. Try again, or use your password.');

const refuse = (): never => {
  throw notAccepted();
};

/** What a browser answered, with the challenge that it has signed. */
const answerIn = <Answer extends { response: { clientDataJSON: string } }>(text: string) => {
  if (text === '') throw new Refusal('conflict', 'A passkey needs a browser that runs scripts.');
  try {
    const answer = JSON.parse(text) as Answer;
    const signed = Buffer.from(answer.response.clientDataJSON, 'base64url').toString();
    const { challenge } = JSON.parse(signed) as { challenge: unknown };
    if (typeof challenge === 'string') return { answer, challenge };
  } catch {
    // Another text than a browser sends.
  }
  throw notAccepted();
};

type Holder = { firmId: string; memberId: string };

/** A member's handle in their authenticator: the ids of their firm and of themselves. */
const handleOf = ({ firmId, memberId }: Holder) =>
  new Uint8Array(Buffer.from(`${firmId}${memberId}`.replaceAll('-', ''), 'hex'));

const holderIn = ({ response: { userHandle } }: AuthenticationResponseJSON): Holder => {
  const text = Buffer.from(String(userHandle), 'base64url').toString('hex');
  const [firmId = '', memberId = ''] = [text.slice(0, 32), text.slice(32)].map((half) =>
    half.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  );
  if (!isId(firmId) || !isId(memberId)) throw notAccepted();
  return { firmId, memberId };
};

/** A challenge is good for one member: another one's answer finds no row. */
const digestFor = ({ memberId }: Holder, challenge: string) => digestOf(`${memberId} ${challenge}`);

const keepChallenge = async (database: Runs, holder: Holder, challenge: string) => {
  const digest = digestFor(holder, challenge);
  await database.run(storeChallenge, { firmId: holder.firmId, digest });
};

/** Uses a challenge up, whatever comes of it. */
const takeChallenge = async (database: Runs, holder: Holder, challenge: string) => {
  const digest = digestFor(holder, challenge);
  const taken = await database.first(takeStored, { firmId: holder.firmId, digest });
  if (!taken?.isGood) throw notAccepted();
};

type Challenge = { firmId: string; digest: Buffer };

const storeChallenge = statement(
  ({ firmId, digest }: Given<Challenge>) => sql`
    insert into passkey_challenge (firm_id, digest, expires_at)
    values (${firmId}::uuid, ${digest}, moment() + interval '${sql.raw(String(challengeMinutes))} minutes')`,
);

const takeStored = statement(
  ({ firmId, digest }: Given<Challenge>) => sql<{ isGood: boolean }>`
    delete from passkey_challenge where firm_id = ${firmId}::uuid and digest = ${digest}
    returning expires_at > moment() as "isGood"`,
);

const passkeysOf = statement(({ firmId, memberId }: Given<'firmId' | 'memberId'>) =>
  query
    .select({
      id: passkey.id,
      name: passkey.name,
      credentialId: passkey.credentialId,
      transports: passkey.transports,
      isSynced: passkey.isSynced,
      createdAt: passkey.createdAt,
      lastUsedAt: passkey.lastUsedAt,
    })
    .from(passkey)
    .where(sql`${passkey.firmId} = ${firmId} and ${passkey.memberId} = ${memberId}`)
    .orderBy(passkey.createdAt, passkey.id),
);

// Of any firm: a device never makes the same credential twice, so a second one is somebody's copy.
const sameCredential = statement(
  ({ credentialId }: Given<'credentialId'>) => sql<{ found: number }>`
    select 1 as found from passkey where credential_id = ${credentialId} limit 1`,
);

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

const takeAway = statement(
  ({ firmId, memberId, id }: Given<'firmId' | 'memberId' | 'id'>) => sql<{ name: string }>`
    delete from passkey
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and id = ${id}::uuid
    returning name`,
);
