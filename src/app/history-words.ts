import type { Changes } from '../audit/table.ts';
import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import type { CustomFieldType } from '../custom-fields/table.ts';
import type { TimelineLine } from '../leads/timeline.ts';
import { kindOf } from './custom-fields.tsx';
import type { IconName } from './icon.tsx';
import { dayAndTime } from './moments.tsx';
import { day, type History, type Kind } from './records/kinds.tsx';

/** What is needed to word a change: also the time zone of moments, and custom fields by their ids. */
export type HistoryContext = History & {
  timeZone: string;
  fields: ReadonlyMap<string, { name: string; type: CustomFieldType }>;
  /** In a timeline, the key through which a program made the change; null if a person made it. */
  through?: string | null;
};

export type Entry = TimelineLine['entries'][number];

/**
 * What one change was, without its subject. Of a line that creates a record, only the `isFirst` are
 * shown.
 */
export type Sentence = { icon: IconName; words: string; isFirst?: boolean };

/** How a field is called in the history, and how its values are worded. */
type WordedField = { label: string; kind?: WordedKind };

type WordedKind = Pick<Kind, 'text' | 'said'>;

/** The fields of a kind of record, by the names that its audit entries have. */
export type WordedFields = Readonly<Record<string, WordedField>>;

/** A field that changed: its values in words, null if there is none. */
type FieldChange = { label: string; before: string | null; after: string | null };

/** These contain several fields. */
const inParts = ['customFields', 'exported', 'failedSignIn', 'formats'];

/** Each field that changed, in words. Each custom field has its own name. */
export const fieldChanges = (
  changes: Changes,
  fields: WordedFields,
  context: HistoryContext,
): FieldChange[] =>
  Object.entries(changes).flatMap(([name, { before, after }]) => {
    if (!inParts.includes(name)) {
      return [changed(fields[name] ?? derived(name, after ?? before), before, after, context)];
    }
    const [old, now] = [asObject(before), asObject(after)];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((part) =>
      changed(partOf(part, context), old[part], now[part], context),
    );
  });

const partOf = (part: string, { fields }: HistoryContext): WordedField => {
  const custom = fields.get(part);
  if (custom) return { label: custom.name, kind: kindOf(custom) };
  return isId(part) ? { label: 'A removed field' } : { label: labelOf(part) };
};

const changed = (
  { label, kind }: WordedField,
  before: unknown,
  after: unknown,
  context: HistoryContext,
): FieldChange => {
  const inWords = (value: unknown) => {
    if (isEmpty(value)) return null;
    const words = kind ? kind.said(kind.text(value), context) : valueText(value, context);
    return isId(words) ? unnamed : words;
  };
  return { label, before: inWords(before), after: inWords(after) };
};

/** Those of a record's fields that are told one by one: `Value from Medium to Highest`. */
export const changedFields = (
  changes: Changes,
  fields: WordedFields,
  context: HistoryContext,
): string[] => {
  const worded = Object.entries(changes).filter(
    ([name]) => name === 'customFields' || Object.hasOwn(fields, name),
  );
  return fieldChanges(Object.fromEntries(worded), fields, context).map(
    ({ label, before, after }) =>
      `${label} from ${orNothing(before, 80)} to ${orNothing(after, 80)}`,
  );
};

/** Says what changed, if anything did: `changed Value from Medium to Highest`. */
export const describeChanged = (
  changed: readonly string[],
  icon: IconName = 'pencil',
  of = '',
): Sentence[] => (changed.length > 0 ? [{ icon, words: `changed ${of}${listed(changed)}` }] : []);

/** Words for a value of a field that changed, of at most so many characters. */
export const orNothing = (words: string | null, maxCharacters: number): string => {
  const characters = [...(words ?? 'nothing')];
  const isLong = characters.length > maxCharacters;
  return isLong ? `${characters.slice(0, maxCharacters).join('')}…` : characters.join('');
};

const isEmpty = (value: unknown): value is null | undefined | '' | [] =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length);

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** A field that is in no list of a record's fields. */
const derived = (name: string, value: unknown): WordedField => {
  const label = labelOf(name);
  return /(Date|Day|On)$/.test(name) && isCalendarDate(value) ? { label, kind: day } : { label };
};

const ownLabels: Record<string, string> = {
  isWhole: 'All day',
  holdsAll: 'Holds every permission',
  cameThroughApi: 'Came through the API',
  clock: 'Clock',
  dayOrder: 'Order of day, month and year',
  weekStart: 'First day of the week',
  muted: 'Switched off',
  mutedKinds: 'Notifications switched off',
  mailedKinds: 'Notifications by mail',
  morningKinds: 'Notifications in the morning’s mail',
  awayFrom: 'Away from',
  awayUntil: 'Away until',
  deputyId: 'Deputy',
  trigger: 'Counted from',
  mailsName: 'Mails may name people and matters',
  from: 'Address that mails come from',
  signsInBy: 'Signs in by',
  signInSecret: 'Password or secret',
  statusAt: 'Status since',
  'numbering.lead': 'Numbers of leads',
  'numbering.matter': 'Numbers of matters',
};

/** A stored name as words: `matterTypeId` is `Matter type`. */
const labelOf = (name: string) => {
  const known = ownLabels[name];
  if (known) return known;
  const words = name
    .replace(/(Id|Ids|At)$/, '')
    .replaceAll(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
};

const unnamed = 'a record that is not shown';
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z$/;

/** A stored value as words, without a list of fields that says what it is. */
const valueText = (value: unknown, context: HistoryContext): string => {
  if (isEmpty(value)) return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => valueText(one, context)).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== false && inner !== 0)
      .map(([name, inner]) => partText(labelOf(name).toLowerCase(), inner, context))
      .join(' · ');
  }
  const text = String(value);
  if (isId(text)) return context.names.get(text) ?? unnamed;
  return moment.test(text) ? dayAndTime(new Date(text), context) : text;
};

/** A number says nothing without its name. */
const partText = (label: string, value: unknown, context: HistoryContext) => {
  if (value === true) return label;
  return typeof value === 'number' ? `${label} ${value}` : valueText(value, context);
};

/** A value that is stored as a word of the program. */
export const namedAs = (names: Readonly<Record<string, string>>): WordedKind => ({
  text: String,
  said: (text) => names[text] ?? text,
});

/** The ids in a list, or a single id. */
export const idsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];

export const nameOf = (id: unknown, { names }: HistoryContext) =>
  names.get(String(id)) ?? 'one that was removed';

export const namesIn = (value: unknown, context: HistoryContext) =>
  idsOf(value).map((id) => nameOf(id, context));

/** `a`, `a and b`, `a, b and c`. */
export const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

export const describeMove = (
  label: string,
  change: Changes[string] | undefined,
  context: HistoryContext,
): Sentence[] => {
  if (!change) return [];
  const [from, to] = [nameOf(change.before, context), nameOf(change.after, context)];
  return [{ icon: 'arrow-right', words: `moved the ${label} from ${from} to ${to}` }];
};

/** The names of those whose ids came into a list, and of those whose ids left it. */
export const addedAndRemoved = (
  before: readonly string[],
  after: readonly string[],
  context: HistoryContext,
) => {
  const namesOf = (ids: readonly string[], others: readonly string[]) =>
    namesIn(
      ids.filter((id) => !others.includes(id)),
      context,
    );
  return { added: namesOf(after, before), gone: namesOf(before, after) };
};
