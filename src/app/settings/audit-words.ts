import { dayIn, isCalendarDate } from '../../base/calendar-date.ts';
import { isId } from '../../base/columns.ts';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import type { LogEntry } from '../../visibility/log.ts';
import type { NamedRecord } from '../../visibility/names.ts';
import { describeChange } from '../history.ts';
import type { HistoryContext } from '../history-words.ts';
import { statusNames, valueNames } from '../leads/words.tsx';
import { dayAndTime, dayWords } from '../moments.tsx';

/** The kinds of record in the audit log, in people's words, in the order of the filter. */
export const kindNames: Record<string, string> = {
  lead: 'lead',
  contact: 'contact',
  matter: 'matter',
  note: 'note',
  task: 'task',
  calendar_event: 'event',
  practice_area: 'practice area',
  stage: 'stage',
  matter_type: 'matter type',
  lead_stage: 'lead stage',
  not_hired_reason: 'reason',
  custom_field: 'custom field',
  member: 'member',
  role: 'role',
  api_key: 'API key',
  session: 'sign-in',
  sign_in_link: 'invitation or reset link',
  passkey: 'passkey',
  authenticator: 'one-time codes',
  saved_view: 'saved view',
  data_import: 'import',
  contact_merge: 'merge of contacts',
  calendar_feed: 'calendar address',
  firm: 'firm',
};

export const kindName = (kind: string) => kindNames[kind] ?? kind.replaceAll('_', ' ');

export const addressOf = ({ kind, id }: Pick<NamedRecord, 'kind' | 'id'>): string | undefined => {
  switch (kind) {
    case 'lead':
      return `/leads/${id}`;
    case 'contact':
      return `/contacts/${id}`;
    case 'matter':
      return `/matters/${id}`;
    case 'member':
      return `/settings/members/${id}`;
    case 'practice_area':
      return `/settings/practice-areas/${id}`;
    case 'custom_field':
      return `/settings/fields/${id}`;
    default:
      return undefined;
  }
};

/** The verb of an entry, without subject and object: `created the`, `restored the`. */
export const actionText = ({ action, recordKind, changes }: LogEntry): string => {
  const kind = kindName(recordKind);
  if (recordKind === 'session') return action === 'create' ? 'signed in' : 'ended a sign-in';
  if (changes.failedSignIn) return 'tried to sign in as';
  if (recordKind === 'firm' && changes.exported) return 'exported';
  if (recordKind === 'firm' && changes.backup) return 'made a backup for the';
  if (recordKind === 'note' && changes.about) {
    return `wrote a note about the ${kindName(String(changes.about.after))}`;
  }
  const step =
    recordKind === 'data_import' && Object.keys(changes).find((one) => one in importSteps);
  if (step) return `${importSteps[step]} the import`;
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

/** What the entries' words need to know: names for ids, the time zone of moments, the present day. */
export type Known = HistoryContext & { records: Names; timeZone: string };

/** What a page knows for all its entries. Values of a field that was removed are told as text. */
export const knownFrom = (
  records: Names,
  defined: readonly CustomField[],
  timeZone: string,
  now: Date,
): Known => {
  const named = [...records.values()];
  const removed = named.filter(({ kind, isGone }) => kind === 'custom_field' && isGone);
  return {
    records,
    timeZone,
    names: new Map(named.map(({ id, name }) => [id, name])),
    fields: new Map<string, Pick<CustomField, 'name' | 'type'>>([
      ...removed.map(({ id, name }) => [id, { name, type: 'TEXT' }] as const),
      ...defined.map((one) => [one.id, one] as const),
    ]),
    today: dayIn(now, timeZone),
  };
};

/**
 * A change of a record that has a timeline, in the timeline's words: `moved it from New to
 * Contacted`. Empty for other entries.
 */
export const changeText = (entry: LogEntry, known: Known): string => {
  const { action, recordKind, changes, isCut } = entry;
  const isRestored = changes.deletedAt?.after === null;
  if (!withTimeline.includes(recordKind) || action !== 'update' || isCut || isRestored) return '';
  return describeChange([entry], known).sentences.join(', and ');
};

/** What an import's entry records, by the field that it changes. */
const importSteps: Record<string, string> = {
  file: 'uploaded a file for',
  checked: 'checked',
  begun: 'began',
  imported: 'finished',
  undoBegun: 'began to undo',
  undone: 'undid',
  dropped: 'dropped',
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

/**
 * What an entry changed, field by field. Each custom field has its own name. Of a new record, the
 * fields that are not empty.
 */
export const changedFields = ({ action, changes }: LogEntry, known: Known): ChangedField[] => {
  const isNew = action === 'create';
  const all = Object.entries(changes).flatMap(([field, { before, after }]) => {
    const isDay = /(Date|Day|On)$/.test(field);
    if (!['customFields', 'exported', 'failedSignIn'].includes(field)) {
      return [{ label: labelOf(field), isDay, before, after }];
    }
    const [old, now] = [asObject(before), asObject(after)];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((id) => {
      const { name, type } = known.fields.get(id) ?? { name: labelOf(id), type: 'TEXT' };
      return { label: name, isDay: type === 'DATE', before: old[id], after: now[id] };
    });
  });
  return all
    .filter(({ after }) => !(isNew && isEmpty(after)))
    .map(({ label, isDay, before, after }) => {
      const inWords = (value: unknown) =>
        isDay && isCalendarDate(value) ? dayWords(value, known.today) : valueText(value, known);
      return { label, before: isNew ? undefined : inWords(before), after: inWords(after) };
    });
};

const isEmpty = (value: unknown): value is null | undefined | '' | [] =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length);

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const ownLabels: Record<string, string> = {
  solDate: 'Limitation date',
  assignee: 'Assignees',
  isPrivate: 'Private',
  isWhole: 'Whole day',
  holdsAll: 'Holds every permission',
  cameThroughApi: 'Came through the API',
  leadStageId: 'Stage',
  muted: 'Switched off',
  mutedKinds: 'Notifications switched off',
  'numbering.lead': 'Numbers of leads',
  'numbering.matter': 'Numbers of matters',
};

/** A field's name as words: `practiceAreaId` is `Practice area`. */
const labelOf = (field: string) => {
  const known = ownLabels[field];
  if (known) return known;
  const words = field
    .replace(/(Id|Ids|At)$/, '')
    .replaceAll(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
};

const longest = 300;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z$/;

const valueText = (value: unknown, known: Known): string => {
  if (isEmpty(value)) return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return short(value.map((one) => valueText(one, known)).join(', '));
  if (typeof value === 'object') {
    return short(
      Object.entries(value)
        .filter(([, inner]) => inner !== null && inner !== false && inner !== 0)
        .map(([name, inner]) => partSaid(labelOf(name).toLowerCase(), inner, known))
        .join(' · '),
    );
  }
  const text = String(value);
  if (isId(text)) return known.names.get(text) ?? 'a record that is not shown';
  if (moment.test(text)) return dayAndTime(new Date(text), known.timeZone);
  const words: Record<string, string> = { ...valueNames, ...statusNames };
  return words[text] ?? short(text);
};

/** A number says nothing without its name. */
const partSaid = (label: string, value: unknown, known: Known) => {
  if (value === true) return label;
  return typeof value === 'number' ? `${label} ${value}` : valueText(value, known);
};

const short = (text: string) => {
  const points = [...text];
  return points.length > longest ? `${points.slice(0, longest).join('')}…` : text;
};
