import { and, desc, eq, sql } from 'drizzle-orm';
import { isId, newId } from '../base/columns.ts';
import { describeError, log } from '../base/log.ts';
import { invalid, invalidField, notFound, Refusal, unavailable } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { memberWithId } from '../firm/member.ts';
import { isForApplication, mayUse, type Permission } from '../firm/permissions.ts';
import { rightsOf } from '../firm/rights.ts';
import { member, role } from '../firm/table.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import { refuseTaken } from '../record/taken.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { digestOf, newSecret } from './secret.ts';
import { apiKey } from './table.ts';

/** What a key's holder asks for. `expiresAt` null: never. */
type NewKey = {
  memberId: string;
  scopes: Permission[];
  name: string;
  expiresAt: Date | null;
  /** The id it is to have: what is sent twice then makes one key. */
  id?: string;
};

const max = 50;

/**
 * Makes a key for a member and returns it, once. A member makes keys only for themselves, with no
 * more scopes than their role allows. The administrator makes them for anybody, even before a role
 * allows the scopes. Throws `Refusal`: forbidden for what a member may not do; not_found for the
 * holder; invalid_request for a deactivated holder, a scope that no key has, and an end in the
 * past; conflict for a holder with 50 live keys.
 */
export const createKey = (actor: Acting, input: NewKey) =>
  write(actor, async (w) => {
    const scopes = [...new Set(input.scopes)];
    const name = shortText('name', input.name);
    if (input.id !== undefined && !isId(input.id)) throw invalidField('id', 'must be an id');
    if (scopes.length === 0) throw invalidField('scopes', 'must be one or more');
    mustBeOwn(w, input.memberId);
    const [holder, own, now] = await Promise.all([
      memberWithId(w, input.memberId),
      rightsOf(w),
      w.now(),
    ]);
    const forApplication = scopes.find(isForApplication);
    if (forApplication) {
      throw invalidField('scopes', `must not hold ${forApplication}, which no key can have`);
    }
    const may = (one: Permission) => own.holdsAll || own.permissions.includes(one);
    const beyond = scopes.filter((one) => !mayUse(one, may));
    if (beyond.length > 0) {
      throw new Refusal('forbidden', `Your role does not allow ${beyond.join(', ')}.`);
    }
    if (holder.deactivatedAt) throw invalid('This member is deactivated and can have no keys.');
    if (input.expiresAt && input.expiresAt <= now) {
      throw invalidField('expiresAt', 'must be in the future');
    }
    await mustHaveRoom(w, holder.id);
    const { expiresAt, id = newId() } = input;
    const key = storeKey(
      w,
      { id, familyId: id, memberId: holder.id, name, scopes, expiresAt },
      now,
    );
    return { id, key, name, scopes, expiresAt };
  }).catch(
    refuseTaken('api_key_firm_id_id_pk', 'This key was created already. A key is shown only once.'),
  );

type Properties = Pick<
  typeof apiKey.$inferInsert,
  'id' | 'familyId' | 'memberId' | 'name' | 'scopes' | 'expiresAt'
>;

/**
 * Whether somebody sees and revokes everybody's keys: an owner, or an administrator of the firm, who
 * manages keys and members.
 */
export const managesAllKeys = (may: (permission: Permission) => boolean) =>
  may('keys:write') && may('members:write');

/** A member makes and rotates only their own keys; the administrator of the server anybody's. */
const mustBeOwn = (w: Write, memberId: string) => {
  if (w.memberId === null || w.memberId === memberId) return;
  throw new Refusal(
    'forbidden',
    'This key is not yours. Members create and change their own keys.',
  );
};

/** Stores a new key inside a write, and returns the key itself, which is stored nowhere. */
const storeKey = (w: Write, properties: Properties, now: Date, also = {}) => {
  const key = newSecret();
  const stored = { start: key.slice(0, 8), digest: digestOf(key), createdAt: now };
  w.create(apiKey, { firmId: w.firmId, ...properties, ...stored }, also);
  return key;
};

