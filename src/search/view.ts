import type { contact } from '../contacts/table.ts';
import { digitsOf, searchable } from '../findable/findable.ts';
import type { FoundRow, MatchedField } from './wire.ts';
import { closeness } from './words.ts';

type FoundContact = Omit<
  typeof contact.$inferSelect,
  'firmId' | 'ordinal' | 'customFields' | 'findableBy' | 'createdAt' | 'updatedAt' | 'deletedAt'
>;
type FoundLead = { [Part in keyof FoundContact]: FoundContact[Part] | null } & {
  id: string;
  number: string;
  contactId: string | null;
};
type FoundMatter = { id: string; number: string; title: string };

export const viewFoundContact = (found: FoundContact, spellings: string[]): FoundRow => ({
  type: 'CONTACT',
  id: found.id,
  publicId: null,
  title: found.name,
  matched: closestOf(textsOf(found), spellings) ?? 'name',
});

/** A lead that has lost its contact has only its number as a name. */
export const viewFoundLead = (found: FoundLead, spellings: string[]): FoundRow => {
  const { id, number, contactId, name } = found;
  const texts = contactId === null ? [] : textsOf(found as FoundContact);
  return {
    type: 'LEAD',
    id,
    publicId: number,
    title: name ?? number,
    matched: closestOf([...texts, ['number', number]], spellings) ?? 'number',
  };
};

/** A matter that neither title nor number matches was found by a client. */
export const viewFoundMatter = (
  { id, number, title }: FoundMatter,
  spellings: string[],
): FoundRow => ({
  type: 'MATTER',
  id,
  publicId: number,
  title,
  matched:
    closestOf(
      [
        ['title', title],
        ['number', number],
      ],
      spellings,
    ) ?? 'client',
});

type Texts = [field: MatchedField, text: string | null][];

const textsOf = (of: FoundContact): Texts => [
  ['name', [of.prefix, of.firstName, of.middleName, of.lastName, of.suffix].join(' ')],
  ['companyName', of.companyName],
  ['tradeName', of.tradeName],
  ['nickname', of.nickname],
  ['companyType', of.companyType],
  ...of.emails.map(({ address }): Texts[number] => ['email', address]),
  ...of.phones.map(({ number }): Texts[number] => ['phone', digitsOf(number)]),
];

/** The field that contains most of the searched words; the first of several. */
const closestOf = (texts: Texts, spellings: string[]): MatchedField | undefined => {
  let closest: { field?: MatchedField; sum: number } = { sum: 0 };
  for (const [field, text] of texts) {
    const comparable = searchable(text ?? '');
    const sum = spellings.reduce((total, word) => total + closeness(comparable, word), 0);
    if (sum > closest.sum) closest = { field, sum };
  }
  return closest.field;
};
