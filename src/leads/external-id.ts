import { externalIdsOf } from '../contacts/external-id.ts';
import { canSeeLead } from '../visibility/visibility.ts';
import { lead } from './table.ts';

/** A lead's is not given to its contact. */
export const leadExternalIds = externalIdsOf(lead, {
  constraint: 'lead_external_id',
  noun: 'lead',
  reading: 'leads:read',
  isSeen: canSeeLead,
});
