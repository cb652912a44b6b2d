import { isId } from '../base/columns.ts';
import type { Repeatable } from '../record/actor.ts';
import type { SignedIn } from '../sign-in/session.ts';
import { addressOf } from './address.ts';
import { notForRole } from './answers.tsx';
import { isConflict, withConflictCheck } from './conflicts.ts';
import { type Fields, onceField } from './fields.ts';
import type {
  Admission,
  GoTo,
  Guard,
  OpenVisit,
  Page,
  Policy,
  SentForm,
  ShownPage,
  Visit,
} from './visit.ts';

/** Whether a visitor may see a page at this address. */
export const maySee = ({ admission, also }: ShownPage, visit: OpenVisit): boolean => {
  if (!isAdmitted(admission, visit.session)) return false;
  const more = isSignedIn(visit) ? also?.(visit) : undefined;
  return more === undefined || isAdmitted(more, visit.session);
};

/**
 * Makes the change that a form asks for, as its row says. Throws `Refusal` forbidden if the
 * visitor's role does not include this change.
 */
export const carryOut = async (sent: SentForm, visit: OpenVisit, fields: Fields) => {
  const { also, guard, once, proof } = sent.policy;
  if (!isSignedIn(visit)) return sent.change(visit, fields);
  const more = await also?.(visit, fields);
  if (more && !isAdmitted(more, visit.session)) throw notForRole('change');
  if (proof && !visit.session.isProvenLately) return askForProof(sent, visit, fields);
  if (guard) return changeGuarded(sent, guard, visit, fields);
  return sent.change(once ? onlyOnce(visit, fields) : visit, fields);
};

/** Others may change other fields while this change is made: then it is merged with theirs anew. */
const changeGuarded = async (sent: SentForm, guard: Guard, visit: Visit, fields: Fields) => {
  for (let triesLeft = 3; ; triesLeft -= 1) {
    const edit = await withConflictCheck(visit, fields, guard);
    try {
      return await sent.change(edit.visit, edit.fields);
    } catch (error) {
      // A form that is compared as a whole is not merged.
      if (triesLeft === 0 || typeof guard !== 'function' || !isConflict(error)) throw error;
    }
  }
};

const isSignedIn = (visit: OpenVisit): visit is Visit => 'actor' in visit;

/**
 * Asks the member to prove who they are. The form goes along with everything in it, and is sent
 * afterwards. Where it cannot, the proof leads back to the page of the form, and to its dialog.
 */
const askForProof = ({ again }: SentForm, visit: Visit, fields: Fields): GoTo => {
  const page = addressOf(again.path, visit.parameters);
  const dialog = fields.raw('do');
  const back = dialog ? `${page}?${new URLSearchParams({ do: dialog })}` : page;
  const asked = new URLSearchParams({ to: back, for: visit.path });
  return { path: `/settings/me/confirm?${asked}`, isKept: true };
};

/**
 * A visit whose form makes something once. Sent again unchanged, because the answer was lost or a
 * button was pressed twice, it makes nothing and gets the first answer. That holds for seven days.
 */
const onlyOnce = (visit: Visit, fields: Fields): Visit => {
  const repeatable = fields.raw(onceField) ? repeatableOf(visit, fields) : undefined;
  return { ...visit, actor: { ...visit.actor, repeatable } };
};

/** What was typed is part of the key: a form that was changed after all is another one. */
const repeatableOf = ({ session, path }: Visit, fields: Fields): Repeatable => {
  const sent = fields.names.map((name) => [name, fields.all(name)]);
  const hasher = new Bun.CryptoHasher('sha256').update(JSON.stringify([path, sent]));
  const digest = hasher.digest('hex');
  return { keyFamilyId: session.member.id, idempotencyKey: `form ${digest}`, fingerprint: digest };
};

/** Whether this visitor may see a page, or send a form. */
export const isAdmitted = (admission: Admission, session: SignedIn | undefined): boolean => {
  if (admission === 'open') return true;
  if (!session) return false;
  if (admission === 'member') return true;
  if (admission === 'owner') return session.isOwner;
  if (typeof admission === 'string') return session.may(admission);
  return 'anyOf' in admission
    ? admission.anyOf.some((one) => session.may(one))
    : admission.allOf.every((one) => session.may(one));
};

/** Gives a function that tells whether a visitor may see a page at an address. */
export const admitsBy = (pages: readonly Page[]) => {
  const found = new Map(
    pages.filter(({ method }) => method === 'GET').map(({ path, admission }) => [path, admission]),
  );
  return (path: string, session: SignedIn | undefined) => {
    const admission = found.get(path);
    return admission !== undefined && isAdmitted(admission, session);
  };
};

/** Gives a function that finds what the row says of the form that is sent to an address. */
export const policyBy = (pages: readonly Page[]) => {
  const found = new Map(
    pages.flatMap((row) => (row.method === 'POST' ? [[placeOf(row.path), row.policy]] : [])),
  );
  return (action: string): Policy | undefined => found.get(placeOf(action));
};

/** An address, or the path of a row, without ids. */
const placeOf = (path: string) =>
  path
    .replace(/\?.*/, '')
    .split('/')
    .map((part) => (part.startsWith(':') || isId(part) ? ':' : part))
    .join('/');
