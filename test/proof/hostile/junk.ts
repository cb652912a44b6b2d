/** Values, texts and bytes that nobody sends in good faith. */
import { days, notDays } from '../../api/corpus/dates.ts';
import { hostileTexts, scripts } from '../../api/corpus/texts.ts';
import type { Chance } from './operations.ts';

const lengths = [0, 1, 31, 32, 33, 100, 101, 200, 201, 254, 255, 256, 320, 321, 1_000, 5_000];
const keys = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON'],
  ...['length', 'valueOf', '', ' ', 'a.b', 'a[0]', '$where', '$ref', 'id', 'firmId', 'firm_id'],
  ...['deletedAt', 'memberId', 'scopes', 'status', 'ordinal', 'é', '\u202e', '0', '-1'],
];
const numbers = [
  ...[0, -0, -1, 0.1, 1e-7, 1e21, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 2 ** 63],
  ...[99.999_999, 100.000_001, Number.MAX_VALUE],
];

/** Any JSON value, wrong in most places. Every long text holds `marker`. */
export const anyValue = (chance: Chance, marker: string, depth = 0): unknown => {
  switch (chance.from(0, depth > 4 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return chance.happens(0.5);
    case 2:
      return chance.among(numbers);
    case 3:
      return `${marker}${chance.among(hostileTexts)}`;
    case 4:
      return chance.among(hostileTexts);
    case 5:
      return longText(chance);
    case 6:
      return chance.among([...days, ...notDays]);
    case 7:
      return Array.from({ length: chance.from(0, 4) }, () => anyValue(chance, marker, depth + 1));
    case 8:
      return Object.fromEntries(
        Array.from({ length: chance.from(0, 4) }, () => [
          chance.among(keys),
          anyValue(chance, marker, depth + 1),
        ]),
      );
    default:
      return deep(chance);
  }
};

/** A text whose length is near some limit, in one of several scripts. */
export const longText = (chance: Chance): string =>
  (Object.values(scripts)[chance.from(0, 5)] ?? String)(Math.max(1, chance.among(lengths)));

export const unknownKey = (chance: Chance): string => chance.among(keys);

const deep = (chance: Chance): unknown => {
  let value: unknown = 'deep';
  const isList = chance.happens(0.5);
  for (let level = chance.from(2, 40); level > 0; level -= 1)
    value = isList ? [value] : { a: value };
  return value;
};

/** An object or a list with very many entries. */
export const wide = (chance: Chance): unknown => {
  const length = chance.among([20, 21, 100, 1_000, 5_000]);
  const one = chance.among<unknown>(['a', 1, null, {}, [], { a: 1 }]);
  if (chance.happens(0.5)) return Array.from({ length }, () => one);
  return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, one]));
};

/** Texts that take the place of a JSON value, and that no writer of JSON writes. */
const notJson = [
  ...['NaN', 'Infinity', '-Infinity', 'undefined', "'text'", '01', '+1', '.5', '1.', '0x10', '1e'],
  ...['1e400', '-1e400', '1E999999', `${'9'.repeat(3_000)}`, `0.${'1'.repeat(3_000)}`, '-', '--1'],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\x41"', '"\\u12"', '"a\nb"', '"\t"', '"'],
  ...['[', '{', ']', '}', '[1,]', '{"a":1,}', '{a:1}', '{"a" 1}', '// c\n1', '/* c */1', 'nul'],
  ...['{"a":1,"a":2}', '{"__proto__":{"isOwner":true}}', '\u2028', '\u00a0', '\ufeff1', ''],
  ...['['.repeat(5_000), '{"a":'.repeat(5_000), `${'['.repeat(33)}${']'.repeat(33)}`],
];

/** Puts something that is not JSON in the place of one value of a JSON text. */
export const spoilValue = (chance: Chance, text: string): string => {
  const places = [...text.matchAll(/(?<=[:[,])("(?:[^"\\]|\\.)*"|[\d.-]+|true|false|null)/g)];
  const place = places.length > 0 ? chance.among(places) : undefined;
  const junk = chance.among(notJson);
  if (!place) return junk;
  return text.slice(0, place.index) + junk + text.slice(place.index + place[0].length);
};

const badBytes = [
  ...[[0], [0xff], [0xfe, 0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]],
  ...[[0xe2, 0x82], [0x80], [0xef, 0xbb, 0xbf], [0x1b, 0x5b], [0x0d, 0x0a, 0x0d, 0x0a], [0x7f]],
];

/** Changes bytes at random places: cut, turned over, put in, taken out, doubled, in another encoding. */
export const spoilBytes = (chance: Chance, bytes: Buffer): Buffer => {
  const at = chance.from(0, bytes.length);
  const later = chance.from(at, bytes.length);
  switch (chance.from(0, 6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1: {
      const turned = Buffer.from(bytes);
      if (at < turned.length) turned[at] = chance.from(0, 255);
      return turned;
    }
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(chance.among(badBytes)),
        bytes.subarray(at),
      ]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(later)]);
    case 4:
      return Buffer.concat([bytes, bytes.subarray(at)]);
    case 5:
      return Buffer.from(bytes.toString(), 'utf16le');
    default:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
  }
};
