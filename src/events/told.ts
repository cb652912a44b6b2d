import { getTableName } from 'drizzle-orm';
import type { Resource } from '../record/resource.ts';

/** A kind of record whose events are told. */
export type Source = {
  /** As the audit log calls it, and the first half of the types of its events: `practice_area`. */
  kind: string;
  /** The path segment: `practice-areas`. */
  resource: string;
  /** What the API calls a stored field; undefined for one that it does not show. */
  nameOf(stored: string): string | undefined;
  statuses: Readonly<Record<string, string>>;
};

/** What an event is told from, by a card. */
export const sourceOf = ({ name, shapes, told }: Resource): Source => {
  if (!told) throw new Error(`No events of ${name} are told.`);
  const { properties } = shapes.full;
  const { as = {} } = told;
  return {
    kind: getTableName(told.table),
    resource: name,
    nameOf: (stored) => as[stored] ?? (Object.hasOwn(properties, stored) ? stored : undefined),
    statuses: told.statuses ?? {},
  };
};

/** The types of events of a kind of record. */
export const typesOf = ({ kind, statuses }: Source): string[] =>
  ['created', 'updated', 'deleted', ...Object.values(statuses)].map((what) => `${kind}.${what}`);

/** What the audit log says of an entry that an event is told from. */
export type Entry = {
  action: 'create' | 'update' | 'delete';
  /** The names of the fields that an update changed. */
  changed: string[] | null;
  /** The status that it set. */
  status: string | null;
  /** Whether it cancelled the record. */
  isCancelled: boolean;
  /** Whether it is about a stage of the record and not about the record itself. */
  isOfStage: boolean;
};

/**
 * The type of an event and the fields that changed, as the API calls them. Who cancels a record takes
 * it out of the lists: that is a deletion.
 */
export const tell = (
  { kind, nameOf, statuses }: Source,
  { action, changed, status, isCancelled, isOfStage }: Entry,
): { type: string; changed: string[] } => {
  if (isOfStage) return { type: `${kind}.updated`, changed: ['stages'] };
  if (action === 'create') return { type: `${kind}.created`, changed: [] };
  if (action === 'delete' || isCancelled) return { type: `${kind}.deleted`, changed: [] };
  // `customFields.<id>` is a part of customFields.
  const stored = (changed ?? []).map((field) => field.split('.')[0] ?? field);
  const names = stored.flatMap((field) => nameOf(field) ?? []);
  const what = (status !== null && statuses[status]) || 'updated';
  return { type: `${kind}.${what}`, changed: [...new Set(names)].sort() };
};
