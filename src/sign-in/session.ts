import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { newId } from '../base/columns.ts';
import { describeError, log } from '../base/log.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import { usualFormats } from '../firm/formats.ts';
import type { Permission } from '../firm/permissions.ts';
import type { Formats } from '../firm/table.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { type SignInWay, session } from './table.ts';
import { isToken, newToken } from './token.ts';

/** How long a session lasts without use, and at most; and how long its member counts as proven. */
export const sessionLimits = { idleHours: 12, maxDays: 30, provenMinutes: 15 };

const maxPerMember = 50;

/** The network address that a member signs in from, and the browser's own name. */
export type Browser = { address: string; agent: string };

/** Who is signed in, and what their role allows now. */
export type SignedIn = {
  sessionId: string;
  firmId: string;
  firmName: string;
  /** The firm's time zone, by its IANA name. Its days begin at midnight there. */
  timeZone: string;
  /** How days and times are written for the member. */
  formats: Formats;
  member: { id: string; name: string; email: string };
  roleName: string;
  isOwner: boolean;
  /** Whether their role allows this. An owner's allows everything. */
  may(permission: Permission): boolean;
  /**
   * Whether the member has proved who they are within the last 15 minutes. Members of the
   * demonstration have no password, so it is always true for them.
   */
  isProvenLately: boolean;
  /** Whether they came by the link of a demonstration. */
  isDemonstration: boolean;
  actor: Actor;
};

/**
 * The holder of this cookie, in one round trip; undefined if it is unknown, ended or too old, or
 * its member is deactivated. Notes that the session is in use, without waiting for it.
 */
export const readSession = async (
  database: Database,
  token: string,
): Promise<SignedIn | undefined> => {
  if (!isToken(token)) return undefined;
  const found = await database.first(signedIn, { digest: digestOf(token) });
  if (!found) return undefined;
  if (!found.wasSeenLately) noteSeen(database, found);
  const { sessionId, firmId, firmName, timeZone, roleName, isOwner } = found;
  const requestId = Bun.randomUUIDv7();
  return {
    sessionId,
    firmId,
    firmName,
    timeZone,
    formats: { ...usualFormats, ...found.formats },
    roleName,
    isOwner,
    isProvenLately: found.isProvenLately,
    isDemonstration: found.isDemonstration,
    member: { id: found.memberId, name: found.memberName, email: found.memberEmail },
    may: (permission) => isOwner || found.permissions.includes(permission),
    actor: actorFor(database, { firmId, memberId: found.memberId, isOwner, requestId }),
  };
};

/** A member who acts in person, not through a key. */
export const actorFor = (
  database: Database,
  member: { firmId: string; memberId: string; isOwner: boolean; requestId: string },
): Actor => ({
  run: database.run,
  first: database.first,
  database,
  firmId: member.firmId,
  memberId: member.memberId,
  seesPrivate: member.isOwner,
  keyId: null,
  requestId: member.requestId,
});

const { idleHours, maxDays, provenMinutes } = sessionLimits;

const isLive = sql.raw(`session.ended_at is null
  and session.seen_at > moment() - interval '${idleHours} hours'
  and session.created_at > moment() - interval '${maxDays} days'`);

type SignedInRow = {
  sessionId: string;
  firmId: string;
  firmName: string;
  timeZone: string;
  formats: Partial<Formats>;
  memberId: string;
  memberName: string;
  memberEmail: string;
  roleName: string;
  isOwner: boolean;
  permissions: string[];
  isProvenLately: boolean;
  isDemonstration: boolean;
  wasSeenLately: boolean;
};

const signedIn = shortStatement(
  ({ digest }: Given<{ digest: Buffer }>) => sql<SignedInRow>`
    select session.id::text as "sessionId", session.firm_id::text as "firmId",
      firm.name as "firmName", firm.time_zone as "timeZone",
      firm.formats || member.formats as formats, member.id::text as "memberId", member.name as "memberName",
      member.email as "memberEmail", role.name as "roleName", role.holds_all as "isOwner",
      role.permissions,
      coalesce(session.proven_at > moment() - interval '${sql.raw(String(provenMinutes))} minutes', false)
        or session.signed_in_with = 'demonstration' as "isProvenLately",
      session.signed_in_with = 'demonstration' as "isDemonstration",
      session.seen_at > moment() - interval '1 minute' as "wasSeenLately"
    from session
    join firm on firm.id = session.firm_id
    join member on member.firm_id = session.firm_id and member.id = session.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where session.digest = ${digest} and member.deactivated_at is null and ${isLive}${acrossFirms(session.firmId, 'secret')}`,
);

const stampSeen = statement(
  ({ firmId, sessionId }: Given<'firmId' | 'sessionId'>) => sql`
    update session set seen_at = moment()
    where firm_id = ${firmId}::uuid and id = ${sessionId}::uuid
      and seen_at <= moment() - interval '1 minute'`,
);

