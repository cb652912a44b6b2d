import type { contact } from '../contacts/table.ts';
import { digitsOf, searchable } from '../search-text/search-text.ts';
import type { FoundRow, MatchedField } from './wire.ts';
import { closeness, maxCloseness } from './words.ts';

type Names = 'name' | 'prefix' | 'firstName' | 'middleName' | 'lastName' | 'suffix' | 'nickname';
type CompanyNames = 'companyName' | 'tradeName' | 'companyType';
type OfContact = Pick<typeof contact.$inferSelect, Names | CompanyNames | 'emails' | 'phones'>;

/** What is read of a record that was found. The parts of the contact are those of a lead's, too. */
export type FoundRecord = { [Part in keyof OfContact]: OfContact[Part] | null } & {
  type: FoundRow['type'];
  id: string;
  /** A lead's or a matter's. */
  number: string | null;
  /** A matter's. */
  title: string | null;
};

/** What the application shows of it besides. `personId`: the contact, a lead's contact, a primary client. */
export type FoundDetails = Record<'area' | 'stage' | 'status' | 'personId', string | null>;

/** A found record as it is answered. A lead that has lost its contact has only its number as a name. */
export const viewFound = (found: FoundRecord, spellings: string[]): FoundRow => ({
  type: found.type,
  id: found.id,
  publicId: found.number,
  title: found.title ?? found.name ?? found.number ?? '',
  matched: closestOf(textsOf(found), spellings) ?? matchedOtherwise[found.type],
});

/** Whether a matter was found by a client of it, and by nothing of its own. */
export const isByClient = ({ type, matched }: Pick<FoundRow, 'type' | 'matched'>): boolean =>
  type === 'MATTER' && matched === 'client';

/** A matter that neither title nor number matches was found by a client. */
const matchedOtherwise = { CONTACT: 'name', LEAD: 'number', MATTER: 'client' } as const;

type Texts = [field: MatchedField, text: string | null][];

const textsOf = (of: FoundRecord): Texts => [
  ['name', [of.prefix, of.firstName, of.middleName, of.lastName, of.suffix].join(' ')],
  ['companyName', of.companyName],
  ['tradeName', of.tradeName],
  ['nickname', of.nickname],
  ['companyType', of.companyType],
  ...(of.emails ?? []).map(({ address }): Texts[number] => ['email', address]),
  ...(of.phones ?? []).map(({ number }): Texts[number] => ['phone', digitsOf(number)]),
  ['title', of.title],
  ['number', of.number],
];

/** The field that contains most of the searched words; the first of several. */
const closestOf = (texts: Texts, spellings: string[]): MatchedField | undefined => {
  let closest: { field?: MatchedField; sum: number } = { sum: 0 };
  for (const [field, text] of texts) {
    if (!text || closest.sum === spellings.length * maxCloseness) continue;
    const comparable = searchable(text);
    const sum = spellings.reduce((total, word) => total + closeness(comparable, word), 0);
    if (sum > closest.sum) closest = { field, sum };
  }
  return closest.field;
};
