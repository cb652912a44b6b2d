/**
 * The fields that a column can fill, and the column headings that suggest each; also those of Clio,
 * and German ones.
 */
import { contactLabels } from '../contacts/wire.ts';
import type { CustomField } from '../custom-fields/custom-field.ts';
import type { CustomFieldType } from '../custom-fields/table.ts';
import { leadLabels } from '../leads/wire.ts';
import { matterLabels } from '../matters/wire.ts';
import { inSmall } from '../record/taken.ts';
import { wordsOf } from '../search-text/search-text.ts';
import { germanHeads } from './german-heads.ts';
import type { ImportedKind } from './table.ts';

type Target = { key: string; label: string };

type Known = Target & {
  /** What a column of it may be called, besides its label. */
  heads?: RegExp | undefined;
};

const target = (key: string, label: string, heads: RegExp): Known => ({ key, label, heads });

/** A record's fields, with what else a column of each may be called. */
const fieldsOf = <Key extends string>(
  labels: Readonly<Record<Key, string>>,
  heads: Partial<Record<Key, RegExp>>,
): Known[] =>
  (Object.keys(labels) as Key[]).map((key) => ({ key, label: labels[key], heads: heads[key] }));

const ofContacts: Known[] = [
  target('type', 'Person or company', /^(contact |client )?type$/),
  target('fullName', 'Full name', /^((full|contact|client|display|lead) )?name$/),
  ...fieldsOf(contactLabels, {
    prefix: /^(prefix|salutation)$/,
    firstName: /^given ?name$|^firstname$/,
    middleName: /^middle ?(name|initial)$/,
    lastName: /^(last|family) ?name$|^surname$/,
    suffix: /^name suffix$/,
    nickname: /^(nick ?name|preferred name)$/,
    companyName: /^(company name|organi[sz]ation|business|business name|firm)$/,
    tradeName: /^(trade name|trading as|dba)$/,
    companyType: /^(company type|entity type)$/,
    emails: /^(primary |work |home |other |personal |business )?e ?mail( address)?( \d)?$/,
    phones:
      /^(primary |work |home |other |personal |business |main |office )?(phone|telephone|mobile|cell|tel)( phone| number)*( \d)?$/,
  }),
];

/** The fields that a file can fill, by the kind of record. Several columns can fill some of them. */
const targets: Record<ImportedKind, Known[]> = {
  contact: ofContacts,
  lead: [
    ...ofContacts,
    ...fieldsOf(leadLabels, {
      practiceArea: /^area$|^case type$/,
      stage: /^(lead|intake|pipeline) stage$/,
      value: /^lead value$/,
      nextTouch: /^(next (touch|action|contact|follow ?up)|follow ?up)( (date|on))?$/,
      note: /^((lead |intake |case )?(notes?|comments?|description|summary)|what is it about|message|inquiry|enquiry)$/,
    }),
    target('assignee', 'Assigned', /^(assigned( to)?|assignee|(lead )?owner|responsible)$/),
  ],
  matter: [
    ...fieldsOf(matterLabels, {
      title: /^(matter |case )?(description|title|name)$|^matter$/,
      description: /^(notes?|details|long description)$/,
      formerNumber: /^(custom|display|matter|case|file) number$|^(no|number)$/,
      practiceArea: /^area$/,
      stage: /^matter stage$/,
      matterType: /^(matter|case) type$/,
      status: /^(matter|case) status$/,
      openDate: /^(open|opened|start)( date| on)?$|^date opened$/,
      closeDate: /^(close|closed|end)( date| on)?$|^date closed$/,
      solDate: /^(limitation|limitations|sol)( date)?$|^statute of limitations( date)?$/,
    }),
    target('client', 'Client', /^clients?( full)?( name)?$|^contact$/),
    target('clientFirstName', 'Client’s first name', /^client first name$/),
    target('clientLastName', 'Client’s last name', /^client last name$/),
    target('clientCompany', 'Client’s company', /^client company( name)?$/),
    target('clientEmail', 'Client’s email', /^client e ?mail( address)?$/),
    target('responsibleAttorney', 'Responsible attorney', /^responsible( attorney| lawyer)?$/),
    target('originatingAttorney', 'Originating attorney', /^originating( attorney| lawyer)?$/),
    target('responsibleStaff', 'Responsible staff', /^(responsible staff|paralegal)$/),
  ],
};

