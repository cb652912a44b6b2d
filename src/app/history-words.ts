import type { Changes } from '../audit/table.ts';
import type { TimelineLine } from '../leads/timeline.ts';
import type { IconName } from './icon.tsx';
import { statusNames, valueNames } from './leads/words.tsx';
import { dayWords } from './moments.tsx';

/** What a timeline needs to be worded: names for ids, the firm's fields, and its present day. */
export type HistoryContext = {
  names: ReadonlyMap<string, string>;
  /** The firm's custom fields by id, with what their values are. */
  fields: ReadonlyMap<string, { name: string; type: string }>;
  today: string;
};

export type Entry = TimelineLine['entries'][number];

/**
 * What one change was, without its subject. Of a line that creates a record, only the `isFirst` are
 * shown.
 */
export type Sentence = { icon: IconName; words: string; isFirst?: boolean };

/** Each field that changed, in words: `Value from Medium to Highest`. */
export const changedFields = (
  changes: Changes,
  known: Record<string, string>,
  context: HistoryContext,
): string[] =>
  Object.entries(changes).flatMap(([field, { before, after }]) => {
    if (field === 'customFields') return changedCustomFields(before, after, context);
    const label = known[field];
    if (!label) return [];
    const inWords = (value: unknown) =>
      value && field.endsWith('Date')
        ? dayWords(String(value), context.today)
        : valueText(value, context);
    return [fromTo(label, inWords(before), inWords(after))];
  });

const changedCustomFields = (
  before: unknown,
  after: unknown,
  context: HistoryContext,
): string[] => {
  const [old, now] = [asObject(before), asObject(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((id) => {
    const field = context.fields.get(id) ?? { name: 'a field', type: 'TEXT' };
    return fromTo(
      field.name,
      fieldValueText(field.type, old[id], context),
      fieldValueText(field.type, now[id], context),
    );
  });
};

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const fromTo = (label: string, before: string, after: string) =>
  `${label} from ${before || 'nothing'} to ${after || 'nothing'}`;

/** A custom field's value. Ids of contacts and matters become names, if the reader may see them. */
const fieldValueText = (type: string, value: unknown, context: HistoryContext): string => {
  if (value === null || value === undefined) return '';
  if (type === 'CONTACT' || type === 'MATTER') {
    return context.names.get(String(value)) ?? `a ${type.toLowerCase()}`;
  }
  if (type === 'CHECKBOX') return value === true ? 'yes' : 'no';
  if (type === 'DATE') return dayWords(String(value), context.today);
  if (Array.isArray(value)) return short(value.join(', '));
  return short(String(value));
};

/** A value of a record itself. */
const valueText = (value: unknown, context: HistoryContext): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) {
    return short(value.map((one) => one.address ?? one.number ?? '').join(', '));
  }
  const text = String(value);
  const words: Record<string, string> = {
    ...valueNames,
    ...statusNames,
    PERSON: 'Person',
    COMPANY: 'Company',
  };
  return words[text] ?? context.names.get(text) ?? short(text);
};

const longest = 80;

const short = (text: string) => {
  const points = [...text];
  return points.length > longest ? `${points.slice(0, longest).join('')}…` : text;
};

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
  change: Changes[string] | undefined,
  context: HistoryContext,
): Sentence[] =>
  change
    ? [
        {
          icon: 'arrow-right',
          words: `moved it from ${nameOf(change.before, context)} to ${nameOf(change.after, context)}`,
        },
      ]
    : [];

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
