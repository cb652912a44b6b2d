import { enqueue } from '../jobs/enqueue.ts';
import type { JobKind } from '../jobs/runner.ts';
import type { Write } from '../record/write.ts';
import { announceLeads } from './announce.ts';

const delaySeconds = 60;

/** Has a new lead announced one minute from now (public-api.md, Events). */
export const announceLater = (w: Write, leadId: string) =>
  enqueue(w, {
    kind: leadAnnounce.kind,
    dedupeKey: `lead_announce:${leadId}`,
    ref: leadId,
    afterSeconds: delaySeconds,
  });

/** Tells those who may see a new lead of it, by itself or as part of a burst. */
export const leadAnnounce: JobKind = { kind: 'lead_announce', work: announceLeads };
