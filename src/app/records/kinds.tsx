/** @jsxImportSource preact */
/**
 * What a value can be: how it is edited, sent, shown and told. A record's own fields and the firm's
 * custom fields have the same kinds. A kind is a plain object: another one is made of it by `...`.
 */
import type { ComponentChild, VNode } from 'preact';
import { numberFrom } from '../../base/numbers.ts';
import { Field, type FieldProps, useField } from '../field.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Day, type Option, Text, TextArea } from '../form.tsx';
import { type RowFrame, useForm, useFrame } from '../frame.tsx';
import { DayWords, dayShown, dayWords, type Writing, wallWords } from '../moments.tsx';
import { safeLink } from '../words.tsx';

/** What the history needs to name values: names for ids, and its present day. */
export type History = Writing & { names: ReadonlyMap<string, string>; today: string };

export type Kind<Choices = unknown> = {
  /** Its control. `value` is its text. */
  control(props: FieldProps & { value: string }, choices: Choices): VNode;
  /** The value as its control shows and sends it. */
  text(value: unknown): string;
  /** What a form sent, as the wire takes it; null for nothing. */
  sent(fields: Fields, name: string): unknown;
  /** Its text in plain words, if it has others: the name of a choice. */
  words?(text: string, choices: Choices): string;
  /** Its text on a page. */
  shown(text: string, choices: Choices): ComponentChild;
  /** Its text in a cell of a list, if that is more than the text. */
  cell?(text: string, frame: RowFrame): ComponentChild;
  /** Its text within a sentence of the history. */
  said(text: string, history: History): string;
  /** What can be chosen, if it is one of a list. */
  options?(choices: Choices): readonly Option[];
  /** It is one of the firm's people, or nobody. */
  isPerson?: boolean;
};

const textOf = (value: unknown) => {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
};

/** A value in plain words, as a file has it. */
export const wordsOf = <Choices,>(
  kind: Kind<Choices>,
  value: unknown,
  choices: Choices,
): string => {
  const text = kind.text(value);
  return kind.words?.(text, choices) ?? text;
};

export const line: Kind = {
  control: (props) => <Text {...props} />,
  text: textOf,
  sent: (fields, name) => fields.text(name) || null,
  shown: (text) => text,
  said: (text) => text,
};

export const lines: Kind = {
  ...line,
  control: (props) => <TextArea {...props} rows={5} />,
  sent: (fields, name) => fields.raw(name) || null,
  shown: (text) => text && <span class="as-written">{text}</span>,
};

export const phone: Kind = { ...line, control: (props) => <Text {...props} type="tel" /> };

/** An address. Browsers would refuse one without a scheme as a URL, so only the server checks it. */
export const link: Kind = {
  ...line,
  shown: (text) => {
    const href = safeLink(text);
    return text && (href ? <a href={href}>{text}</a> : <span>{text}</span>);
  },
};

export const number: Kind = {
  ...line,
  control: (props) => <Text {...props} inputmode="decimal" />,
  sent: (fields, name) => {
    const text = fields.text(name) || null;
    return text === null ? null : (numberFrom(text) ?? text);
  },
};

export const day: Kind = {
  ...line,
  control: (props) => <Day {...props} />,
  shown: (text) => text && <DayWords day={text} />,
  cell: (text, frame) => text && dayShown(text, frame),
  said: (text, history) => text && dayWords(text, history.today, history),
};

/**
 * A day, or a day and a time in the firm's time zone. Both are sent under one name, so they are two lines of
 * one text.
 */
export const dayOrTime: Kind = {
  control: (props) => <DayOrTime {...props} ask="Enter a day, not only a time." />,
  text: (value) => {
    const [day = '', time = ''] = textOf(value).split('T');
    return `${day}\n${time}`;
  },
  sent: (fields, name) =>
    fields
      .all(name)
      .flatMap((one) => one.split('\n'))
      .filter(Boolean)
      .join('T') || null,
  words: (text) => text.trim().replace('\n', ' '),
  shown: (text) => text.trim() && <DayAndTime text={text} />,
  said: (text, history) => text.trim() && wallWords(text, history.today, history),
};

const DayOrTime = (props: FieldProps & { value: string }) => {
  const frame = useFrame();
  const { refused } = useForm();
  const field = useField(props, props.value);
  const lines = refused?.fields.all(props.name) ?? [];
  const [day = '', time = ''] = field.value.includes('\n') ? field.value.split('\n') : lines;
  const say = (text: string) => text.trim() && wallWords(text, frame.today, frame);
  return (
    <Field {...props} field={field} say={say}>
      <span class="day-and-time">
        <input class="input" {...field.control} type="date" value={day} />
        <input
          class="input"
          name={props.name}
          type="time"
          aria-label={`${props.label}: time, if it has one`}
          value={time}
        />
      </span>
    </Field>
  );
};

