import { sql } from 'drizzle-orm';
import type { JobKind } from '../jobs/kind.ts';
import { outdated, prune } from '../record/pruning.ts';
import { undoKind } from './bulk.ts';
import { type Step, undoStep, workStep } from './step.ts';
import { workKind } from './table.ts';

const inSteps = (kind: string, step: Step): JobKind => ({
  kind,
  async work({ firmId, ref }, transaction, again) {
    if (!(await step(transaction, { firmId, id: ref as string }))) again(0);
  },
});

/** Does a large bulk, and what is left of another when its request has not come to its end. */
export const bulkWork = inSteps(workKind, workStep);

/** The same for its undo. */
export const bulkUndo = inSteps(undoKind, undoStep);

const isOlder = (days: number) =>
  sql`created_at <= moment() - interval '${sql.raw(String(days))} days'`;

/** Removes bulks after 30 days, first their records. The audit log keeps what they changed. */
export const bulkPruning: JobKind = {
  kind: 'prune_bulk_changes',
  everySeconds: 3_600,
  work: prune(
    outdated('bulk_row', 'bulk_id, row', isOlder(30)),
    outdated('bulk_change', 'id', isOlder(31)),
  ),
};