/** Types of custom fields that a file can fill. The id of a record means nothing in another firm. */
const readable: ReadonlySet<CustomFieldType> = new Set([
  ...(['TEXT', 'LONG_TEXT', 'URL', 'EMAIL', 'PHONE', 'NUMBER', 'CURRENCY'] as const),
  ...(['CHECKBOX', 'DATE', 'SELECT', 'MULTI_SELECT'] as const),
]);

/** The target of a column that becomes a new custom field with the name of its heading. */
export const newField = 'new';
const fieldKey = (id: string) => `field:${id}`;

/** The custom field that a column fills; undefined for other targets. */
export const fieldOf = (key: string | null, defined: readonly CustomField[]) =>
  defined.find(({ id }) => key === fieldKey(id));

/** All fields that a column can fill: those of the kind of record, then the firm's custom fields. */
export const targetsFor = (kind: ImportedKind, defined: readonly CustomField[]): Target[] => [
  ...targets[kind].map(({ key, label }) => ({ key, label })),
  ...defined
    .filter(({ type }) => readable.has(type))
    .map(({ id, name }) => ({ key: fieldKey(id), label: name })),
];

export const fillsTogether = (key: string) => key === 'emails' || key === 'phones';

/** The headings of the two columns that a file of skipped rows has in addition. */
export const skippedHeads = ['Row', 'Why it was skipped'] as const;

/** A heading of a file that needs no field: one of ours, also as earlier releases wrote it. */
export const needsNoField = (head: string) =>
  head === '' || [...skippedHeads, 'Why it was refused'].includes(head);

/** The columns of a file that are left out although they have a heading, by their places. */
export const leftOutOf = ({ heads, columns }: { heads: string[]; columns: (string | null)[] }) =>
  heads.flatMap((head, at) => (columns[at] || needsNoField(head) ? [] : [{ at, head }]));

/** The columns, where all that would be left out become new custom fields. */
export const withoutLoss = (
  heads: string[],
  columns: (string | null)[],
  defined: readonly Pick<CustomField, 'name'>[],
): (string | null)[] => {
  const taken = new Set(defined.map(({ name }) => inSmall(name)));
  const isNew = (at: number) => columns[at] === newField;
  for (const [at, head] of heads.entries()) if (isNew(at)) taken.add(inSmall(head));
  const made = [...columns];
  for (const { at, head } of leftOutOf({ heads, columns })) {
    if (taken.has(inSmall(head))) continue;
    taken.add(inSmall(head));
    made[at] = newField;
  }
  return made;
};

/** The field that each column probably fills, by its heading; null if none matches. */
export const guessColumns = (
  kind: ImportedKind,
  heads: readonly string[],
  defined: readonly CustomField[],
): (string | null)[] => {
  const taken = new Set<string>();
  const isCalled = calledIn(kind, heads.map(wordsIn));
  return heads.map((head) => {
    if (needsNoField(head)) return null;
    const words = wordsIn(head);
    const own =
      defined.find(({ name, type }) => readable.has(type) && name === head) ??
      defined.find(({ name, type }) => readable.has(type) && inSmall(name) === inSmall(head));
    const isFree = (key: string) => fillsTogether(key) || !taken.has(key);
    const found =
      (own && fieldKey(own.id)) ??
      targets[kind].find((one) => isFree(one.key) && isCalled(one, words))?.key;
    if (!found || !isFree(found)) return null;
    taken.add(found);
    return found;
  });
};

const wordsIn = (head: string) => wordsOf(head).join(' ');

/** Whether a field is called so, in a file with all these headings. */
const calledIn = (kind: ImportedKind, all: readonly string[]) => {
  const german = germanHeads[kind];
  const has = (key: string) => all.some((words) => german[key]?.test(words));
  // Beside "Vorname", "Name" is the last name; taken for the full name it would be lost.
  const nameIsLast = has('firstName') && !has('lastName');
  return ({ key, heads, label }: Known, words: string) => {
    if (nameIsLast && words === 'name') return key === 'lastName';
    return heads?.test(words) || german[key]?.test(words) || wordsIn(label) === words;
  };
};
