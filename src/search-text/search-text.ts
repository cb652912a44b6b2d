/** The words of a text for comparison: lower case, without accents, only letters and digits. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('đ', 'd')
    .replaceAll('æ', 'ae')
    .replaceAll('œ', 'oe')
    .replaceAll('ı', 'i')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * A word with a space between letters and digits, since an index holds words of one or the other,
 * and after every hundred characters, since it holds no longer ones.
 */
export const spacedOut = (word: string): string =>
  word
    .replaceAll(/(?<=[0-9])(?=[^0-9])|(?<=[^0-9])(?=[0-9])/gu, ' ')
    .replaceAll(/[^ ]{100}(?=[^ ])/gu, '$& ');

/** Text for comparison in a search: its words apart, one space before each and after the last. */
export const searchable = (text: string): string => ` ${wordsOf(text).map(spacedOut).join(' ')} `;

/** The digits of a phone number as one word: people group them as they like. */
export const digitsOf = (text: string): string => text.normalize('NFKC').replaceAll(/\D/g, '');

/** What a record is found by: its texts and numbers, made comparable. */
export const searchTextOf = (texts: (string | null)[], numbers: string[] = []): string =>
  searchable([...texts.filter((text) => text !== null), ...numbers.map(digitsOf)].join(' '));

/**
 * What a record's number is found by: as it is, without leading zeros, and all its digits as one
 * word.
 */
export const searchTextOfNumber = (number: string): string => {
  const plain = number.replaceAll(/(?<![0-9])0+(?=[0-9])/g, '');
  return [...new Set([number, plain, number.replaceAll(/[^0-9]/g, '')])].join(' ');
};

/** A matter of fifty clients with twenty addresses each is found by the first of them. */
export const maxContactText = 10_000;

/**
 * What a lead or a matter is found by: its own text, and after a bar those of its contacts. When a
 * contact's names change, the database carries that over (`tell_leads_and_matters`).
 */
export const searchTextWith = (own: string, contacts: string[]): string =>
  `${own}|${contacts.join('').slice(0, maxContactText)}`;

/** The two parts of what `searchTextWith` made. Other texts have only an own part. */
export const partsOf = (searchText: string): { own: string; contacts: string } => {
  const [own = '', contacts = ''] = searchText.split('|');
  return { own, contacts };
};

/**
 * The index looks at records in runs, by their ordinal: short runs for the newest, long ones for
 * the others. So a word in many records costs no more than one in few. `findable_keys`
 * (drizzle/0007_search.sql) has the same lengths.
 */
export const runLengths = { short: 4_096, long: 131_072 };
