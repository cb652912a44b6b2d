import { and, asc, eq, sql } from 'drizzle-orm';
import { member } from '../firm/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { apiKey } from './table.ts';

/** Whether a key is valid now. `expiring`: a valid key in its last thirty days. */
export type KeyState = 'live' | 'expiring' | 'expired' | 'revoked' | 'deactivated';

const state = sql<KeyState>`case
  when ${apiKey.revokedAt} is not null then 'revoked'
  when ${apiKey.expiresAt} <= moment() then 'expired'
  when ${member.deactivatedAt} is not null then 'deactivated'
  when ${apiKey.expiresAt} <= moment() + interval '30 days' then 'expiring'
  else 'live' end`;

const keys = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({
      id: apiKey.id,
      start: apiKey.start,
      name: apiKey.name,
      member: member.email,
      scopes: apiKey.scopes,
      state,
      createdAt: apiKey.createdAt,
      expiresAt: apiKey.expiresAt,
      revokedAt: apiKey.revokedAt,
      lastUsedAt: apiKey.lastUsedAt,
    })
    .from(apiKey)
    .innerJoin(member, and(eq(member.firmId, apiKey.firmId), eq(member.id, apiKey.memberId)))
    .where(eq(apiKey.firmId, firmId))
    .orderBy(asc(apiKey.createdAt), asc(apiKey.id)),
);

/** The firm's keys, oldest first, including revoked and expired ones; never the keys themselves. */
export const listKeys = (reader: Reader) => reader.run(keys, { firmId: reader.firmId });

/** The firm's keys of this name that are not revoked or expired, oldest first. */
export const namedKeys = (reader: Reader, name: string) =>
  reader.run(goodKeysNamed, { firmId: reader.firmId, name });

const goodKeysNamed = statement(({ firmId, name }: Given<'firmId' | 'name'>) =>
  query
    .select({ id: apiKey.id, familyId: apiKey.familyId })
    .from(apiKey)
    .where(
      sql`${apiKey.firmId} = ${firmId} and ${apiKey.name} = ${name} and ${apiKey.revokedAt} is null
        and (${apiKey.expiresAt} is null or ${apiKey.expiresAt} > moment())`,
    )
    .orderBy(asc(apiKey.createdAt), asc(apiKey.id)),
);
