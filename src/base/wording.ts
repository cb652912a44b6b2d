import type { Fault } from './refusal.ts';

/** How pages word the API's rules for people. */
const rules: [RegExp, string][] = [
  [/^must be a calendar date, YYYY-MM-DD( or null)?$/, 'must be a day that exists'],
  [/^must be a string of at most (\d+) characters( or null)?$/, 'must have at most $1 characters'],
  [/^must be a string of 1 to (\d+) characters.*$/, 'must have 1 to $1 characters'],
  [
    /^must be (?:an integer|a number) from (\S+) to (\S+)( or null)?$/,
    'must be a number from $1 to $2',
  ],
  [/^must be a number( or null)?$/, 'must be a number'],
  [/^must be true or false( or null)?$/, 'must be yes or no'],
  [/^must be one of .*$/s, 'must be one of the choices'],
  [/^must be an array of its options.*$/, 'must be some of the choices, each once'],
  [/^is not the id of an? .*$/, 'no longer exists. Choose another'],
  [/^must be the id of an? (\w+) of the firm( or null)?$/, 'must be a $1 of the firm'],
  [/^belong to a SELECT.*$/, 'belong to a choice: choose that type, or leave them empty'],
  [/^must hold 1 to (\d+) labels$/, 'must be 1 to $1 lines'],
  [/^is empty$/, 'is empty'],
  [/^is required where there is no first name$/, 'or first name is needed'],
  [/^is required.*$/, 'is needed'],
];

/** A field's fault, shown beside the field: `Last name is needed.` */
export const wordFault = ({ field, rule }: Fault, label: string | undefined): string => {
  const [pattern, words] = rules.find(([known]) => known.test(rule)) ?? [];
  const said = pattern && words ? rule.replace(pattern, words) : rule.replace(/ or null$/, '');
  return `${label ?? readable(field)} ${said}.`;
};

/** A field's name in words: `emails[0].address` is `Emails`, `firstName` is `First name`. */
const readable = (field: string) => {
  const own = field.replace(/^customFields\./, '');
  if (own !== field) return own;
  const words = (field.split(/[.[]/)[0] ?? field).replace(/Id$/, '').replace(/([A-Z])/g, ' $1');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
};
