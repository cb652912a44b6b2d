import { everyLead, type LeadFilter } from '../../leads/filter.ts';
import { leadStatuses, leadValues } from '../../leads/table.ts';
import { fieldsIn, listAddress, partsIn } from '../list-query.ts';

/**
 * The filter in an address. Wrong values are left out. The status is ACTIVE by default; `ALL` means
 * any.
 */
export const filterIn = (query: URLSearchParams, memberId: string): LeadFilter => {
  const { text, words, among, id, day } = partsIn(query);
  const days = Number(query.get('waiting'));
  return {
    ...everyLead,
    status: query.get('status') === 'ALL' ? null : (among('status', leadStatuses) ?? 'ACTIVE'),
    stage: id('stage'),
    reached: id('reached'),
    area: id('area'),
    assignee: query.get('assignee') === 'me' ? memberId : id('assignee'),
    value: among('value', [...leadValues, 'none']),
    source: text('source'),
    reason: id('reason'),
    from: day('from'),
    to: day('to'),
    decidedFrom: day('decidedFrom'),
    decidedTo: day('decidedTo'),
    touched: /^(yes|no|[1-9]\d{0,4})$/.exec(query.get('touched') ?? '')?.[0] ?? null,
    waiting: Number.isInteger(days) && days > 0 && days <= 36_500 ? days : null,
    q: words('q'),
    fields: fieldsIn(query),
  };
};

/** The address of the list for a filter. A report's figure links to it. */
export const leadsAddress = (filter: Partial<LeadFilter>): string => listAddress('/leads', filter);
