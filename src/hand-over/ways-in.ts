/**
 * What lets somebody in without the member's password: API keys, the calendar feed, passkeys. A new
 * password and the end of all sessions leave them, because a website's form may hang on a key. So
 * they are listed for one decision.
 */
import { sql } from 'drizzle-orm';
import { revokeKeys } from '../api-keys/api-key.ts';
import { dropFeed } from '../calendar/feed.ts';
import { memberWithId } from '../firm/member.ts';
import { mustCover, rightsOf } from '../firm/rights.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { dropPasskey } from '../sign-in/passkey.ts';

export type WayIn = {
  kind: 'key' | 'feed' | 'passkey';
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /**
   * Whether to end it unless somebody says otherwise: a feed, because a new address is made at once,
   * and a key that nothing has used for 30 days.
   */
  isSuggested: boolean;
};

/** A member's ways in that work now: feed, keys, passkeys, each kind oldest first. */
export const waysInOf = async (
  { run, firmId }: Pick<Reader, 'run' | 'firmId'>,
  memberId: string,
): Promise<WayIn[]> => {
  const stored = await run(openWays, { firmId, memberId });
  return stored.map((one) => ({
    ...one,
    createdAt: new Date(one.createdAt),
    lastUsedAt: one.lastUsedAt === null ? null : new Date(one.lastUsedAt),
  }));
};

type Stored = Omit<WayIn, 'createdAt' | 'lastUsedAt'> & {
  createdAt: string;
  lastUsedAt: string | null;
};

const openWays = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql<Stored>`
    select kind, id, name, created_at as "createdAt", last_used_at as "lastUsedAt",
      kind = 'feed' or (kind = 'key'
        and coalesce(last_used_at < moment() - interval '30 days', true)) as "isSuggested"
    from (
      select 1 as place, 'feed' as kind, member_id::text as id, 'Calendar feed' as name,
        created_at, last_used_at
      from calendar_feed where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
      union all
      select 2, 'key', id::text, name, created_at, last_used_at
      from api_key where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
        and revoked_at is null and (expires_at is null or expires_at > moment())
      union all
      select 3, 'passkey', id::text, name, created_at, last_used_at
      from passkey where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
    ) way order by place, created_at, id`,
);

/**
 * Ends those ways in of a member whose ids are chosen; others stay, and what has ended already is no
 * fault. Throws `Refusal` forbidden for another member with more rights than the actor, and
 * not_found for who is no member of the firm.
 */
export const endWaysIn = (
  actor: Acting,
  memberId: string,
  chosen: readonly string[],
): Promise<void> =>
  write(actor, async (w) => {
    if (w.memberId !== memberId) {
      const { id } = await memberWithId(w, memberId);
      mustCover(await rightsOf(w), await rightsOf({ ...w, memberId: id }));
    }
    await end(w, memberId, ({ id }) => chosen.includes(id));
  });

/** Ends a member's keys and feed inside a write. Passkeys stay: they sign in only an active member. */
export const endKeysAndFeed = (w: Write, memberId: string) =>
  end(w, memberId, ({ kind }) => kind !== 'passkey');

const end = async (w: Write, memberId: string, isMeant: (way: WayIn) => boolean) => {
  const meant = (await waysInOf(w, memberId)).filter(isMeant);
  const idsOf = (kind: WayIn['kind']) =>
    meant.filter((one) => one.kind === kind).map(({ id }) => id);
  await revokeKeys(w, idsOf('key'));
  for (const _ of idsOf('feed')) await dropFeed(w, memberId);
  for (const id of idsOf('passkey')) await dropPasskey(w, memberId, id);
};
