import { dayIn } from '../../base/calendar-date.ts';
import { isId } from '../../base/columns.ts';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import type { LogEntry } from '../../visibility/log.ts';
import type { NamedRecord } from '../../visibility/names.ts';
import { describeChange, kindName, kindsOfRecord } from '../history.ts';
import { fieldChanges, type HistoryContext, orNothing } from '../history-words.ts';
import type { WritingIn } from '../moments.tsx';

/** The page of a record, if its kind has pages. */
export const addressOf = ({ kind, id }: Pick<NamedRecord, 'kind' | 'id'>): string | undefined => {
  const pages = kindsOfRecord[kind]?.pages;
  return pages && `${pages}/${id}`;
};

/** The verb of an entry, without subject and object: `created the`, `restored the`. */
export const actionText = ({ action, recordKind, changes }: LogEntry): string => {
  const kind = kindName(recordKind);
  if (recordKind === 'session') return action === 'create' ? 'signed in' : 'ended a sign-in';
  if (changes.failedSignIn) return 'failed sign-in as';
  if (recordKind === 'firm' && changes.exported) return 'exported';
  if (recordKind === 'firm' && changes.backup) return 'created a backup for the';
  if (recordKind === 'note' && changes.about) {
    return `wrote a note about the ${kindName(String(changes.about.after))}`;
  }
  const step = Object.keys(changes).find((one) => steps[recordKind]?.[one]);
  if (step) return `${steps[recordKind]?.[step]} the ${kind}`;
  if (action === 'create') return `created the ${kind}`;
  if (action === 'delete') return `deleted the ${kind}`;
  if (changes.deletedAt && changes.deletedAt.after === null) return `restored the ${kind}`;
  if (recordKind === 'sign_in_link' && changes.usedAt) return `used the ${kind}`;
  if (changes.cancelledAt) return `cancelled the ${kind}`;
  if (changes.doneAt) return `${changes.doneAt.after ? 'finished' : 'reopened'} the ${kind}`;
  if (changes.revokedAt) return `revoked the ${kind}`;
  if (changes.deactivatedAt) {
    return `${changes.deactivatedAt.after ? 'deactivated' : 'activated'} the ${kind}`;
  }
  return `changed the ${kind}`;
};

/** The record that an entry is about. A new note is about another record. */
export const subjectOf = ({ recordId, recordKind, changes }: LogEntry, { records }: Known) =>
  records.get(recordKind === 'note' ? String(changes.recordId?.after) : recordId);

const withTimeline = ['lead', 'contact', 'matter'];

/** What the entries' words need to know. */
export type Known = HistoryContext & { records: Names };

/** What a page knows for all its entries. Values of a field that was removed are told as text. */
export const knownFrom = (
  records: Names,
  defined: readonly CustomField[],
  { timeZone, formats }: WritingIn,
  now: Date,
): Known => {
  const named = [...records.values()];
  const removed = named.filter(({ kind, isGone }) => kind === 'custom_field' && isGone);
  return {
    records,
    timeZone,
    formats,
    names: new Map(named.map(({ id, name }) => [id, name])),
    fields: new Map<string, Pick<CustomField, 'name' | 'type'>>([
      ...removed.map(({ id, name }) => [id, { name, type: 'TEXT' }] as const),
      ...defined.map((one) => [one.id, one] as const),
    ]),
    today: dayIn(now, timeZone),
  };
};

/**
 * A change of a record that has a timeline, in the timeline's words: `moved the lead from
 * New to Contacted`. Empty for other entries.
 */
export const changeText = (entry: LogEntry, known: Known): string => {
  const { action, recordKind, changes, isCut } = entry;
  const isRestored = changes.deletedAt?.after === null;
  if (!withTimeline.includes(recordKind) || action !== 'update' || isCut || isRestored) return '';
  return describeChange([entry], known).sentences.join(', and ');
};

/** What the entry of a work in steps records, by the field that it changes. */
const steps: Record<string, Record<string, string>> = {
  data_import: {
    file: 'uploaded a file for',
    checked: 'checked',
    begun: 'began',
    imported: 'finished',
    undoBegun: 'began to undo',
    undone: 'undid',
    dropped: 'dropped',
  },
  bulk_change: {
    leads: 'began',
    matters: 'began',
    changed: 'finished',
    undoBegunAt: 'began to undo',
    undone: 'undid',
  },
};

export type Names = ReadonlyMap<string, NamedRecord>;

/** One field that an entry changed, in words. `before` is undefined if the record is new. */
type ChangedField = { label: string; before: string | undefined; after: string };

/** All ids in an entry: the record's, and those in its changes. */
export const idsIn = ({ recordId, changes }: LogEntry): string[] => {
  const found = [recordId];
  const look = (value: unknown) => {
    if (typeof value === 'string' && isId(value)) found.push(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (isId(name)) found.push(name);
      look(inner);
    }
  };
  look(changes);
  return found;
};

const maxCharacters = 300;

/** What an entry changed, field by field; of a new record, the fields that are not empty. */
export const changedFields = (
  { action, recordKind, changes }: LogEntry,
  known: Known,
): ChangedField[] => {
  const isNew = action === 'create';
  return fieldChanges(changes, kindsOfRecord[recordKind]?.fields ?? {}, known)
    .filter(({ after }) => !isNew || after !== null)
    .map(({ label, before, after }) => ({
      label,
      before: isNew ? undefined : orNothing(before, maxCharacters),
      after: orNothing(after, maxCharacters),
    }));
};
