/** Values of the wrong type, and what a lenient reader would turn into the right one. */
import { notDays } from './dates.ts';
import type { Field } from './fields.ts';

const notText: unknown[] = [
  5,
  0,
  -1,
  1.5,
  true,
  false,
  [],
  ['text'],
  [[]],
  {},
  { text: 'a' },
  { toString: 'a' },
];
const notFlag: unknown[] = [
  'true',
  'false',
  'TRUE',
  'yes',
  'on',
  '',
  '1',
  '0',
  1,
  0,
  -1,
  [],
  [true],
  {},
];
const notNumber: unknown[] = [
  '50',
  '',
  ' ',
  '0x10',
  '1e2',
  'NaN',
  true,
  false,
  [],
  [50],
  {},
  { valueOf: 50 },
];
const notList: unknown[] = ['', 'text', '[]', 'a,b', 0, 5, true, {}, { 0: 'a', length: 1 }];
const notObject: unknown[] = ['', '{}', 'text', 0, 5, true, [], [[]], [{}]];
const notWord = (words: readonly string[]) => [
  ...words.flatMap((word) => [word.toLowerCase(), `${word} `, ` ${word}`, `${word}\n`, `${word}S`]),
  ...['', ' ', 'null', 'undefined', 'constructor', '__proto__', 'toString', words.join(), 'HIRED'],
];

/** Everything that a field must refuse with 400, by what the API description says of it. */
export const wrongFor = ({ schema, isNullable }: Field): unknown[] => {
  const wrong: unknown[] = isNullable ? [] : [null];
  switch (schema.type) {
    case 'boolean':
      return [...wrong, ...notFlag];
    case 'array':
      return [...wrong, ...notList];
    case 'object':
      return [...wrong, ...notObject];
    case 'number': {
      const { minimum = 0, maximum = 0 } = schema;
      const outside = [minimum - 0.01, minimum - 1, maximum + 1e-7, maximum + 1, 1e308, -1e308];
      return [...wrong, ...notNumber, ...outside];
    }
    default:
      if (schema.enum) return [...wrong, ...notText, ...notWord(schema.enum.filter(Boolean))];
      if (schema.format === 'date') return [...wrong, ...notDays];
      return [...wrong, ...notText];
  }
};
