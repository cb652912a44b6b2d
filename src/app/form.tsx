/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren, VNode } from 'preact';
import { isCalendarDate } from '../base/calendar-date.ts';
import { FormSummary } from './alerts.tsx';
import { Leave, useDialog } from './dialog.tsx';
import { Field, type FieldProps, useField } from './field.tsx';
import { newOnce, onceField } from './fields.ts';
import { InForm, useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { attributes, markup } from './markup.ts';
import { dayInFull } from './moments.tsx';
import { answerOfPasskey } from './secret.tsx';

export type FormProps = {
  action: string;
  children: ComponentChildren;
  /** The label of its only button; left out if its children contain the buttons. */
  save?: ComponentChildren;
  /**
   * Keeps what is typed in this browser until it is saved. The name of the draft, for example
   * `lead:1:note`.
   */
  draft?: string;
  /**
   * The word of the record that the form makes, `lead`. It opens empty then, and what was typed before
   * is offered.
   */
  makes?: string;
  /** The draft of the form whose text this one comes with, if there was one: this one takes its place. */
  insteadOf?: string | undefined;
  /** Stands behind its button: a button before that would be the form's own. */
  behind?: ComponentChild;
  /**
   * What it makes is an entry of its page: its button is not the page's first. Its first field has the focus
   * then, for the next one.
   */
  adds?: boolean;
  /** Its page has several forms of one weight: none of their buttons is the page's first. */
  isOneOfSeveral?: boolean;
  class?: string;
  files?: boolean;
  /** The browser sends the form itself and shows the answer as a page. */
  whole?: boolean;
  /** A passkey signs the form before it is sent: the address of what it signs. */
  passkey?: string;
  /** The address of the link beside the button that leaves the form. */
  cancel?: string;
  /** The form's fields, if other forms on the page have the same address. */
  names?: readonly string[];
  /** Distinguishes the ids of its fields from those of other forms. A dialog does this itself. */
  within?: string;
};

/**
 * A form. It also sends what its row needs: the values from the beginning of the edit, so that
 * nobody's change is undone; and what tells a form that was sent again. After a refusal, a summary above it has the focus and links to the fields, each field
 * shows its fault, and what was typed stays.
 */
export const Form = (props: FormProps) => {
  const { action, children, save, draft, class: className = 'form' } = props;
  const { visit, policyOf } = useFrame();
  const { guard, once } = policyOf(action) ?? {};
  const dialog = useDialog();
  const isMine =
    visit.refused?.action === action.replace(/\?.*/, '') &&
    (visit.refused.fields.raw('do') ?? '') === (dialog ?? '') &&
    (props.names?.some((name) => visit.refused?.fields.has(name)) ?? true);
  const refused = isMine ? visit.refused : undefined;
  // The line of the value itself says who changed it in the meantime (`Theirs`).
  const isConflictInPlace =
    className === 'in-place' && refused?.refusal.faults.some(({ now }) => now !== undefined);
  const formFrame = {
    refused,
    began: typeof guard === 'function',
    within: props.within ?? dialog,
  };
  return markup`<form${attributes({
    id: props.makes && 'form',
    tabindex: props.makes && -1,
    class: className,
    method: 'post',
    action,
    novalidate: true,
    enctype: props.files && 'multipart/form-data',
    ...(draft && (props.makes ? { 'data-script': 'unfinished' } : { 'data-script': 'draft' })),
    'data-draft': draft,
    'data-instead-of': props.insteadOf,
    'data-adds': props.adds,
    'data-whole': props.files || props.whole,
    'data-passkey': props.passkey,
  })}>${props.passkey && hidden(answerOfPasskey, '')}${dialog && hidden('do', dialog)}${
    once && hidden(onceField, newOnce())
  }${(
    <InForm value={formFrame}>
      {refused && !isConflictInPlace && <FormSummary of={children} />}
      {props.makes && <Unfinished what={props.makes} />}
      {children}
    </InForm>
  )}${
    save &&
    markup`<div class="row end">${
      props.cancel && markup`<a class="button" href="${props.cancel}" data-leaves="true">Cancel</a>`
    }${dialog && Leave({ dialog })}<button class="${props.adds || props.isOneOfSeveral ? 'button' : 'button primary'}">${save}</button></div>`
  }${props.behind}</form>`;
};

const hidden = (name: string, value: string) =>
  markup`<input type="hidden" name="${name}" value="${value}"/>`;

type TextProps = FieldProps & {
  value?: string | null | undefined;
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'search';
  autocomplete?: string;
  inputmode?: 'numeric' | 'decimal' | 'email' | 'tel';
  placeholder?: string;
  step?: string;
};

export const Text = (props: TextProps) => {
  const field = useField(props, props.value);
  const { type = 'text', autocomplete = 'off', inputmode, placeholder, step } = props;
  const { required } = props;
  const { control, value } = field;
  const own = { type, autocomplete, inputmode, placeholder, step, required, value };
  const children = markup`<input class="input"${attributes(control)}${attributes(own)}/>`;
  return Field({ ...props, field, children });
};

export const TextArea = (
  props: FieldProps & { value?: string | null; rows?: number; placeholder?: string },
) => {
  const field = useField(props, props.value);
  const { rows = 4, required, placeholder } = props;
  const own = { rows, required, placeholder };
  const tag = markup`<textarea class="input"${attributes(field.control)}${attributes(own)}>`;
  // A browser leaves out a line break right after the tag.
  const text = field.value.startsWith('\n') ? `\n${field.value}` : field.value;
  return Field({ ...props, field, children: markup`${tag}${text}</textarea>` });
};

type PickedProps = FieldProps & { value?: string | null | undefined };

/** A calendar day, `YYYY-MM-DD` as it is sent. */
export const Day = (props: PickedProps) => <Picked {...props} type="date" />;

/** An hour and a minute, `14:30` as it is sent. */
export const Hour = (props: PickedProps) => <Picked {...props} type="time" />;

const Picked = ({ type, ...props }: PickedProps & { type: 'date' | 'time' }) => {
  const frame = useFrame();
  const field = useField(props, props.value);
  const own = { type, required: props.required, value: field.value };
  const children = markup`<input class="input"${attributes(field.control)}${attributes(own)}/>`;
  const say = (text: string) => (isCalendarDate(text) ? dayInFull(text, frame) : text);
  return Field({ ...props, field, say, children });
};

/** One choice of a list: what is sent, and its words. */
export type Option = { value: string; name: string };

export const optionsIn = (all: readonly Option[], chosen: string | null | undefined) =>
  markup`${all.map(
    ({ value, name }) =>
      markup`<option value="${value}"${value === chosen && markup` selected`}>${name}</option>`,
  )}`;

/** Chooses one of a list. `none` is the label for no choice, if that is allowed. */
export const Choice = (
  props: FieldProps & {
    value?: string | null | undefined;
    options: readonly Option[];
    none?: string;
  },
) => {
  const field = useField(props, props.value);
  const say = (sent: string) =>
    props.options.find(({ value }) => value === sent)?.name ?? (sent ? 'another' : '');
  const { required, none, options } = props;
  const first = none !== undefined && markup`<option value="">${none}</option>`;
  const children = selectOf(
    { ...field.control, required },
    markup`${first}${optionsIn(options, field.value)}`,
  );
  return Field({ ...props, field, say, children });
};

/** A list to choose from, with its arrow. `options` are its options, written by `markup`. */
export const selectOf = (own: Parameters<typeof attributes>[0], options: VNode) =>
  markup`<span class="select"><select class="input"${attributes(own)}>${options}</select>${arrow}</span>`;

const arrow = Icon({ name: 'chevron-down' });

/** A single button that sends something: mark as read, archive. */
export const Act = ({
  action,
  fields = {},
  class: className = 'button',
  label,
  children,
}: {
  action: string;
  fields?: Record<string, string>;
  class?: string;
  label?: string;
  children: ComponentChild;
}) =>
  markup`<form class="act" method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => hidden(name, value),
  )}<button${attributes({ class: className, 'aria-label': label })}>${children}</button></form>`;

/**
 * Offers what was typed into this form before and was not saved; the form itself opens empty. It is
 * hidden until a script finds such a text in the browser (`browser/unfinished.ts`). `what` is the
 * record's word: `lead`.
 */
export const Unfinished = ({ what }: { what: string }) => {
  const { timeZone, formats } = useFrame();
  return (
    <div
      class="banner offer"
      role="status"
      data-offers={what}
      data-zone={timeZone}
      data-order={formats.dayOrder}
      data-clock={formats.clock}
      hidden
    >
      <Icon name="file-text" />
      <p class="grow" />
      <button class="button" type="button">
        Continue
      </button>
      <button class="button quiet" type="button">
        Start fresh
      </button>
    </div>
  );
};
