import { and, asc, eq, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { describeError, log } from '../base/log.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { memberWithEmail } from '../firm/firm.ts';
import { isPermission, type Permission, permissions } from '../firm/permissions.ts';
import { member, role } from '../firm/table.ts';
import type { Database } from '../postgres/pool.ts';
import { query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { write } from '../record/write.ts';
import { digestOf, newSecret } from './secret.ts';
import { apiKey } from './table.ts';

/** What a key's holder asks for. `expiresAt` null: never. */
export type NewKey = { email: string; scopes: string[]; name: string; expiresAt: Date | null };

const most = 50;

/**
 * Makes a key for a member and gives it, once. Throws `Refusal` for an unknown member or scope, a
 * deactivated member, an expiry in the past, and a member with 50 live keys already.
 */
export const createKey = (actor: Actor, wish: NewKey) =>
  write(actor, async (w) => {
    const scopes = checkScopes(wish.scopes);
    const [holder, now] = await Promise.all([memberWithEmail(w, wish.email), w.now()]);
    if (holder.deactivatedAt) throw invalid('This member is deactivated and can have no keys.');
    if (wish.expiresAt && wish.expiresAt <= now) throw invalid('--expires must lie in the future.');
    const live = await w.first(countLive, { firmId: w.firmId, memberId: holder.id });
    if (Number(live?.count) >= most) {
      throw new Refusal('conflict', `This member has ${most} live keys. Revoke one first.`);
    }
    const key = newSecret();
    const id = newId();
    const { name, expiresAt } = wish;
    w.create(apiKey, {
      ...{ firmId: w.firmId, id, familyId: id, memberId: holder.id, name, scopes, expiresAt },
      ...{ start: key.slice(0, 8), digest: digestOf(key), createdAt: now },
    });
    return { id, key, name, scopes, expiresAt };
  });

const checkScopes = (scopes: string[]): Permission[] => {
  const unique = [...new Set(scopes)];
  if (unique.length === 0 || !unique.every(isPermission)) {
    throw invalid(`--scope takes one or more of ${permissions.join(', ')}.`);
  }
  return unique as Permission[];
};

const countLive = statement(() =>
  query
    .select({ count: sql<string>`count(*)` })
    .from(apiKey)
    .where(
      sql`${apiKey.firmId} = ${sql.placeholder('firmId')} and ${apiKey.memberId} = ${sql.placeholder('memberId')}
        and ${apiKey.revokedAt} is null and (${apiKey.expiresAt} is null or ${apiKey.expiresAt} > moment())`,
    ),
);

const keys = statement(() =>
  query
    .select({
      id: apiKey.id,
      start: apiKey.start,
      name: apiKey.name,
      member: member.email,
      scopes: apiKey.scopes,
      createdAt: apiKey.createdAt,
      expiresAt: apiKey.expiresAt,
      revokedAt: apiKey.revokedAt,
      lastUsedAt: apiKey.lastUsedAt,
    })
    .from(apiKey)
    .innerJoin(member, and(eq(member.firmId, apiKey.firmId), eq(member.id, apiKey.memberId)))
    .where(eq(apiKey.firmId, sql.placeholder('firmId')))
    .orderBy(asc(apiKey.createdAt), asc(apiKey.id)),
);

/** The firm's keys, oldest first, revoked and expired ones included; never the keys themselves. */
export const listKeys = (reader: Reader) => reader.run(keys, { firmId: reader.firmId });

const keyForChange = statement(() =>
  query
    .select()
    .from(apiKey)
    .where(and(eq(apiKey.firmId, sql.placeholder('firmId')), eq(apiKey.id, sql.placeholder('id'))))
    .for('update'),
);

/** Revokes a key: from the next request on it is refused everywhere. Revoking again changes nothing. */
export const revokeKey = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([
      w.first(keyForChange, { firmId: w.firmId, id }),
      w.now(),
    ]);
    if (!stored)
      throw new Refusal(
        'not_found',
        'No key of the firm has this id. `matterhorn key list` shows them.',
      );
    const revokedAt = stored.revokedAt ?? now;
    w.update(apiKey, stored, { revokedAt });
    return { id, revokedAt };
  });

const holder = statement(() =>
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
      sql`${apiKey.digest} = ${sql.placeholder('digest')} and ${apiKey.revokedAt} is null
        and (${apiKey.expiresAt} is null or ${apiKey.expiresAt} > moment()) and ${member.deactivatedAt} is null`,
    ),
);

/** Who holds a key that is good at this moment, with its scopes and its member's permissions. */
export type KeyHolder = NonNullable<Awaited<ReturnType<typeof findHolder>>>;

/** The holder of a well-formed key; undefined when it is unknown, revoked, expired or its member deactivated. */
export const findHolder = (database: Database, key: string) =>
  database.first(holder, { digest: digestOf(key) });

const stampUse = statement(() =>
  query
    .update(apiKey)
    .set({ lastUsedAt: sql`moment()` })
    .where(
      sql`${apiKey.firmId} = ${sql.placeholder('firmId')} and ${apiKey.id} = ${sql.placeholder('keyId')}
        and (${apiKey.lastUsedAt} is null or ${apiKey.lastUsedAt} <= moment() - interval '1 minute')`,
    ),
);

/** Notes that a key was used, at most once a minute; the request does not wait for it. */
export const noteUse = (database: Database, { firmId, keyId, wasUsedLately }: KeyHolder) => {
  if (wasUsedLately) return;
  database
    .run(stampUse, { firmId, keyId })
    .catch((error) => log('warn', 'last use of a key not noted', describeError(error)));
};
