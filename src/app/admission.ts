import type { SignedIn } from '../sign-in/session.ts';
import type { Admission, Page } from './visit.ts';

/** Whether a page is for this visitor. */
export const isAdmitted = (admission: Admission, session: SignedIn | undefined): boolean => {
  if (admission === 'open') return true;
  if (!session) return false;
  if (admission === 'member') return true;
  if (admission === 'owner') return session.isOwner;
  return session.may(admission);
};

/** Says of an address whether there is a page that the visitor may see. */
export const admitsBy = (pages: readonly Page[], session: SignedIn | undefined) => {
  const found = new Map(
    pages.filter(({ method }) => method === 'GET').map(({ path, admission }) => [path, admission]),
  );
  return (path: string) => {
    const admission = found.get(path);
    return admission !== undefined && isAdmitted(admission, session);
  };
};