// Call it while the member's row is locked: two writes at once must not both take the last place.
const mustHaveRoom = async (w: Write, memberId: string) => {
  const live = await w.first(countLive, { firmId: w.firmId, memberId });
  if (Number(live?.count) >= max) {
    throw new Refusal('conflict', `This member has ${max} live keys. Revoke one first.`);
  }
};

const countLive = statement(({ firmId, memberId }: Given<'firmId' | 'memberId'>) =>
  query
    .select({ count: sql<string>`count(*)` })
    .from(apiKey)
    .where(
      sql`${apiKey.firmId} = ${firmId} and ${apiKey.memberId} = ${memberId}
        and ${apiKey.revokedAt} is null and (${apiKey.expiresAt} is null or ${apiKey.expiresAt} > moment())`,
    ),
);

const keyForChange = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(apiKey)
    .where(and(eq(apiKey.firmId, firmId), eq(apiKey.id, id)))
    .for('update'),
);

const keyToChange = async (w: Write, id: string) => {
  const stored = await w.first(keyForChange, { firmId: w.firmId, id });
  if (stored) return stored;
  throw notFound('No key of the firm has this id.');
};

/**
 * Revokes a key: the next request with it is refused everywhere. Repeating it changes nothing. Those
 * who manage all keys may revoke anybody's. Throws `Refusal` not_found, and forbidden for another
 * member's key.
 */
export const revokeKey = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, own, now] = await Promise.all([keyToChange(w, id), rightsOf(w), w.now()]);
    const may = (one: Permission) => own.holdsAll || own.permissions.includes(one);
    if (!managesAllKeys(may)) mustBeOwn(w, stored.memberId);
    const revokedAt = stored.revokedAt ?? now;
    w.update(apiKey, stored, { revokedAt });
    return { id, revokedAt };
  });

/** Revokes keys inside a write, whoever they belong to. The caller has checked the right to it. */
export const revokeKeys = async (w: Write, ids: readonly string[]) => {
  for (const id of ids) {
    const [stored, now] = await Promise.all([keyToChange(w, id), w.now()]);
    w.update(apiKey, stored, { revokedAt: stored.revokedAt ?? now });
  }
};

/**
 * Replaces a key by a new one with the same member, name, scopes and length of life, and returns
 * it, once. The old one stays valid for `graceMilliseconds` more, but no longer than it was. Both
 * are one caller to Idempotency-Keys and to the rate limit. Throws `Refusal`: not_found; forbidden
 * for another member's key; conflict for a key that is revoked, expired or already rotated, and for
 * a member with 50 live keys; invalid_request for a deactivated member.
 */
export const rotateKey = (actor: Acting, id: string, graceMilliseconds: number) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([keyToChange(w, id), w.now()]);
    const { familyId, memberId, name, scopes } = stored;
    mustBeOwn(w, memberId);
    const [successor, holder] = await Promise.all([
      w.first(laterInFamily, {
        firmId: w.firmId,
        memberId,
        familyId,
        id,
        createdAt: stored.createdAt,
      }),
      memberWithId(w, memberId),
    ]);
    refuseEnded(stored, now);
    if (successor) {
      throw new Refusal(
        'conflict',
        `This key was rotated already. Rotate ${successor.id} instead.`,
      );
    }
    if (holder.deactivatedAt) throw invalid('This member is deactivated and can have no keys.');
    const endsAt = Math.min(
      now.getTime() + graceMilliseconds,
      stored.expiresAt?.getTime() ?? Infinity,
    );
    const replaces = { id, expiresAt: new Date(endsAt) };
    w.update(apiKey, stored, { expiresAt: replaces.expiresAt });
    await mustHaveRoom(w, memberId);
    const expiresAt = stored.expiresAt && lateBy(now, stored.createdAt, stored.expiresAt);
    const fresh = { id: newId(), familyId, memberId, name, scopes, expiresAt };
    const key = storeKey(w, fresh, now, { replaces: id });
    return { id: fresh.id, key, name, scopes, expiresAt, replaces };
  });

