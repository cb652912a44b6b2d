import { firm } from '../firm/table.ts';
import type { Actor } from '../record/actor.ts';
import { write } from '../record/write.ts';
import type { LeadFilter } from './filter.ts';
import { type LeadLine, type LeadOrder, readOverview } from './overview.ts';

/** How many leads are written into one file. */
const mostExported = 100_000;

/**
 * The leads that pass a filter, for a file that leaves the firm: the audit log says who took how many
 * of them, and by which filter.
 */
export const exportLeads = (
  actor: Actor,
  filter: LeadFilter,
  order: LeadOrder,
): Promise<LeadLine[]> =>
  write(actor, async (w) => {
    const { rows } = await readOverview(w, filter, order, { limit: mostExported, offset: 0 });
    const asked = Object.entries(filter).filter(([, value]) => value !== null);
    const after = { rows: rows.length, filter: Object.fromEntries(asked) };
    w.record('update', firm, w.firmId, { leadsExported: { before: null, after } });
    return rows;
  });
