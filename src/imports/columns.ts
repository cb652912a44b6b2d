/**
 * The fields that a column can fill, and the column headings that suggest each; also those of Clio.
 */
import type { CustomField } from '../custom-fields/custom-field.ts';
import type { CustomFieldType } from '../custom-fields/table.ts';
import { wordsOf } from '../search-text/search-text.ts';
import type { ImportedKind } from './table.ts';

type Target = { key: string; label: string };

type Known = Target & { heads: RegExp };

const target = (key: string, label: string, heads: RegExp): Known => ({ key, label, heads });

const nameTargets: Known[] = [
  target('type', 'Person or company', /^(contact |client )?type$/),
  target('prefix', 'Title', /^(title|prefix|salutation)$/),
  target('fullName', 'Full name', /^((full|contact|client|display|lead) )?name$/),
  target('firstName', 'First name', /^(first|given) ?name$/),
  target('middleName', 'Middle name', /^middle ?(name|initial)$/),
  target('lastName', 'Last name', /^(last|family) ?name$|^surname$/),
  target('suffix', 'Suffix', /^(name )?suffix$/),
  target('nickname', 'Called', /^(nick ?name|called|preferred name)$/),
  target(
    'companyName',
    'Company',
    /^(company|company name|organi[sz]ation|business|business name|firm)$/,
  ),
  target('tradeName', 'Trades as', /^(trade name|trades as|trading as|dba)$/),
  target('companyType', 'Kind of company', /^(company type|kind of company|entity type)$/),
];

const emailHead = /^(primary |work |home |other |personal |business )?e ?mail( address)?( \d)?$/;
const phoneHead =
  /^(primary |work |home |other |personal |business |main |office )?(phone|telephone|mobile|cell|tel)( phone| number)*( \d)?$/;

/** The fields that a file can fill, by the kind of record. Several columns can fill some of them. */
const targets: Record<ImportedKind, Known[]> = {
  contact: [
    ...nameTargets,
    target('emails', 'Email', emailHead),
    target('phones', 'Phone', phoneHead),
  ],
  lead: [
    ...nameTargets,
    target('emails', 'Email', emailHead),
    target('phones', 'Phone', phoneHead),
    target('practiceArea', 'Practice area', /^(practice )?area$|^case type$/),
    target('stage', 'Stage', /^(lead |intake |pipeline )?stage$/),
    target('value', 'Value', /^(lead )?value$/),
  ],
  matter: [
    target('title', 'Title', /^(matter |case )?(description|title|name)$|^matter$/),
    target('description', 'Description', /^(notes?|details|long description)$/),
    target(
      'formerNumber',
      'Former number',
      /^(custom|display|matter|case|file|former) number$|^(no|number)$/,
    ),
    target('practiceArea', 'Practice area', /^(practice )?area$/),
    target('stage', 'Stage', /^(matter )?stage$/),
    target('matterType', 'Type', /^(matter |case )?type$/),
    target('status', 'Status', /^(matter |case )?status$/),
    target('openDate', 'Opened', /^(open|opened|start)( date| on)?$|^date opened$/),
    target('closeDate', 'Closed', /^(close|closed|end)( date| on)?$|^date closed$/),
    target(
      'solDate',
      'Limitation date',
      /^(limitation|limitations|sol)( date)?$|^statute of limitations( date)?$/,
    ),
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

/** The headings of the two columns that a file of refused rows has in addition. */
export const refusedHeads = ['Row', 'Why it was refused'] as const;

/** The field that each column probably fills, by its heading; null if none matches. */
export const guessColumns = (
  kind: ImportedKind,
  heads: readonly string[],
  defined: readonly CustomField[],
): (string | null)[] => {
  const taken = new Set<string>();
  return heads.map((head) => {
    if (head === '' || (refusedHeads as readonly string[]).includes(head)) return null;
    const words = wordsOf(head).join(' ');
    const own = defined.find(({ name, type }) => readable.has(type) && name === head);
    const isFree = (key: string) => fillsTogether(key) || !taken.has(key);
    const found =
      (own && fieldKey(own.id)) ??
      targets[kind].find((one) => isFree(one.key) && isCalled(one, words))?.key;
    if (!found || !isFree(found)) return null;
    taken.add(found);
    return found;
  });
};

const isCalled = ({ heads, label }: Known, words: string) =>
  heads.test(words) || wordsOf(label).join(' ') === words;
