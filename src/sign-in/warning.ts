import { enqueue } from '../jobs/enqueue.ts';
import type { Write } from '../record/write.ts';

/** What a member is warned of: each changes, or tries, the way into their account. */
export type Warning = 'authenticator' | 'browser' | 'code' | 'passkey' | 'password' | 'reset';

/** The kind of job that warns. Its work is in the folder of notifications. */
export const warningJob = 'warn_member';

/**
 * Warns a member in their inbox soon after this write. Two warnings of one occasion are one.
 */
export const warnLater = (w: Write, memberId: string, warning: Warning, occasion: string) =>
  enqueue(w, {
    kind: warningJob,
    dedupeKey: `${warningJob}:${memberId}:${warning}:${occasion}`,
    ref: memberId,
    payload: { warning, occasion },
    afterSeconds: 0,
  });
