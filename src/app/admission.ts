import { isId } from '../base/columns.ts';
import type { SignedIn } from '../sign-in/session.ts';
import type { Admission, Page, Policy } from './visit.ts';

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
