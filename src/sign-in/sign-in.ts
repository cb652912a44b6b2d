import { invalidField, Refusal } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import type { Seals } from '../base/seal.ts';
import { memberWithId } from '../firm/member.ts';
import type { Database } from '../postgres/pool.ts';
import type { Actor } from '../record/actor.ts';
import { write } from '../record/write.ts';
import { useCode } from './code.ts';
import { noteFailures } from './failure.ts';
import { completeSignIn, type Entry, memberActor } from './invitation.ts';
import { forgetBrowsers } from './known-browser.ts';
import { linkIsOver, readLink, takeLink } from './link.ts';
import {
  hashPassword,
  isPasswordOf,
  keepPassword,
  type Membership,
  membersWithPassword,
} from './password.ts';
import {
  type Browser,
  endSessions,
  mustBeOnly,
  noteProof,
  type SignedIn,
  startSession,
} from './session.ts';
import { warnLater } from './warning.ts';

/** One wording for every mistake, so that nobody learns which addresses are members'. */
const notRight = () => new Refusal('unauthorized', 'The email or the password is not right.');

/**
 * Signs a member in by address and password. If they fit in several firms, and `only` does not say
 * whose member it is, returns these. Throws `Refusal` unauthorized if address and password are
 * wrong, or fit another member than `only`.
 */
export const signIn = async (
  database: Database,
  { email, password, only }: { email: string; password: string; only?: string | undefined },
  browser: Browser,
): Promise<Entry | { firms: Membership[] }> => {
  const { fitting, holders } = await membersWithPassword(database, email, password, {
    only,
    from: browser.address,
  });
  if (fitting.length > 1 && !only) return { firms: fitting };
  const [found] = fitting;
  if (!found) {
    noteFailures(database, holders, 'password', browser);
    throw notRight();
  }
  mustBeOnly(found.memberId, only);
  return write(memberActor(database, found), async (w) => {
    const holder = await memberWithId(w, found.memberId);
    if (holder.deactivatedAt) throw notRight();
    return completeSignIn(w, found.memberId, browser, 'password');
  });
};

/**
 * Signs in by a code, after the right password. Throws `Refusal` for a wrong code, and not_found if
 * no code is awaited.
 */
export const signInWithCode = async (
  database: Database,
  seals: Seals,
  { token, code }: { token: string; code: string },
  browser: Browser,
): Promise<string> => {
  const link = await readLink(database, token);
  if (link?.purpose !== 'CODE') throw linkIsOver();
  return write(memberActor(database, link), async (w) => {
    await takeLink(w, link);
    await useCode(w, seals, link.memberId, code);
    return startSession(w, link.memberId, browser, 'password and code');
  }).catch((refusal: unknown) => {
    if (refusal instanceof Refusal) noteFailures(database, [link], 'code', browser);
    throw refusal;
  });
};

/**
 * The signed-in member types their password again before an important setting. Throws `Refusal` if
 * it is wrong.
 */
export const proveAgain = async (
  database: Database,
  { actor, sessionId, member }: SignedIn,
  typed: string,
): Promise<void> => {
  if (!(await isPasswordOf(database, { firmId: actor.firmId, memberId: member.id }, typed))) {
    throw wrongPassword('password');
  }
  await database.run(noteProof, { firmId: actor.firmId, sessionId });
};

const wrongPassword = (field: string) =>
  invalidField(field, plainly('This is not your password', 'must be your password'));

/**
 * Gives the acting member a new password. All of their sessions end, and they get a new one. Throws
 * `Refusal` for a wrong present password, and for a new one that is not accepted.
 */
export const changeMyPassword = async (
  actor: Actor,
  email: string,
  { present, password }: { present: string; password: string },
  browser: Browser,
): Promise<string> => {
  const memberId = String(actor.memberId);
  if (!(await isPasswordOf(actor.database, { firmId: actor.firmId, memberId }, present))) {
    throw wrongPassword('present');
  }
  const hash = await hashPassword(password, email);
  return write(actor, async (w) => {
    await keepPassword(w, memberId, hash, await w.now());
    forgetBrowsers(w, memberId);
    warnLater(w, memberId, 'password', w.author.requestId);
    await endSessions(w, memberId);
    return startSession(w, memberId, browser, 'password');
  });
};
