import type { Changes } from '../../audit/table.ts';
import type { TimelineLine } from '../../leads/timeline.ts';
import { nameLabels } from '../contacts/fields.tsx';
import type { IconName } from '../icon.tsx';
import { dayWords } from '../moments.tsx';
import { statusNames, valueNames } from './words.tsx';

/** What the words of a timeline need: names for ids, the firm's fields, and its day. */
export type Named = {
  names: ReadonlyMap<string, string>;
  /** The firm's custom fields by id, with what their values are. */
  fields: ReadonlyMap<string, { name: string; type: string }>;
  today: string;
};

/** What a line says happened: sentences without their subject, and the sign before them. */
export type Told = { icon: IconName; sentences: string[] };

type Entry = TimelineLine['entries'][number];

/** Words for one line of a lead's timeline: `moved it from New to Contacted`. */
export const toldOf = (entries: readonly Entry[], named: Named): Told => {
  const told = entries.flatMap((entry) =>
    entry.recordKind === 'contact' ? contactTold(entry, named) : leadTold(entry, named),
  );
  const isMade = entries.some(
    ({ action, recordKind }) => action === 'create' && recordKind === 'lead',
  );
  const shown = isMade ? told.filter(({ isFirst }) => isFirst) : told;
  return {
    icon: shown[0]?.icon ?? 'pencil',
    sentences: [...new Set(shown.map(({ words }) => words))],
  };
};

type Sentence = { icon: IconName; words: string; isFirst?: boolean };

const leadTold = ({ action, changes }: Entry, named: Named): Sentence[] => {
  if (action === 'create') return created(changes, named);
  if (action === 'delete') return [{ icon: 'trash-2', words: 'deleted the lead' }];
  if ('deletedAt' in changes) return [{ icon: 'undo-2', words: 'restored the lead' }];
  const told = [
    ...statusTold(changes, named),
    ...stageTold(changes, named),
    ...assignedTold(changes, named),
    ...privacyTold(changes),
  ];
  const changed = changedFields(changes, leadFields, named);
  if (changed.length > 0) told.push({ icon: 'pencil', words: `changed ${listed(changed)}` });
  return told.length > 0 ? told : [{ icon: 'pencil', words: 'changed the lead' }];
};

const created = (changes: Changes, named: Named): Sentence[] => {
  const made: Sentence = { icon: 'plus', words: 'created the lead', isFirst: true };
  const assigned = namesIn(changes.assignees?.after ?? changes.assignee?.after, named);
  return assigned.length > 0
    ? [made, { icon: 'user-plus', words: `assigned ${listed(assigned)}`, isFirst: true }]
    : [made];
};

const statusTold = (changes: Changes, named: Named): Sentence[] => {
  const { status, notHiredReasonId, matterId } = changes;
  if (!status) {
    if (!notHiredReasonId?.after) return [];
    return [
      { icon: 'ban', words: `changed the reason to ${nameOf(notHiredReasonId.after, named)}` },
    ];
  }
  switch (status.after) {
    case 'HIRED': {
      const number = matterId && named.names.get(String(matterId.after));
      return [{ icon: 'check', words: `hired it${number ? ` as matter ${number}` : ''}` }];
    }
    case 'NOT_HIRED': {
      const reason = notHiredReasonId ? `: ${nameOf(notHiredReasonId.after, named)}` : '';
      return [{ icon: 'ban', words: `marked it not hired${reason}` }];
    }
    case 'ARCHIVE':
      return [{ icon: 'archive', words: 'archived it' }];
    case 'DRAFT':
      return [{ icon: 'file-text', words: 'made it a draft' }];
    default:
      return status.before === 'HIRED'
        ? [{ icon: 'undo-2', words: 'undid the hire' }]
        : [{ icon: 'rotate-ccw', words: 'reopened it' }];
  }
};

const stageTold = ({ leadStageId }: Changes, named: Named): Sentence[] =>
  leadStageId
    ? [
        {
          icon: 'arrow-right',
          words: `moved it from ${nameOf(leadStageId.before, named)} to ${nameOf(leadStageId.after, named)}`,
        },
      ]
    : [];

