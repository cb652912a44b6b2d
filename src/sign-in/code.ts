import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { log } from '../base/log.ts';
import { invalidField, Refusal } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import type { Seals } from '../base/seal.ts';
import { memberWithId } from '../firm/member.ts';
import { rightsOf } from '../firm/rights.ts';
import { member } from '../firm/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { endLinks } from './link.ts';
import { rowOf } from './sealed.ts';
import { authenticator, recoveryCode } from './table.ts';
import { warnLater } from './warning.ts';

const periodSeconds = 30;
const recoveryCodes = 10;

/** What an authenticator program needs: the secret to type, or the address in its QR code. */
type NewAuthenticator = { secret: string; address: string };

/**
 * Gives the acting member a new secret for an authenticator program. No code is asked for until
 * they have confirmed one. Throws `Refusal` conflict if they already have an authenticator.
 */
export const beginAuthenticator = (actor: Actor, seals: Seals): Promise<NewAuthenticator> =>
  write(actor, async (w) => {
    const memberId = String(w.memberId);
    const [holder, standing, now] = await Promise.all([
      memberWithId(w, memberId),
      authenticatorOf(w, memberId),
      w.now(),
    ]);
    if (standing?.confirmedAt) {
      throw new Refusal('conflict', 'You have an authenticator already. Remove it first.');
    }
    const { Secret } = await import('otpauth');
    const secret = new Secret({ size: 20 }).base32;
    const of = { firmId: w.firmId, memberId };
    const sealed = await seals.seal(secret, rowOf(of));
    void w.run(storeAuthenticator, { ...of, secret: sealed, createdAt: now });
    w.record('update', member, memberId, { authenticator: { before: null, after: 'begun' } });
    return { secret, address: (await totpOf(secret, holder.email)).toString() };
  });

const totpOf = async (secret: string, label: string) => {
  const { Secret, TOTP } = await import('otpauth');
  return new TOTP({
    issuer: 'Matterhorn',
    label,
    secret: Secret.fromBase32(secret),
    period: periodSeconds,
  });
};

/**
 * Confirms the acting member's authenticator by its first code. Returns ten recovery codes, once;
 * each replaces a code a single time. Throws `Refusal` for a wrong code.
 */
export const confirmAuthenticator = (
  actor: Actor,
  seals: Seals,
  typed: string,
): Promise<string[]> =>
  write(actor, async (w) => {
    const memberId = String(w.memberId);
    const stored = await authenticatorOf(w, memberId);
    if (!stored || stored.confirmedAt)
      throw new Refusal('conflict', 'There is no authenticator to confirm.');
    const now = await w.now();
    const step = await stepOf(typed, await opened(w, memberId, stored, seals), now);
    if (step === undefined) throw wrongCode();
    void w.run(confirm, { firmId: w.firmId, memberId, confirmedAt: now, step });
    const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
    void w.run(forgetCodes, { firmId: w.firmId, memberId });
    for (const code of codes) {
      void w.run(storeCode, { firmId: w.firmId, memberId, digest: digestOf(code) });
    }
    w.record('update', member, memberId, { authenticator: { before: null, after: 'confirmed' } });
    return codes;
  });

/** Removes the acting member's authenticator and recovery codes, if there are any. */
export const removeAuthenticator = (actor: Actor): Promise<void> =>
  write(actor, (w) => forgetAuthenticator(w, String(w.memberId)));

/**
 * Removes a member's authenticator and recovery codes: from then on their password is enough, until
 * they add another. Throws `Refusal` forbidden for all but owners and the administrator, and
 * not_found.
 */
export const resetSecondFactor = (actor: Acting, memberId: string): Promise<void> =>
  write(actor, async (w) => {
    const [holder, own] = await Promise.all([memberWithId(w, memberId), rightsOf(w)]);
    if (!own.holdsAll) {
      throw new Refusal('forbidden', 'Only an owner can reset a second factor.');
    }
    await forgetAuthenticator(w, holder.id);
    await endLinks(w, holder.id, await w.now(), 'CODE');
  });

/** Removes a member's authenticator and recovery codes inside a write. */
const forgetAuthenticator = async (w: Write, memberId: string) => {
  const stored = await authenticatorOf(w, memberId);
  if (!stored) return;
  void w.run(removeSecret, { firmId: w.firmId, memberId });
  void w.run(forgetCodes, { firmId: w.firmId, memberId });
  w.record('update', member, memberId, { authenticator: { before: 'confirmed', after: null } });
  if (stored.confirmedAt) warnLater(w, memberId, 'authenticator', w.author.requestId);
};

/** Whether a member is asked for a code when they sign in. */
export const needsCode = async (reader: Pick<Reader, 'first' | 'firmId'>, memberId: string) =>
  Boolean(
    (await reader.first(authenticatorWith, { firmId: reader.firmId, memberId }))?.confirmedAt,
  );

/**
 * Uses up a code of the member's authenticator, or a recovery code, inside a write. Throws
 * `Refusal` if it is wrong or was used before.
 */
