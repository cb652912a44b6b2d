/** Who may make a link by which a member signs in: asked when it is made, and when it is followed. */
import { sql } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import { mustCover, rightsOf } from '../firm/rights.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Own, ownPrivate } from '../visibility/visibility.ts';
import type { LinkPurpose } from './table.ts';

/**
 * Why only an owner or the administrator may make a link for a member; undefined if others may too.
 * Whoever follows a link acts as the member: a password that is theirs alone would be replaced, and
 * what only they see would be read.
 */
export const whyForOwners = async (
  { first, firmId }: Pick<Reader, 'first' | 'firmId'>,
  memberId: string,
): Promise<string | undefined> => {
  const held = await first(heldAlone, { firmId, memberId });
  if (held?.hasPassword)
    return 'They have a password already, so only an owner can make them a link for a new one.';
  if (held?.seesPrivate) {
    return 'They see a private lead, so only an owner can make them a link.';
  }
  return undefined;
};

const heldAlone = statement(
  (own: Own) => sql<{ hasPassword: boolean; seesPrivate: boolean }>`
    select exists (select from password
        where firm_id = ${own.firmId}::uuid and member_id = ${own.memberId}::uuid) as "hasPassword",
      exists (select ${ownPrivate.lead(own)}) or exists (select ${ownPrivate.contact(own)})
        as "seesPrivate"`,
);

/**
 * Throws `Refusal` forbidden unless the maker may make a link for this member now: nobody for a
 * member with more rights than their own, and only owners where `whyForOwners` says so.
 */
export const mustBeMaker = async (maker: Reader, memberId: string): Promise<void> => {
  const [own, others, why] = await Promise.all([
    rightsOf(maker),
    rightsOf({ ...maker, memberId }),
    whyForOwners(maker, memberId),
  ]);
  mustCover(own, others);
  if (why && !own.holdsAll) throw new Refusal('forbidden', why);
};

type MadeLink = { id: string; firmId: string; memberId: string; purpose: LinkPurpose };

/**
 * Whether the maker of a link could still make it, by what they and the member may do now. The audit
 * log says who made it. The link of a demonstration, and an awaited code, were given by the server.
 */
export const mayStandFor = async (
  { run, first }: Runs,
  { id, firmId, memberId, purpose }: MadeLink,
): Promise<boolean> => {
  if (purpose === 'DEMONSTRATION' || purpose === 'CODE') return true;
  const made = await first(makerOf, { firmId, id });
  if (!made) return false;
  const maker = { run, first, firmId, memberId: made.memberId, seesPrivate: false };
  const own = await rightsOf(maker);
  if (!own.holdsAll && !own.permissions.includes('members:write')) return false;
  return mustBeMaker(maker, memberId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false;
      throw error;
    },
  );
};

const makerOf = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ memberId: string | null }>`
    select member_id::text as "memberId" from audit_entry
    where firm_id = ${firmId}::uuid and record_id = ${id}::uuid
      and record_kind = 'sign_in_link' and action = 'create' limit 1`,
);
