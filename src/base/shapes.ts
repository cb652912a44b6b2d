/** Shapes of what is sent and accepted: check, wording and OpenAPI description in one place. */
import type { TSchema, TUnsafe } from '@sinclair/typebox';
import { t } from 'elysia';
import { createType } from 'elysia/type-system/utils';
import { isCalendarDate } from './calendar-date.ts';
import type { Kind } from './rule.ts';

/** How a refusal words a shape's rule. A symbol never reaches the published document. */
export const expects = Symbol('expects');

/** The kind of the shape's rule. */
export const kindOfRule = Symbol('kind');

type Options = { [expects]?: string; [kindOfRule]?: Kind };

const kind = <Value, Schema extends object>(
  name: string,
  accepts: (schema: Schema, value: unknown) => boolean,
) =>
  // createType is typed as returning a schema, but returns a function that makes one.
  createType(name, accepts) as unknown as (schema: Schema & Options) => TUnsafe<Value>;

type TextSchema = { type: 'string'; maxLength?: number; minLength?: number; description?: string };

const textKind = kind<string, TextSchema>('Text', ({ maxLength, minLength }, value) => {
  if (typeof value !== 'string') return false;
  if (maxLength !== undefined && isLonger(value, maxLength)) return false;
  return minLength === undefined || value.trim().length >= minLength;
});

/**
 * Whether a string is longer than `max` code points, which is how people and JSON Schema count.
 */
export const isLonger = (text: string, max: number) =>
  // A code point has one or two UTF-16 units: only lengths in between must be counted.
  text.length > max && (text.length > 2 * max || [...text].length > max);

/** A string of at most `maxLength` code points; without a limit if none is given. */
export const text = (maxLength?: number, description?: string) =>
  textKind({
    type: 'string',
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(description === undefined ? {} : { description }),
    [expects]: maxLength === undefined ? 'a string' : `a string of at most ${maxLength} characters`,
    ...(maxLength === undefined
      ? {}
      : { [kindOfRule]: { kind: 'tooLong', max: maxLength } as const }),
  });

/**
 * What the API description says of a shape in addition, under `x-published`: rules that a verb or
 * the database keeps, so that no answer costs a check.
 */
export const published = (rules: object) => ({ 'x-published': rules });

/** A parameter without which a request makes no sense, with a value for the documents' samples. */
export const withSample = <Schema extends object>(schema: Schema, sample: string): Schema => ({
  ...schema,
  ...published({ examples: [sample] }),
});

/** A string in an answer, of at most `maxLength` code points. */
export const textOut = (maxLength: number, description?: string) =>
  t.String({ ...published({ maxLength }), ...(description === undefined ? {} : { description }) });

/** A record's id in an answer. */
export const idOut = () => textOut(36);

/** A name that a firm gave, in an answer. */
export const nameOut = (description?: string) => textOut(255, description);

const notBlank = { minLength: 1, pattern: '\\S' };

/** A string whose emptiness the verb refuses, in its own words. */
export const filledText = (maxLength: number) => ({
  ...text(maxLength),
  ...published(notBlank),
});

/** A string of 1 to `maxLength` code points that is not only white space. */
export const nonEmptyText = (maxLength: number) =>
  textKind({
    type: 'string',
    minLength: 1,
    maxLength,
    ...published(notBlank),
    [expects]: `a string of 1 to ${maxLength} characters that are not all white space`,
    [kindOfRule]: { kind: 'length', max: maxLength },
  });

const textParameterKind = kind<
  string,
  { type: 'string'; minLength: 1; maxLength: number; description: string }
>('TextParameter', ({ maxLength }, value) => {
  if (typeof value !== 'string') return false;
  const trimmed = value.trim();
  return trimmed !== '' && !isLonger(trimmed, maxLength);
});

/** A text in a query string: 1 to `maxLength` code points, not counting white space at the ends. */
export const textParameter = (maxLength: number, description: string) =>
  textParameterKind({
    type: 'string',
    minLength: 1,
    maxLength,
    description,
    [expects]: `a text of 1 to ${maxLength} characters`,
  });

const listParameterKind = kind<
  string,
  { type: 'string'; description: string; pattern: string; maxLength: number }
>(
  'ListParameter',
  ({ pattern }, value) => typeof value === 'string' && RegExp(pattern).test(value),
);

/** Words of a closed list in a query string, separated by commas. */
export const listParameter = (words: readonly string[], description: string) => {
  const word = `(${words.join('|')})`;
  return listParameterKind({
    type: 'string',
    description,
    pattern: `^${word}( ?, ?${word})*$`,
    maxLength: 255,
    [expects]: `some of ${words.join(', ')}, separated by commas`,
  });
};

const oneOfKind = kind<never, { type: 'string'; enum: readonly string[] }>(
  'OneOf',
  (schema, value) => schema.enum.includes(value as string),
);