/** As long after `now` as the second moment was after the first. */
const lateBy = (now: Date, from: Date, to: Date) =>
  new Date(now.getTime() + to.getTime() - from.getTime());

const refuseEnded = ({ revokedAt, expiresAt }: typeof apiKey.$inferSelect, now: Date) => {
  const end = revokedAt ? 'revoked' : expiresAt && expiresAt <= now ? 'expired' : undefined;
  if (end === undefined) return;
  throw new Refusal('conflict', `This key is ${end} and cannot be rotated. Create a new one.`);
};

type RotatedKey = {
  firmId: string;
  memberId: string;
  familyId: string;
  id: string;
  createdAt: Date;
};

// By the database's clock. An id tells only the time of the machine that made it.
const laterInFamily = statement((given: Given<RotatedKey>) =>
  query
    .select({ id: apiKey.id })
    .from(apiKey)
    .where(
      sql`${apiKey.firmId} = ${given.firmId} and ${apiKey.memberId} = ${given.memberId}
        and ${apiKey.familyId} = ${given.familyId} and ${apiKey.id} <> ${given.id}
        and ${apiKey.createdAt} >= ${given.createdAt}::timestamptz`,
    )
    .orderBy(desc(apiKey.createdAt))
    .limit(1),
);

const holder = shortStatement(({ digest }: Given<{ digest: Buffer }>) =>
  query
    .select({
      firmId: apiKey.firmId,
      keyId: apiKey.id,
      keyFamilyId: apiKey.familyId,
      memberId: apiKey.memberId,
      scopes: apiKey.scopes,
      permissions: role.permissions,
      isOwner: role.holdsAll,
      wasUsedLately: sql<boolean>`coalesce(${apiKey.lastUsedAt} > moment() - interval '1 minute', false)`,
    })
    .from(apiKey)
    .innerJoin(member, and(eq(member.firmId, apiKey.firmId), eq(member.id, apiKey.memberId)))
    .innerJoin(role, and(eq(role.firmId, member.firmId), eq(role.id, member.roleId)))
    .where(
      sql`${apiKey.digest} = ${digest} and ${apiKey.revokedAt} is null
        and (${apiKey.expiresAt} is null or ${apiKey.expiresAt} > moment()) and ${member.deactivatedAt} is null${acrossFirms(apiKey.firmId, 'secret')}`,
    ),
);

/** The holder of a key that is valid now, with its scopes and its member's permissions. */
export type KeyHolder = NonNullable<Awaited<ReturnType<typeof findHolder>>>;

/**
 * The holder of a well-formed key; undefined if the key is unknown, revoked or expired, or its
 * member is deactivated. Throws `Refusal` unavailable for an impossible answer, which says nothing
 * of the key.
 */
export const findHolder = async (database: Database, key: string) => {
  const found = await database.run(holder, { digest: digestOf(key) });
  const [only] = found;
  const isBroken = Object.values(only ?? {}).some((value) => value === null || value === undefined);
  if (found.length > 1 || isBroken) {
    log('error', 'a key was looked up and the answer cannot be', { keyId: only?.keyId });
    throw unavailable('The key could not be looked up.');
  }
  return only;
};

const stampUse = statement(({ firmId, keyId }: Given<'firmId' | 'keyId'>) =>
  query
    .update(apiKey)
    .set({ lastUsedAt: sql`moment()` })
    .where(
      sql`${apiKey.firmId} = ${firmId} and ${apiKey.id} = ${keyId}
        and (${apiKey.lastUsedAt} is null or ${apiKey.lastUsedAt} <= moment() - interval '1 minute')`,
    ),
);

/** Notes that a key was used, at most once a minute. The request does not wait for it. */
export const noteUse = (database: Database, { firmId, keyId, wasUsedLately }: KeyHolder) => {
  if (wasUsedLately) return;
  database
    .run(stampUse, { firmId, keyId })
    .catch((error) => log('warn', 'last use of a key not noted', describeError(error)));
};
