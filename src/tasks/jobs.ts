import type { JobKind } from '../jobs/kind.ts';
import { closeOutKinds } from '../matters/jobs.ts';
import { type Cause, writeOnBehalf } from '../record/write.ts';
import { cancelTasks } from './task.ts';

/** Few enough that a transaction takes well under a second. */
const chunk = 200;

/** Cancels the open tasks of a matter that was archived or deleted, each exactly once. */
export const closeOutTasks: JobKind = {
  kind: closeOutKinds.tasks,
  async work({ firmId, ref, payload }, transaction, again) {
    await writeOnBehalf(transaction, firmId, payload.cause as Cause, async (w) => {
      if ((await cancelTasks(w, ref as string, chunk)) === chunk) again(0);
    });
  },
};
