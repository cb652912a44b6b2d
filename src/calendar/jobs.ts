import type { JobKind } from '../jobs/kind.ts';
import { closeOutKinds } from '../matters/jobs.ts';
import { type Cause, writeOnBehalf } from '../record/write.ts';
import { cancelEvents } from './event.ts';

/** Few enough that a transaction takes well under a second. */
const chunk = 100;

/**
 * Cancels the future events of a matter that was archived or deleted, each once, and tells the
 * guests.
 */
export const closeOutEvents: JobKind = {
  kind: closeOutKinds.events,
  async work({ firmId, ref, payload }, transaction, again) {
    await writeOnBehalf(transaction, firmId, payload.cause as Cause, async (w) => {
      if ((await cancelEvents(w, ref as string, chunk)) === chunk) again(0);
    });
  },
};
