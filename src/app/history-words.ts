import type { Changes } from '../audit/table.ts';
import type { CustomFieldType } from '../custom-fields/table.ts';
import type { TimelineLine } from '../leads/timeline.ts';
import { kindOf } from './custom-fields.tsx';
import type { IconName } from './icon.tsx';
import { day, type History, type Kind, line, short } from './records/kinds.tsx';

/** What a timeline needs to be worded, also of custom fields, by their ids. */
export type HistoryContext = History & {
  fields: ReadonlyMap<string, { name: string; type: CustomFieldType }>;
};

export type Entry = TimelineLine['entries'][number];

/**
 * What one change was, without its subject. Of a line that creates a record, only the `isFirst` are
 * shown.
 */
export type Sentence = { icon: IconName; words: string; isFirst?: boolean };

/** How a field is called in the history, and how its values are. */
type Told = { label: string; kind: Pick<Kind, 'text' | 'said'> };

/** Each field that changed, in words: `Value from Medium to Highest`. */
export const changedFields = (
  changes: Changes,
  known: Readonly<Record<string, Told>>,
  context: HistoryContext,
): string[] =>
  Object.entries(changes).flatMap(([name, { before, after }]) => {
    if (name === 'customFields') return changedCustomFields(before, after, context);
    const told = known[name];
    return told ? [fromTo(told, before, after, context)] : [];
  });

const changedCustomFields = (
  before: unknown,
  after: unknown,
  context: HistoryContext,
): string[] => {
  const [old, now] = [asObject(before), asObject(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((id) => {
    const { name, type } = context.fields.get(id) ?? { name: 'a field', type: 'TEXT' };
    return fromTo({ label: name, kind: kindOf({ type }) }, old[id], now[id], context);
  });
};

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const fromTo = (
  { label, kind }: Told,
  before: unknown,
  after: unknown,
  context: HistoryContext,
) => {
  const valueText = (value: unknown) => kind.said(kind.text(value), context) || 'nothing';
  return `${label} from ${valueText(before)} to ${valueText(after)}`;
};

/** Fields of which only the labels are listed. */
export const labelled = (labels: Record<string, string>): Record<string, Told> =>
  Object.fromEntries(
    Object.entries(labels).map(([name, label]) => [
      name,
      { label, kind: name.endsWith('Date') ? day : plain },
    ]),
  );

const words: Record<string, string> = { PERSON: 'Person', COMPANY: 'Company' };

/** A text, an id, or addresses. */
const plain: Told['kind'] = {
  text: (value) =>
    Array.isArray(value)
      ? value.map((one) => one.address ?? one.number ?? '').join(', ')
      : line.text(value),
  said: (text, { names }) => words[text] ?? names.get(text) ?? short(text),
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
