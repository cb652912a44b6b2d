import { and, eq } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { mayUse, type Permission } from '../firm/permissions.ts';
import { firm, member, role } from '../firm/table.ts';
import { type Given, query, shortStatement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { apiKey } from './table.ts';
import type { Self } from './wire.ts';

/**
 * What the caller is: their firm, member and key. `scopes` are those that the key has and its member's
 * role allows. Throws `Refusal` not_found for an actor without a key.
 */
export const readSelf = async ({ first, firmId, keyId }: Actor): Promise<Self> => {
  const found = keyId === null ? undefined : await first(self, { firmId, keyId });
  if (!found) throw notFound();
  const may = (one: Permission) => found.holdsAll || found.permissions.includes(one);
  return {
    firm: { id: firmId, name: found.firmName, timeZone: found.timeZone },
    member: {
      id: found.memberId,
      name: found.memberName,
      email: found.email,
      role: found.role,
    },
    key: {
      id: found.keyId,
      prefix: found.start,
      scopes: found.scopes,
      expiresAt: found.expiresAt?.toISOString() ?? null,
    },
    scopes: found.scopes.filter((scope) => mayUse(scope as Permission, may)),
  };
};

const self = shortStatement(({ firmId, keyId }: Given<'firmId' | 'keyId'>) =>
  query
    .select({
      firmName: firm.name,
      timeZone: firm.timeZone,
      memberId: member.id,
      memberName: member.name,
      email: member.email,
      role: role.name,
      permissions: role.permissions,
      holdsAll: role.holdsAll,
      keyId: apiKey.id,
      start: apiKey.start,
      scopes: apiKey.scopes,
      expiresAt: apiKey.expiresAt,
    })
    .from(apiKey)
    .innerJoin(firm, eq(firm.id, apiKey.firmId))
    .innerJoin(member, and(eq(member.firmId, apiKey.firmId), eq(member.id, apiKey.memberId)))
    .innerJoin(role, and(eq(role.firmId, member.firmId), eq(role.id, member.roleId)))
    .where(and(eq(apiKey.firmId, firmId), eq(apiKey.id, keyId))),
);
