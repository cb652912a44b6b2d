import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { newId } from '../base/columns.ts';
import { invalid, notFound } from '../base/refusal.ts';
import { addMember, addressTaken, memberWithId, type NewMember } from '../firm/member.ts';
import { mustCover, rightsOf } from '../firm/rights.ts';
import type { Database, Runs } from '../postgres/pool.ts';
import { ofAnyFirm } from '../postgres/spread/forms.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { needsCode } from './code.ts';
import { hashPassword, keepPassword } from './password.ts';
import { actorFor, type Browser, endSessions, startSession } from './session.ts';
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
export type NewLink = { token: string; expiresAt: Date };

/**
 * Makes a link by which a member sets a password (INVITE, RESET) or signs in with one click
 * (DEMONSTRATION). An earlier link for the same purpose ends. Throws `Refusal` for an unknown or
 * deactivated member, and forbidden for a member with more rights than the actor.
 */
export const createLink = (
  actor: Acting,
  memberId: string,
  purpose: Exclude<LinkPurpose, 'CODE'>,
): Promise<NewLink> =>
  write(actor, async (w) => {
    const [holder, now] = await Promise.all([memberWithId(w, memberId), w.now()]);
    if (holder.deactivatedAt) throw invalid('This member is deactivated and cannot sign in.');
    const ids = { firmId: w.firmId, memberId: holder.id };
    const [own, others, earlier] = await Promise.all([
      rightsOf(w),
      rightsOf({ ...w, memberId: holder.id }),
      w.run(unusedLinks, { ...ids, purpose }),
    ]);
    mustCover(own, others);
    for (const { id } of earlier) w.update(signInLink, { id }, { usedAt: now });
    return storeLink(w, holder.id, purpose, now);
  });

/**
 * Adds a member and makes their invitation in one write. Throws `Refusal` as `addMember` and
 * `createLink` do.
 */
export const inviteMember = (actor: Actor, wish: NewMember) =>
  write(actor, async (w) => {
    const member = await addMember(w, wish);
    return { member, link: await createLink(w, member.id, 'INVITE') };
  }).catch(addressTaken);

const storeLink = (w: Write, memberId: string, purpose: LinkPurpose, now: Date): NewLink => {
  const { token, digest } = newToken();
  const expiresAt = new Date(now.getTime() + lastsMilliseconds[purpose]);
  w.create(signInLink, {
    firmId: w.firmId,
    id: newId(),
    memberId,
    digest,
    purpose,
    createdAt: now,
    expiresAt,
    usedAt: null,
  });
  return { token, expiresAt };
};

const unusedLinks = statement(
  ({ firmId, memberId, purpose }: Given<'firmId' | 'memberId' | 'purpose'>) => sql<{ id: string }>`
    select id::text as id from sign_in_link
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and purpose = ${purpose}
      and used_at is null for update`,
);

/** A link that is valid now, and its member. */
type OpenLink = {
  id: string;
  firmId: string;
  firmName: string;
  memberId: string;
  memberName: string;
  email: string;
  purpose: LinkPurpose;
};

/** What a link opens; undefined if it is unknown, used or too old, or its member is deactivated. */
export const readLink = async (database: Runs, token: string): Promise<OpenLink | undefined> =>
  isToken(token) ? database.first(openLink, { digest: digestOf(token) }) : undefined;

const openLink = statement(
  ({ digest }: Given<{ digest: Buffer }>) => sql<OpenLink>`
    select link.id::text as id, link.firm_id::text as "firmId", firm.name as "firmName",
      member.id::text as "memberId", member.name as "memberName", member.email, link.purpose
    from sign_in_link link
    join firm on firm.id = link.firm_id
    join member on member.firm_id = link.firm_id and member.id = link.member_id
    where link.digest = ${digest} and link.used_at is null and link.expires_at > moment()
      and member.deactivated_at is null${ofAnyFirm(sql`link.firm_id`, 'secret')}`,
);

/** The result of a proof: signed in, or a code still to be typed. Both are cookies' values. */
export type Entry = { session: string } | { awaitsCode: string };

/**
 * Uses a link up and signs its member in. An invitation or a reset sets the given password and ends
 * all of the member's sessions. Throws `Refusal` for a link that is no longer valid, and for a
 * password that is not accepted; then the link stays valid.
 */
export const followLink = async (
  database: Database,
  token: string,
  wish: { password: string },
  browser: Browser,
): Promise<Entry> => {
  const link = await readLink(database, token);
  if (!link || link.purpose === 'CODE') throw linkIsOver();
  const isDemonstration = link.purpose === 'DEMONSTRATION';
  const hash = isDemonstration ? '' : await hashPassword(wish.password, link.email);
  const actor = memberActor(database, link);
  return write(actor, async (w) => {
    const now = await takeLink(w, link);
    if (isDemonstration) {
      return { session: await startSession(w, link.memberId, browser, 'demonstration') };
    }
    keepPassword(w, link.memberId, hash, now);
    await endSessions(w, link.memberId);
    return enter(w, link.memberId, browser, link.purpose === 'INVITE' ? 'invitation' : 'reset');
  });
};

/** Nobody else sees this page, so it may say why the link does not work. */
export const linkIsOver = () =>
  notFound('This link was already used, or it is too old. Ask an owner of the firm for a new one.');

/**
 * Signs a member in. If they have an authenticator, returns the token of the awaited code instead.
 */
export const enter = async (
  w: Write,
  memberId: string,
  browser: Browser,
  way: 'password' | 'invitation' | 'reset',
): Promise<Entry> => {
  if (!(await needsCode(w, memberId))) {
    return { session: await startSession(w, memberId, browser, way) };
  }
  return { awaitsCode: storeLink(w, memberId, 'CODE', await w.now()).token };
};

/** Marks a link as used, inside a write. Throws `Refusal` if somebody else was faster. */
export const takeLink = async (w: Write, { id, memberId }: OpenLink): Promise<Date> => {
  const [stored, holder, now] = await Promise.all([
    w.first(linkForChange, { firmId: w.firmId, id }),
    memberWithId(w, memberId),
    w.now(),
  ]);
  if (!stored || stored.usedAt || holder.deactivatedAt) throw linkIsOver();
  w.update(signInLink, stored, { usedAt: now });
  return now;
};

const linkForChange = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({ id: signInLink.id, usedAt: signInLink.usedAt })
    .from(signInLink)
    .where(sql`${signInLink.firmId} = ${firmId} and ${signInLink.id} = ${id}`)
    .for('update'),
);

/** A member before they have a session: enough to write for themselves. */
export const memberActor = (
  database: Database,
  { firmId, memberId }: { firmId: string; memberId: string },
): Actor => actorFor(database, { firmId, memberId, isOwner: false, requestId: Bun.randomUUIDv7() });
