import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import type { FieldFilter } from '../views/filter.ts';

/** An id in an address, or `none`. */
export const anId = (text: string) => (isId(text) || text === 'none' ? text : null);

/** A member's id, `me` or `none`. */
export const aMember = (text: string, self: string) => (text === 'me' ? self : anId(text));

export const aText = (text: string) => text;

export const aDay = (text: string) => (isCalendarDate(text) ? text : null);

/** A number of things, from 1. */
export const aCount = (max: number) => (text: string) => {
  const count = Number(text);
  return Number.isInteger(count) && count > 0 && count <= max ? count : null;
};

export const among =
  <Word extends string>(words: readonly Word[]) =>
  (text: string): Word | null =>
    words.find((word) => word === text) ?? null;

/** The status of the list's tab: ACTIVE by default; null for `ALL`. */
export const statusIn = <Status extends string>(
  query: URLSearchParams,
  statuses: readonly Status[],
): Status | 'ACTIVE' | null =>
  query.get('status') === 'ALL' ? null : (among(statuses)(query.get('status') ?? '') ?? 'ACTIVE');

/** In the address of a list: all that match are counted, however many they are. */
export const countedIn = 'counted';

const notFilters = ['view', 'status', 'sort', 'columns', 'page', 'do', countedIn];

/** Whether an address leaves out records of the tab that it shows. */
export const isFiltered = (query: URLSearchParams) =>
  [...query].some(([name, value]) => value !== '' && !notFilters.includes(name));

const maxFields = 20;

/** `field.{id}` is a label, `field.{id}.from` and `field.{id}.to` are days. */
export const fieldsIn = (query: URLSearchParams): FieldFilter[] => {
  const found = new Map<string, FieldFilter>();
  for (const [name, value] of query) {
    const [, field, end] = /^field\.([0-9a-f-]{36})(?:\.(from|to))?$/.exec(name) ?? [];
    if (!field || !value || (end && !isCalendarDate(value))) continue;
    const known = found.get(field) ?? { field, is: null, from: null, to: null };
    found.set(field, { ...known, [end ?? 'is']: value });
  }
  return [...found.values()].slice(0, maxFields);
};

/** The names in an address that filter by a custom field which the firm no longer has. */
export const removedIn = (query: URLSearchParams, defined: readonly { id: string }[]): string[] => {
  const gone = fieldsIn(query).filter(({ field }) => defined.every(({ id }) => id !== field));
  return [...new Set(query.keys())].filter((name) =>
    gone.some(({ field }) => name.startsWith(`field.${field}`)),
  );
};

/** The order in an address; by default the newest first. */
export const orderIn = <By extends string>(
  query: URLSearchParams,
  sorts: readonly By[],
): { by: By | 'created'; isDown: boolean } => {
  const text = query.get('sort') ?? '-created';
  const by = [...sorts, 'created' as const].find((sort) => sort === text.replace(/^-/, ''));
  return by ? { by, isDown: text.startsWith('-') } : { by: 'created', isDown: true };
};

/** The address of a list for a filter. A report's figure links to it. */
export const listAddress = (
  path: string,
  { fields = [], ...plain }: { fields?: readonly FieldFilter[]; [name: string]: unknown },
): string => {
  const query = new URLSearchParams({ view: 'list', status: 'ALL' });
  for (const [name, value] of Object.entries(plain)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  for (const { field, is, from, to } of fields) {
    if (is) query.set(`field.${field}`, is);
    if (from) query.set(`field.${field}.from`, from);
    if (to) query.set(`field.${field}.to`, to);
  }
  return `${path}?${query}`;
};
