import type { Actor } from '../record/actor.ts';
import { write } from '../record/write.ts';
import { firm } from './table.ts';

/** What was taken out of the application as a file: `what` it is, by which address, how many rows. */
type Exported = { what: string; address: string; rows?: number };

/** Notes in the audit log that the actor takes records out as a file. */
export const recordExport = (actor: Actor, exported: Exported): Promise<void> =>
  write(actor, async (w) => {
    w.record('update', firm, w.firmId, { exported: { before: null, after: exported } });
  });

/** Notes in the audit log that the actor had a backup made, by the name of its file. */
export const recordBackup = (actor: Actor, file: string): Promise<void> =>
  write(actor, async (w) => {
    w.record('update', firm, w.firmId, { backup: { before: null, after: file } });
  });
