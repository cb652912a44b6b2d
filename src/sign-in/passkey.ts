import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { memberWithId } from '../firm/member.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import {
  answerIn,
  type Holder,
  keepChallenge,
  notAccepted,
  takeChallenge,
} from './passkey-challenge.ts';
import { passkey } from './table.ts';
import { warnLater } from './warning.ts';

/** How many passkeys a member has at most, and how many characters a passkey's name. */
const passkeyLimits = { max: 20, nameLength: 80 };

/** What passkeys are made for: the host's name, and the origin of our pages. */
export type Site = { host: string; origin: string };

// EdDSA, ES256 and RS256. The library also offers ML-DSA, which this runtime cannot check.
const algorithms = [-8, -7, -257];

/**
 * The library, at first use. It imports this polyfill too, but in the executable too late: Bun runs
 * a CommonJS module behind the others of its bundle.
 */
export const library = async () => {
  await import('reflect-metadata');
  return import('@simplewebauthn/server');
};

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
  if (present.length >= passkeyLimits.max) throw tooMany();
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
  new Refusal('conflict', `You have ${passkeyLimits.max} passkeys. Remove one first.`);

/**
 * Stores the passkey that the acting member's browser has made. Throws `Refusal` if the answer
 * belongs to another or a used challenge, to another site, or to a passkey that is already known.
 */
export const addPasskey = async (
  actor: Actor,
  { host, origin }: Site,
  input: { name: string; answer: string },
): Promise<void> => {
  const name = input.name.trim();
  if (name === '' || name.length > passkeyLimits.nameLength) {
    throw invalidField('name', `must have 1 to ${passkeyLimits.nameLength} characters`);
  }
  const memberId = String(actor.memberId);
  const { answer, challenge } = answerIn<RegistrationResponseJSON>(input.answer);
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
    if (present.length >= passkeyLimits.max) throw tooMany();
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
    warnLater(w, memberId, 'passkey', w.author.requestId);
  });
};

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
    const isGone = await dropPasskey(w, String(w.memberId), id);
    if (!isGone) throw notFound('You have no passkey with this id.');
  });

/** Removes a member's passkey inside a write. Says whether there was one. */
export const dropPasskey = async (w: Write, memberId: string, id: string): Promise<boolean> => {
  const removed = await w.first(takeAway, { firmId: w.firmId, memberId, id });
  if (removed) w.record('delete', passkey, id, { name: { before: removed.name, after: null } });
  return removed !== undefined;
};

const refuse = (): never => {
  throw notAccepted();
};

/** A member's handle in their authenticator: the ids of their firm and of themselves. */
const handleOf = ({ firmId, memberId }: Holder) =>
  new Uint8Array(Buffer.from(`${firmId}${memberId}`.replaceAll('-', ''), 'hex'));

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

// In any firm: a device never makes the same credential twice, so a second one is a copy.
const sameCredential = statement(
  ({ credentialId }: Given<'credentialId'>) => sql<{ found: number }>`
    select 1 as found from passkey where credential_id = ${credentialId}${acrossFirms(passkey.firmId, 'answer')} limit 1`,
);

const takeAway = statement(
  ({ firmId, memberId, id }: Given<'firmId' | 'memberId' | 'id'>) => sql<{ name: string }>`
    delete from passkey
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and id = ${id}::uuid
    returning name`,
);