const assignedTold = ({ assignees, assignee }: Changes, named: Named): Sentence[] => {
  const before = idsOf(assignees?.before ?? assignee?.before);
  const after = idsOf(assignees?.after ?? assignee?.after);
  const added = namesIn(
    after.filter((id) => !before.includes(id)),
    named,
  );
  const gone = namesIn(
    before.filter((id) => !after.includes(id)),
    named,
  );
  return [
    ...(added.length > 0
      ? [{ icon: 'user-plus' as const, words: `assigned ${listed(added)}` }]
      : []),
    ...(gone.length > 0 ? [{ icon: 'user' as const, words: `unassigned ${listed(gone)}` }] : []),
  ];
};

const privacyTold = ({ isPrivate }: Changes): Sentence[] =>
  isPrivate
    ? [
        {
          icon: isPrivate.after ? 'lock' : 'eye',
          words: `made it ${isPrivate.after ? 'private' : 'public'}`,
        },
      ]
    : [];

const contactTold = ({ action, changes }: Entry, named: Named): Sentence[] => {
  if (action === 'create') return [];
  if (action === 'delete') return [{ icon: 'trash-2', words: 'deleted the contact' }];
  if ('deletedAt' in changes) return [{ icon: 'undo-2', words: 'restored the contact' }];
  const changed = changedFields(changes, contactFields, named);
  // Its privacy follows the lead's, which is told already.
  if (changed.length === 0) return [];
  return [{ icon: 'contact', words: `changed the contact’s ${listed(changed)}` }];
};

const leadFields: Record<string, string> = { practiceAreaId: 'Practice area', value: 'Value' };

const contactFields: Record<string, string> = {
  ...nameLabels,
  type: 'Type',
  emails: 'Emails',
  phones: 'Phones',
};

/** Each field that changed, in words: `Value from Medium to Highest`. */
const changedFields = (changes: Changes, known: Record<string, string>, named: Named): string[] =>
  Object.entries(changes).flatMap(([field, { before, after }]) => {
    if (field === 'customFields') return changedCustomFields(before, after, named);
    const label = known[field];
    return label ? [fromTo(label, said(before, named), said(after, named))] : [];
  });

const changedCustomFields = (before: unknown, after: unknown, named: Named): string[] => {
  const [old, now] = [asObject(before), asObject(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((id) => {
    const field = named.fields.get(id) ?? { name: 'a field', type: 'TEXT' };
    return fromTo(
      field.name,
      saidIn(field.type, old[id], named),
      saidIn(field.type, now[id], named),
    );
  });
};

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const fromTo = (label: string, before: string, after: string) =>
  `${label} from ${before || 'nothing'} to ${after || 'nothing'}`;

/** A custom field's value: ids of contacts and matters by name, where the reader may see them. */
const saidIn = (type: string, value: unknown, named: Named): string => {
  if (value === null || value === undefined) return '';
  if (type === 'CONTACT' || type === 'MATTER') {
    return named.names.get(String(value)) ?? `a ${type.toLowerCase()}`;
  }
  if (type === 'CHECKBOX') return value === true ? 'yes' : 'no';
  if (type === 'DATE') return dayWords(String(value), named.today);
  if (Array.isArray(value)) return short(value.join(', '));
  return short(String(value));
};

/** A value of a lead or contact itself. */
const said = (value: unknown, named: Named): string => {
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
  return words[text] ?? named.names.get(text) ?? short(text);
};

const longest = 80;

const short = (text: string) => {
  const points = [...text];
  return points.length > longest ? `${points.slice(0, longest).join('')}…` : text;
};

const idsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];

const nameOf = (id: unknown, { names }: Named) => names.get(String(id)) ?? 'one that was removed';

const namesIn = (value: unknown, named: Named) => idsOf(value).map((id) => nameOf(id, named));

/** `a`, `a and b`, `a, b and c`. */
const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