const noteSeen = (
  database: Database,
  { firmId, sessionId }: Pick<SignedIn, 'firmId' | 'sessionId'>,
) => {
  database
    .run(stampSeen, { firmId, sessionId })
    .catch((error) => log('warn', 'last use of a session not noted', describeError(error)));
};

/**
 * Signs a member in, inside a write, and returns the cookie's new value, once. A member with 50
 * sessions loses the one that was unused for longest.
 */
export const startSession = async (
  w: Write,
  memberId: string,
  { address, agent }: Browser,
  signedInWith: SignInWay,
): Promise<string> => {
  const { token, digest } = newToken();
  const [now, live] = await Promise.all([w.now(), liveSessions(w, memberId)]);
  for (const old of live.slice(maxPerMember - 1)) w.update(session, old, { endedAt: now });
  w.create(session, {
    firmId: w.firmId,
    id: newId(),
    memberId,
    digest,
    signedInWith,
    address: address.slice(0, 64),
    browser: agent.slice(0, 255),
    createdAt: now,
    seenAt: now,
    endedAt: null,
    provenAt: signedInWith === 'demonstration' ? null : now,
  });
  return token;
};

/**
 * Checks that the member whose page waits is the one who signs in. Throws `Refusal` unauthorized
 * for another one, who must not send what was typed there.
 */
export const mustBeOnly = (memberId: string, only: string | undefined) => {
  if (!only || memberId === only) return;
  throw new Refusal(
    'unauthorized',
    'This page is another member’s. Only they can sign in here; open a new page to sign in yourself.',
  );
};

export type SessionView = {
  id: string;
  signedInWith: SignInWay;
  address: string;
  browser: string;
  createdAt: Date;
  seenAt: Date;
};

const sessionsOf = statement(({ firmId, memberId }: Given<'firmId' | 'memberId'>) =>
  query
    .select({
      id: session.id,
      signedInWith: session.signedInWith,
      address: session.address,
      browser: session.browser,
      createdAt: session.createdAt,
      seenAt: session.seenAt,
    })
    .from(session)
    .where(
      sql`${session.firmId} = ${firmId} and ${session.memberId} = ${memberId}
        and ${isLive}`,
    )
    .orderBy(sql`${session.seenAt} desc, ${session.id} desc`)
    .limit(2 * maxPerMember),
);

/** When each member last used a browser, by the member's id. Members who never did are left out. */
export const lastSeen = async (reader: Reader): Promise<Map<string, Date>> => {
  const rows = await reader.run(seenLast, { firmId: reader.firmId });
  return new Map(rows.map(({ memberId, at }) => [memberId, new Date(at)]));
};

const seenLast = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ memberId: string; at: string }>`
    select member_id::text as "memberId", max(seen_at) as at from session
    where firm_id = ${firmId}::uuid group by member_id`,
);

const liveSessions = (reader: Pick<Reader, 'run' | 'firmId'>, memberId: string) =>
  reader.run(sessionsOf, { firmId: reader.firmId, memberId });

/** Where the acting member is now signed in, the last used first. */
export const listMySessions = (actor: Actor): Promise<SessionView[]> =>
  actor.memberId === null ? Promise.resolve([]) : liveSessions(actor, actor.memberId);

/**
 * Ends a session of the acting member. Owners and the administrator can end anybody's. Repeating it
 * changes nothing. Throws `Refusal` not_found.
 */
export const endSession = (actor: Actor, id: string): Promise<void> =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([
      w.first(sessionForChange, { firmId: w.firmId, id }),
      w.now(),
    ]);
    const isTheirs = actor.seesPrivate || stored?.memberId === actor.memberId;
    if (!stored || !isTheirs) throw notFound('No session has this id.');
    w.update(session, stored, { endedAt: stored.endedAt ?? now });
  });

const sessionForChange = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({ id: session.id, memberId: session.memberId, endedAt: session.endedAt })
    .from(session)
    .where(sql`${session.firmId} = ${firmId} and ${session.id} = ${id}`)
    .for('update'),
);

/** Ends the acting member's sessions, except the current one. */
export const endMyOtherSessions = (actor: Actor, exceptId: string): Promise<void> =>
  write(actor, (w) => endSessions(w, String(actor.memberId), exceptId));

/** Ends a member's sessions inside a write, except one if its id is given. */
export const endSessions = async (w: Write, memberId: string, exceptId?: string) => {
  const [live, now] = await Promise.all([liveSessions(w, memberId), w.now()]);
  for (const one of live) {
    if (one.id !== exceptId) w.update(session, one, { endedAt: now });
  }
};

/** Notes that the member of a session has proved who they are again. */
export const noteProof = statement(
  ({ firmId, sessionId }: Given<'firmId' | 'sessionId'>) => sql`
    update session set proven_at = moment()
    where firm_id = ${firmId}::uuid and id = ${sessionId}::uuid`,
);