/** One of a closed list of words, exactly as written. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  oneOfKind({
    type: 'string',
    enum: values,
    [expects]: `one of ${values.join(', ')}`,
    [kindOfRule]: { kind: 'choice' },
  }) as unknown as TUnsafe<Values[number]>;

export const nullable = <Schema extends TSchema>(schema: Schema) => t.Union([schema, t.Null()]);

type IntegerSchema = { type: 'integer'; minimum: number; maximum: number; default: number };

// Elysia fills in a missing parameter's default as a number; a parameter that is sent is text.
const integerKind = kind<string | number, IntegerSchema & { description: string }>(
  'IntegerParameter',
  ({ minimum, maximum }, value) =>
    (typeof value === 'number' || /^\d{1,16}$/.test(String(value))) &&
    inRange(Number(value), minimum, maximum),
);

const inRange = (value: number, minimum: number, maximum: number) =>
  value >= minimum && value <= maximum;

/** A whole number in a query string: digits only, within bounds. It is never rounded or clamped. */
export const integerParameter = (
  bounds: { minimum: number; maximum: number; default: number },
  description: string,
) =>
  t.Optional(
    integerKind({
      type: 'integer',
      ...bounds,
      description,
      [expects]: `an integer from ${bounds.minimum} to ${bounds.maximum}`,
      [kindOfRule]: { kind: 'number', from: bounds.minimum, to: bounds.maximum },
    }),
  );

const wholeKind = kind<number, { type: 'integer'; description?: string }>('Whole', (_, value) =>
  Number.isInteger(value),
);

/** A whole number in an answer. */
export const whole = (description: string) =>
  wholeKind({
    type: 'integer',
    description,
    ...published({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  });

const dateKind = kind<string, { type: 'string'; format: 'date'; description?: string }>(
  'CalendarDate',
  (_, value) => isCalendarDate(value),
);

/** A day that exists, YYYY-MM-DD. */
export const calendarDate = (description?: string) =>
  dateKind({
    type: 'string',
    format: 'date',
    ...(description === undefined ? {} : { description }),
    [expects]: 'a calendar date, YYYY-MM-DD',
    [kindOfRule]: { kind: 'day' },
  });

const dayOrTimeKind = kind<string, { type: 'string'; description: string }>(
  'DayOrTime',
  (_, value) => {
    if (typeof value !== 'string') return false;
    const [day, time = '00:00', more] = value.split('T');
    return isCalendarDate(day) && /^([01]\d|2[0-3]):[0-5]\d$/.test(time) && more === undefined;
  },
);

/** A day that exists, YYYY-MM-DD, or one with an hour and a minute of the firm's time zone, YYYY-MM-DDThh:mm. */
export const dayOrTime = (description: string) =>
  dayOrTimeKind({
    type: 'string',
    description,
    [expects]: 'a calendar date, YYYY-MM-DD, or one with a time, YYYY-MM-DDThh:mm',
    [kindOfRule]: { kind: 'day' },
  });

type NumberSchema = { type: 'number'; minimum: number; maximum: number; description: string };

const numberKind = kind<number, NumberSchema>(
  'NumberBetween',
  ({ minimum, maximum }, value) => typeof value === 'number' && inRange(value, minimum, maximum),
);

/** A number in a body, within bounds. */
export const numberBetween = (bounds: { minimum: number; maximum: number }, description: string) =>
  numberKind({
    type: 'number',
    ...bounds,
    description,
    [expects]: `a number from ${bounds.minimum} to ${bounds.maximum}`,
    [kindOfRule]: { kind: 'number', from: bounds.minimum, to: bounds.maximum },
  });

/** The longest name of a record: a contact's, of three names and the blanks between them. */
export const longestName = 386;

/** A reference by id, shown with the record's current name. */
export const reference = () => answerOf('Reference', { id: idOut(), name: textOut(longestName) });

/** An id in a body. The verb refuses an id that is not the firm's: 404, naming the field. */
export const idText = (description?: string) => text(undefined, description);

const momentKind = kind<string, { type: 'string'; format: 'date-time' }>(
  'Moment',
  (_, value) => typeof value === 'string',
);

const momentInKind = kind<string, { type: 'string'; format: 'date-time'; description?: string }>(
  'MomentIn',
  (_, value) => {
    if (typeof value !== 'string') return false;
    const [, day] =
      /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(
        value,
      ) ?? [];
    return day !== undefined && isCalendarDate(day) && !Number.isNaN(Date.parse(value));
  },
);

/** A moment in a body: ISO 8601 with its distance from UTC. It is kept to the millisecond. */
export const momentIn = (description?: string) =>
  momentInKind({
    type: 'string',
    format: 'date-time',
    ...(description === undefined ? {} : { description }),
    [expects]: 'a moment with its distance from UTC, for example 2026-03-14T09:30:00Z',
  });

/** A moment in an answer: ISO 8601, UTC, milliseconds. */
export const momentText = () => momentKind({ type: 'string', format: 'date-time' });

/**
 * A body object: fields it does not name are ignored (docs/contract.md, Requests). The verb fills in
 * what was not sent: if a field had a `default` here, values under `__proto__` would count as sent.
 */
export const bodyOf = <Fields extends Record<string, TSchema>>(
  title: string,
  fields: Fields,
  more: object = {},
) => t.Object(fields, { title, additionalProperties: true, ...more });

/** An object in an answer: exactly these fields. */
export const answerOf = <Fields extends Record<string, TSchema>>(title: string, fields: Fields) =>
  t.Object(fields, { title, additionalProperties: false });