const DayAndTime = ({ text }: { text: string }) => {
  const frame = useFrame();
  const [day, time] = text.split('\n');
  return (
    <time dateTime={time ? `${day}T${time}` : day}>{wallWords(text, frame.today, frame)}</time>
  );
};

/** A value that cannot be taken away: emptied, it is refused. */
export const required = <Choices,>(kind: Kind<Choices>): Kind<Choices> => ({
  ...kind,
  control: (props, choices) => kind.control({ ...props, required: true }, choices),
  sent: (fields, name) => kind.sent(fields, name) ?? '',
});

/** A value that may be left out of a form that needs others. */
export const optional = <Choices,>(kind: Kind<Choices>): Kind<Choices> => ({
  ...kind,
  control: (props, choices) => kind.control({ ...props, required: false }, choices),
});

/** A value whose control has the focus when the page opens. */
export const first = <Choices,>(kind: Kind<Choices>): Kind<Choices> => ({
  ...kind,
  control: (props, choices) => kind.control({ ...props, first: true }, choices),
});

/** Choices that are always the same, or those that the firm has. */
type Options<Choices> = readonly Option[] | ((choices: Choices) => readonly Option[]);

const choice = <Choices,>(options: Options<Choices>, none?: { none: string }): Kind<Choices> => {
  const offered = (choices: Choices) =>
    typeof options === 'function' ? options(choices) : options;
  const nameIn = (all: readonly Option[], text: string) =>
    all.find(({ value }) => value === text)?.name;
  const words = (text: string, choices: Choices) => nameIn(offered(choices), text) ?? text;
  const always = typeof options === 'function' ? [] : options;
  return {
    ...line,
    control: (props, choices) => <Choice {...props} options={offered(choices)} {...none} />,
    words,
    shown: words,
    said: (text, { names }) => nameIn(always, text) ?? names.get(text) ?? text,
    options: offered,
  };
};

/** One of a list. */
export const oneOf = <Choices,>(options: Options<Choices>) => choice(options);

/** One of a list, or none: a word that says what none means. */
export const oneOrNone = <Choices,>(options: Options<Choices>, none = 'None') =>
  choice(options, { none });

/** One of the firm's people, or nobody. */
export const person = <Choices,>(options: Options<Choices>): Kind<Choices> => ({
  ...choice(options, { none: 'Nobody' }),
  isPerson: true,
});

export const yesOrNo: Kind = {
  ...oneOrNone([
    { value: 'true', name: 'Yes' },
    { value: 'false', name: 'No' },
  ]),
  sent: (fields, name) => {
    const text = fields.text(name) || null;
    return text === 'true' || (text === 'false' ? false : text);
  },
  said: (text) => ({ true: 'yes', false: 'no' })[text] ?? text,
};

const inOneLine = (text: string) => text.replaceAll('\n', ', ');

/** Several of a list. */
export const several = (options: readonly Option[]): Kind => ({
  control: (props) => <Several {...props} options={options} />,
  text: (value) => (Array.isArray(value) ? value.join('\n') : textOf(value)),
  sent: (fields, name) => {
    const chosen = fields.all(name).flatMap((one) => one.split('\n').filter(Boolean));
    return chosen.length > 0 ? chosen : null;
  },
  words: inOneLine,
  shown: inOneLine,
  said: (text) => inOneLine(text),
  options: () => options,
});

/** The hidden field that says that a list of several was shown, if none of it was chosen. */
export const severalOf = (name: string) => `several.${name}`;

const Several = (props: FieldProps & { value: string; options: readonly Option[] }) => {
  const field = useField(props, props.value);
  const chosen = new Set(field.value.split('\n'));
  return (
    <Field {...props} field={field} hint="Hold Ctrl to choose several">
      <select class="input" {...field.control} multiple size={Math.min(8, props.options.length)}>
        {props.options.map(({ value, name }) => (
          <option value={value} selected={chosen.has(value)}>
            {name}
          </option>
        ))}
      </select>
      <input type="hidden" name={severalOf(props.name)} value="on" />
    </Field>
  );
};

/** The names of records by their ids; none for one that the reader may not see. */
export type SeenNames = Readonly<Record<string, string>>;

/** Stands for a record that the reader may not see. */
export const unseen = 'Not visible to you';

const anId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** A contact or a matter, by the address of its page. */
export const recordOf = (noun: 'contact' | 'matter', names: SeenNames = {}): Kind => ({
  ...line,
  control: (props) => <Text {...props} hint={`Paste the address of the ${noun}’s page`} />,
  sent: (fields, name) => {
    const text = fields.text(name) || null;
    return text && (anId.exec(text)?.[0] ?? text);
  },
  shown: (id) => {
    const name = names[id];
    return id && (name ? <a href={`/${noun}s/${id}`}>{name}</a> : unseen);
  },
  said: (id, history) => id && (history.names.get(id) ?? `a ${noun}`),
});
