import { isCalendarDate } from '../../base/calendar-date.ts';
import { isId } from '../../base/columns.ts';
import { everyLead, type FieldFilter, type LeadFilter } from '../../leads/filter.ts';
import { type LeadOrder, leadSorts } from '../../leads/overview.ts';
import { leadStatuses, leadValues } from '../../leads/table.ts';

/**
 * The filter in an address. Wrong values are left out. The status is ACTIVE by default; `ALL` means
 * any.
 */
export const filterIn = (query: URLSearchParams, memberId: string): LeadFilter => {
  const text = (name: string) => query.get(name)?.trim() || null;
  const among = <Word extends string>(name: string, words: readonly Word[]): Word | null =>
    words.find((word) => word === query.get(name)) ?? null;
  const id = (name: string) => {
    const given = text(name);
    return given && (isId(given) || given === 'none') ? given : null;
  };
  const day = (name: string) => {
    const given = text(name);
    return isCalendarDate(given) ? given : null;
  };
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
    q: text('q')?.slice(0, 255) ?? null,
    fields: fieldsIn(query),
  };
};

const mostFields = 20;

/** `field.{id}` is a label, `field.{id}.from` and `field.{id}.to` are days. */
const fieldsIn = (query: URLSearchParams): FieldFilter[] => {
  const found = new Map<string, FieldFilter>();
  for (const [name, value] of query) {
    const [, field, end] = /^field\.([0-9a-f-]{36})(?:\.(from|to))?$/.exec(name) ?? [];
    if (!field || !value || (end && !isCalendarDate(value))) continue;
    const known = found.get(field) ?? { field, is: null, from: null, to: null };
    found.set(field, { ...known, [end ?? 'is']: value });
  }
  return [...found.values()].slice(0, mostFields);
};

/** The order in an address; by default the newest first. */
export const orderIn = (query: URLSearchParams): LeadOrder => {
  const text = query.get('sort') ?? '-created';
  const by = leadSorts.find((sort) => sort === text.replace(/^-/, ''));
  return by ? { by, isDown: text.startsWith('-') } : { by: 'created', isDown: true };
};

/** The address of the list for a filter. A report's figure links to it. */
export const leadsAddress = (filter: Partial<LeadFilter>): string => {
  const { fields = [], ...plain } = filter;
  const query = new URLSearchParams({ view: 'list', status: 'ALL' });
  for (const [name, value] of Object.entries(plain)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  for (const { field, is, from, to } of fields) {
    if (is) query.set(`field.${field}`, is);
    if (from) query.set(`field.${field}.from`, from);
    if (to) query.set(`field.${field}.to`, to);
  }
  return `/leads?${query}`;
};
