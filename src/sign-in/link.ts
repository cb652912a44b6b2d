import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { newId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { memberWithId } from '../firm/member.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { mayStandFor } from './maker.ts';
import { type LinkPurpose, signInLink } from './table.ts';
import { isToken, newToken } from './token.ts';

const hour = 3_600_000;
const lastsMilliseconds: Record<LinkPurpose, number> = {
  INVITE: 7 * 24 * hour,
  RESET: hour,
  DEMONSTRATION: 24 * hour,
  CODE: hour / 6,
};

/** A one-time link to hand over. Its token is stored nowhere. */
export type NewLink = { id: string; token: string; expiresAt: Date };

/** Stores a new link of a member inside a write. Other links of theirs stay as they are. */
export const storeLink = (w: Write, memberId: string, purpose: LinkPurpose, now: Date): NewLink => {
  const { token, digest } = newToken();
  const id = newId();
  const expiresAt = new Date(now.getTime() + lastsMilliseconds[purpose]);
  w.create(signInLink, {
    firmId: w.firmId,
    id,
    memberId,
    digest,
    purpose,
    createdAt: now,
    expiresAt,
    usedAt: null,
  });
  return { id, token, expiresAt };
};

/**
 * Ends a member's unused links inside a write: all of them, or those for one purpose. A link was
 * handed over for the member as they were then. With another role, address or password it would open
 * more, or to somebody else.
 */
export const endLinks = async (w: Write, memberId: string, now: Date, purpose?: LinkPurpose) => {
  const of = { firmId: w.firmId, memberId, purpose: purpose ?? null };
  for (const { id } of await w.run(unusedLinks, of)) w.update(signInLink, { id }, { usedAt: now });
};

type Unused = { firmId: string; memberId: string; purpose: LinkPurpose | null };

const unusedLinks = statement(
  ({ firmId, memberId, purpose }: Given<Unused>) => sql<{ id: string }>`
    select id::text as id from sign_in_link
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
      and (${purpose}::text is null or purpose = ${purpose}) and used_at is null for update`,
);

/** A link that is valid now, and its member. */
export type OpenLink = {
  id: string;
  firmId: string;
  firmName: string;
  memberId: string;
  memberName: string;
  email: string;
  purpose: LinkPurpose;
};

/**
 * What a link opens; undefined if it is unknown, used or too old, if its member is deactivated, or if
 * its maker could not make it now.
 */
export const readLink = async (database: Runs, token: string): Promise<OpenLink | undefined> => {
  if (!isToken(token)) return undefined;
  const link = await database.first(openLink, { digest: digestOf(token) });
  return link && (await mayStandFor(database, link)) ? link : undefined;
};

const openLink = statement(
  ({ digest }: Given<{ digest: Buffer }>) => sql<OpenLink>`
    select link.id::text as id, link.firm_id::text as "firmId", firm.name as "firmName",
      member.id::text as "memberId", member.name as "memberName", member.email, link.purpose
    from sign_in_link link
    join firm on firm.id = link.firm_id
    join member on member.firm_id = link.firm_id and member.id = link.member_id
    where link.digest = ${digest} and link.used_at is null and link.expires_at > moment()
      and member.deactivated_at is null${acrossFirms(sql`link.firm_id`, 'secret')}`,
);

/**
 * Marks a link as used, inside a write. Throws `Refusal` if somebody else was faster, or if it ended
 * in the meantime.
 */
export const takeLink = async (w: Write, link: OpenLink): Promise<Date> => {
  // The member first, as in every write that ends links: otherwise two could wait for each other.
  const [holder, stored, now] = await Promise.all([
    memberWithId(w, link.memberId),
    w.first(linkForChange, { firmId: w.firmId, id: link.id }),
    w.now(),
  ]);
  const isOpen = stored && !stored.usedAt && !holder.deactivatedAt;
  if (!isOpen || !(await mayStandFor(w, link))) throw linkIsOver();
  w.update(signInLink, stored, { usedAt: now });
  return now;
};

/** Nobody else sees this page, so it may say why the link does not work. */
export const linkIsOver = () =>
  notFound(
    'This link was already used, it is too old, or something about you has changed since. Ask an owner of the firm for a new one.',
  );

const linkForChange = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({ id: signInLink.id, usedAt: signInLink.usedAt })
    .from(signInLink)
    .where(sql`${signInLink.firmId} = ${firmId} and ${signInLink.id} = ${id}`)
    .for('update'),
);