export const useCode = async (
  w: Write,
  seals: Seals,
  memberId: string,
  typed: string,
): Promise<void> => {
  const stored = await authenticatorOf(w, memberId);
  if (!stored?.confirmedAt) throw wrongCode();
  const step = await stepOf(typed, await opened(w, memberId, stored, seals), await w.now());
  if (step !== undefined) {
    void w.run(noteStep, { firmId: w.firmId, memberId, step });
    w.record('update', member, memberId, { code: { before: null, after: 'used' } });
    return;
  }
  const digest = digestOf(typed.trim().toLowerCase().replace(/[\s-]/g, ''));
  if (!(await w.first(takeCode, { firmId: w.firmId, memberId, digest }))) throw wrongCode();
  w.record('update', member, memberId, { recoveryCode: { before: null, after: 'used' } });
};

const wrongCode = () =>
  invalidField(
    'code',
    plainly(
      'This is not the code that your authenticator shows now, or it was used before. Wait for the next one',
      'must be the code that your authenticator shows now, not used before',
    ),
  );

/** What is stored, with the secret itself; without it if it was sealed with a key that is not here. */
const opened = async <Stored extends { secret: string }>(
  { firmId }: Write,
  memberId: string,
  stored: Stored,
  seals: Seals,
) => {
  const secret = await seals.open(stored.secret, rowOf({ firmId, memberId }));
  // Recovery codes still work, and an owner can reset the second factor.
  if (secret === undefined) log('warn', 'second factor not readable', { firmId, memberId });
  return { ...stored, secret };
};

/** The time step of this code, among those around now and after the last one used. */
const stepOf = async (
  typed: string,
  { secret, lastStep }: { secret: string | undefined; lastStep: number },
  now: Date,
): Promise<number | undefined> => {
  const token = typed.replace(/\s/g, '');
  if (secret === undefined || !/^\d{6}$/.test(token)) return undefined;
  const totp = await totpOf(secret, '');
  const delta = totp.validate({ token, timestamp: now.getTime(), window: 1 });
  if (delta === null) return undefined;
  const step = Math.floor(now.getTime() / 1000 / periodSeconds) + delta;
  return step > lastStep ? step : undefined;
};

/** Sixteen characters without those that look alike: 80 bits. */
const newRecoveryCode = () => {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => alphabet[byte % 32]).join('');
};

type OfMember = { firmId: string; memberId: string };

const authenticatorWith = statement(({ firmId, memberId }: Given<OfMember>) =>
  query
    .select({
      secret: authenticator.secret,
      confirmedAt: authenticator.confirmedAt,
      lastStep: authenticator.lastStep,
    })
    .from(authenticator)
    .where(sql`${authenticator.firmId} = ${firmId} and ${authenticator.memberId} = ${memberId}`),
);

const authenticatorForChange = statement(({ firmId, memberId }: Given<OfMember>) =>
  query
    .select({
      secret: authenticator.secret,
      confirmedAt: authenticator.confirmedAt,
      lastStep: authenticator.lastStep,
    })
    .from(authenticator)
    .where(sql`${authenticator.firmId} = ${firmId} and ${authenticator.memberId} = ${memberId}`)
    .for('update'),
);

const authenticatorOf = (w: Write, memberId: string) =>
  w.first(authenticatorForChange, { firmId: w.firmId, memberId });

const storeAuthenticator = statement(
  ({
    firmId,
    memberId,
    secret,
    createdAt,
  }: Given<OfMember & { secret: string; createdAt: Date }>) =>
    query
      .insert(authenticator)
      .values({ firmId, memberId, secret, confirmedAt: null, lastStep: 0, createdAt })
      .onConflictDoUpdate({
        target: [authenticator.firmId, authenticator.memberId],
        set: { secret: sql`excluded.secret`, createdAt: sql`excluded.created_at` },
      }),
);

const confirm = statement(
  ({
    firmId,
    memberId,
    confirmedAt,
    step,
  }: Given<OfMember & { confirmedAt: Date; step: number }>) => sql`
    update authenticator set confirmed_at = ${confirmedAt}, last_step = ${step}
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid`,
);

const noteStep = statement(
  ({ firmId, memberId, step }: Given<OfMember & { step: number }>) => sql`
    update authenticator set last_step = ${step}
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid`,
);

const removeSecret = statement(
  ({ firmId, memberId }: Given<OfMember>) => sql`
    delete from authenticator where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid`,
);

const forgetCodes = statement(
  ({ firmId, memberId }: Given<OfMember>) => sql`
    delete from recovery_code where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid`,
);

const storeCode = statement(({ firmId, memberId, digest }: Given<OfMember & { digest: Buffer }>) =>
  query.insert(recoveryCode).values({ firmId, memberId, digest, usedAt: null }),
);

const takeCode = statement(
  ({ firmId, memberId, digest }: Given<OfMember & { digest: Buffer }>) => sql`
    update recovery_code set used_at = moment()
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and digest = ${digest}
      and used_at is null
    returning 1 as taken`,
);
