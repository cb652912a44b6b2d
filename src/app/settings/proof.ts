import type { Fields } from '../fields.ts';
import type { GoTo, Visit } from '../visit.ts';

/**
 * Continues only if the member has typed their password within the last 15 minutes. Otherwise it
 * asks for the password first, and then leads back to `back`, the page of the form.
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
