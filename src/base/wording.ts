import { written } from './numbers.ts';
import type { Fault } from './refusal.ts';
import type { Kind } from './rule.ts';

/** How people read each kind of rule, after the field's name. */
const wordsOf: { [Name in Kind['kind']]: (kind: Extract<Kind, { kind: Name }>) => string } = {
  needed: () => 'is needed',
  neededWithoutFirstName: () => 'or first name is needed',
  anyName: () => 'Enter a first name, last name or company',
  day: () => 'must be a day that exists',
  tooLong: ({ max }) => `must have at most ${written(max)} characters`,
  length: ({ max }) => `must have 1 to ${written(max)} characters`,
  number: ({ from, to }) =>
    from === undefined
      ? 'must be a number'
      : `must be a number from ${limit(from)} to ${limit(to)}`,
  yesOrNo: () => 'must be yes or no',
  choose: ({ one }) => `Choose ${one}`,
  choice: () => 'must be one of the choices',
  choices: () => 'must be some of the choices, each once',
  gone: () => 'no longer exists. Choose another',
  recordOf: ({ noun }) => `must be a ${noun} of the firm`,
  ofAChoice: () => 'belong to a choice: choose that type, or leave them empty',
  lines: ({ max }) => `must be 1 to ${written(max)} lines`,
  sentence: ({ words }) => words,
};

const limit = (one: number | string | undefined) => (typeof one === 'number' ? written(one) : one);

/** Those that begin without the field's name. */
const wholeSentences: readonly Kind['kind'][] = ['anyName', 'choose', 'sentence'];

/** A field's fault, shown beside the field: `Last name is needed.` */
export const wordFault = ({ field, rule, kind }: Fault, label: string | undefined): string => {
  const words = kind ? (wordsOf[kind.kind] as (kind: Kind) => string)(kind) : rule;
  if (kind && wholeSentences.includes(kind.kind)) return `${words}.`;
  return `${label ?? readable(field)} ${words}.`;
};

/** With a capital letter, as a line begins. */
export const capitalised = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** A field's name in words: `emails[0].address` is `Emails`, `firstName` is `First name`. */
const readable = (field: string) => {
  const own = field.replace(/^customFields\./, '');
  if (own !== field) return own;
  const [name = field] = field.split(/[.[]/);
  if (name === 'solDate') return 'Limitation date';
  const words = name.replace(/Ids?$/, '').replace(/([A-Z])/g, ' $1');
  return capitalised(words.toLowerCase());
};
