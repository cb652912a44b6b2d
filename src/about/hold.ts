import { notFound, Refusal } from '../base/refusal.ts';
import { leadForChange } from '../leads/list.ts';
import { touch } from '../leads/next-touch.ts';
import { matterForChange } from '../matters/list.ts';
import type { Write } from '../record/write.ts';
import type { Named } from './subject.ts';

/**
 * Holds the record that something new is about, so that it is not hired or deleted meanwhile, and returns
 * its ids as the new row stores them. A person who adds something to a lead has touched it. Throws
 * `Refusal` not_found, also for a lead that the writer may not see; and conflict for a hired lead.
 */
export const holdSubject = async (w: Write, { leadId, matterId }: Named) => {
  if (leadId === undefined) {
    const matter = matterId === undefined ? undefined : await matterForChange(w, matterId);
    if (!matter) throw notFound('No matter of the firm has this id; GET /v1/matters lists them.');
    return { leadId: null, matterId: matter.id };
  }
  const lead = await leadForChange(w, leadId);
  if (!lead) throw notFound('No lead of the firm has this id; GET /v1/leads lists them.');
  if (lead.status === 'HIRED') {
    throw new Refusal('conflict', 'This lead was hired. Use its matter instead.');
  }
  await touch(w, lead);
  return { leadId: lead.id, matterId: null };
};

/**
 * Holds what a stored row is about, before the row itself. Says whether more like it is to be made: the record is neither
 * closed nor deleted.
 */
export const holdOpen = async (w: Write, { leadId, matterId }: Ids): Promise<boolean> => {
  if (matterId !== null) {
    const matter = await matterForChange(w, matterId);
    return matter !== undefined && matter.status !== 'ARCHIVE';
  }
  const lead = leadId === null ? undefined : await leadForChange(w, leadId);
  return lead?.status === 'ACTIVE' || lead?.status === 'DRAFT';
};

/** The record that a stored row is about: its matter, or its lead until that is hired. */
export const recordOfIds = ({ leadId, matterId }: Ids) =>
  matterId === null
    ? ({ about: 'lead', recordId: leadId ?? '' } as const)
    : ({ about: 'matter', recordId: matterId } as const);

type Ids = { leadId: string | null; matterId: string | null };
