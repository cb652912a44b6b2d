import { t } from 'elysia';
import { newId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { bodyOf, nonEmptyText, oneOf } from '../base/shapes.ts';
import { longestName } from '../base/short-text.ts';
import { memberWithEmail } from '../firm/member.ts';
import { ownerRole } from '../firm/role.ts';
import type { Database } from '../postgres/pool.ts';
import { administrator } from '../record/actor.ts';
import { write } from '../record/write.ts';
import { linkIsOver } from '../sign-in/link.ts';
import { hashPassword, keepPassword } from '../sign-in/password.ts';
import { type Browser, startSession } from '../sign-in/session.ts';
import { isSetupToken, takeSetupLink } from '../sign-in/setup-link.ts';
import { makeFirm } from './apply.ts';
import { blueprintFrom, starts } from './starts.ts';

/** What the first owner says of a new firm. */
export const newFirm = bodyOf('NewFirm', {
  firm: nonEmptyText(longestName),
  timeZone: nonEmptyText(longestName),
  start: oneOf(starts.map(({ id }) => id)),
  name: nonEmptyText(longestName),
  email: nonEmptyText(longestName),
  password: t.String(),
});

type NewFirm = typeof newFirm.static;

/**
 * Makes the first firm of an installation, with its owner, and signs the owner in: gives the value of
 * their cookie. All of it or nothing. Throws `Refusal` not_found for a link that is over, and
 * invalid_request for a time zone, an address or a password that cannot be one.
 */
export const setUpFirm = async (
  database: Database,
  token: string,
  input: NewFirm,
  browser: Browser,
): Promise<string> => {
  if (!(await isSetupToken(database, token))) throw linkIsOver();
  const start = starts.find(({ id }) => id === input.start);
  if (!start) throw notFound('There is no such start.');
  const hash = await hashPassword(input.password, input.email);
  const members = [{ email: input.email, name: input.name, role: ownerRole }];
  const blueprint = blueprintFrom(start, { name: input.firm, timeZone: input.timeZone, members });
  return write(administrator(database, newId()), async (w) => {
    await takeSetupLink(w, token);
    await makeFirm(w, blueprint);
    const owner = await memberWithEmail(w, input.email);
    if (!owner) throw new Error('The owner of a new firm is not there.');
    await keepPassword(w, owner.id, hash, await w.now());
    return startSession(w, owner.id, browser, 'password');
  });
};
