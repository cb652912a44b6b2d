import { invalid } from '../base/refusal.ts';
import { memberWithId } from '../firm/member.ts';
import type { Database } from '../postgres/pool.ts';
import type { Actor } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { needsCode } from './code.ts';
import { forgetBrowsers } from './known-browser.ts';
import { endLinks, linkIsOver, type NewLink, readLink, storeLink, takeLink } from './link.ts';
import { mustBeMaker } from './maker.ts';
import { hashPassword, keepPassword } from './password.ts';
import { actorFor, type Browser, endSessions, startSession } from './session.ts';
import type { LinkPurpose } from './table.ts';
import { warnLater } from './warning.ts';

/**
 * Makes a link by which a member sets a password (INVITE, RESET) or signs in with one click
 * (DEMONSTRATION). An earlier link for the same purpose ends. Throws `Refusal` for an unknown or
 * deactivated member, and forbidden as `mustBeMaker` does.
 */
export const createLink = (
  actor: Acting,
  memberId: string,
  purpose: Exclude<LinkPurpose, 'CODE'>,
): Promise<NewLink> =>
  write(actor, async (w) => {
    const [holder, now] = await Promise.all([memberWithId(w, memberId), w.now()]);
    if (holder.deactivatedAt) throw invalid('This member is deactivated and cannot sign in.');
    await mustBeMaker(w, holder.id);
    await endLinks(w, holder.id, now, purpose);
    return storeLink(w, holder.id, purpose, now);
  });

/** The result of a proof: signed in, or a code still to be typed. Both are cookies' values. */
export type Entry = { session: string } | { awaitsCode: string };

/**
 * Uses a link up and signs its member in. An invitation or a reset sets the given password and ends
 * all of the member's sessions. Says whether it was a reset: then the member's keys and feed are to
 * be decided on. Throws `Refusal` for a link that is no longer valid, and for a
 * password that is not accepted; then the link stays valid.
 */
export const followLink = async (
  database: Database,
  token: string,
  input: { password: string },
  browser: Browser,
): Promise<Entry & { wasReset: boolean }> => {
  const link = await readLink(database, token);
  if (!link || link.purpose === 'CODE') throw linkIsOver();
  const isDemonstration = link.purpose === 'DEMONSTRATION';
  const hash = isDemonstration ? '' : await hashPassword(input.password, link.email);
  const actor = memberActor(database, link);
  return write(actor, async (w) => {
    const now = await takeLink(w, link);
    if (isDemonstration) {
      const session = await startSession(w, link.memberId, browser, 'demonstration');
      return { session, wasReset: false };
    }
    await keepPassword(w, link.memberId, hash, now);
    forgetBrowsers(w, link.memberId);
    if (link.purpose === 'RESET') warnLater(w, link.memberId, 'reset', link.id);
    await endSessions(w, link.memberId);
    const wasReset = link.purpose === 'RESET';
    const entry = await completeSignIn(
      w,
      link.memberId,
      browser,
      wasReset ? 'reset' : 'invitation',
    );
    return { ...entry, wasReset };
  });
};

/**
 * Signs a member in. If they have an authenticator, returns the token of the awaited code instead.
 */
export const completeSignIn = async (
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

/** A member before they have a session: enough to write for themselves. */
export const memberActor = (
  database: Database,
  { firmId, memberId }: { firmId: string; memberId: string },
): Actor => actorFor(database, { firmId, memberId, isOwner: false, requestId: Bun.randomUUIDv7() });
