import type { Fields } from '../fields.ts';
import type { GoTo, Visit } from '../visit.ts';

/**
 * Goes on only where the member has proved within the last 15 minutes who they are; else asks for
 * their password first, and leads back to `back`, the page that the form stands on.
 */
export const afterProof =
  <Next, Seen extends Visit = Visit>(
    back: string | ((visit: Seen) => string),
    go: (visit: Seen, fields: Fields) => Promise<Next>,
  ) =>
  async (visit: Seen, fields: Fields): Promise<Next | GoTo> => {
    if (visit.session.isProvenLately) return go(visit, fields);
    const to = typeof back === 'string' ? back : back(visit);
    return `/settings/me/confirm?to=${encodeURIComponent(to)}`;
  };
