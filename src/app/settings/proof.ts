import type { Fields } from '../fields.ts';
import type { GoTo, Visit } from '../visit.ts';

/**
 * Continues only if the member has proved who they are within the last 15 minutes. Otherwise it
 * asks for that first. The form goes along with everything in it, and is sent afterwards; where it
 * cannot, the proof leads back to `back`, the page of the form.
 */
export const afterProof =
  <Next, Seen extends Visit = Visit>(
    back: string | ((visit: Seen) => string),
    go: (visit: Seen, fields: Fields) => Promise<Next>,
  ) =>
  async (visit: Seen, fields: Fields): Promise<Next | GoTo> => {
    if (visit.session.isProvenLately) return go(visit, fields);
    const to = typeof back === 'string' ? back : back(visit);
    return {
      path: `/settings/me/confirm?to=${encodeURIComponent(to)}`,
      headers: {},
      isKept: true,
    };
  };
