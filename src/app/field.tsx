/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import type { Fault } from '../base/refusal.ts';
import { wordFault } from '../base/wording.ts';
import { type Fields, originalName } from './fields.ts';
import { useForm, useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { markup } from './markup.ts';
import { agoWords } from './moments.tsx';

/** The id of a field in the document. Fields in a dialog have its name in theirs. */
export const idOf = (name: string, within?: string) =>
  `f-${[within, name]
    .filter(Boolean)
    .join('-')
    .replace(/[^\w-]+/g, '-')}`;

export type FieldProps = {
  /** The field's name in the shape: `firstName`, `customFields.Source`. */
  name: string;
  label: string;
  hint?: string | undefined;
  required?: boolean | undefined;
  /** What is said if it is needed and empty, if that is not `Enter a name.`: a whole sentence. */
  ask?: string | undefined;
  /** The field has the focus when the page opens. */
  first?: boolean | undefined;
};

/** What a fault's words depend on: the parts of its field, and what was sent. */
export type Asked = Partial<Pick<FieldProps, 'label' | 'ask' | 'required'>> & { options?: unknown };

/** The kinds of rules that an empty field breaks because it is empty, though nothing marks it. */
const ofEmpty = ['needed', 'choice', 'day', 'recordOf'];

/**
 * What is said of a field's fault, alike at the field and in the summary. A field that is empty is
 * asked for: `Choose a reason.`
 */
export const faultWords = (fault: Fault, asked: Asked | undefined, sent: Fields): string => {
  const isEmpty = !sent.text(fault.field) && fault.now === undefined;
  const isAsked = asked?.required || ofEmpty.includes(fault.kind?.kind ?? '');
  if (!isEmpty || !isAsked || !asked?.label) return wordFault(fault, asked?.label);
  return asked.ask ?? `${asked.options ? 'Choose' : 'Enter'} ${withArticle(asked.label)}.`;
};

/** `a name`, `an email`, `emails`, `your password`. */
const withArticle = (label: string) => {
  const words = /^.[A-Z]/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
  if (/^(your|the) /.test(words) || /[^s]s$/.test(words)) return words;
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
};

/** What a control needs: its id, its value, and its fault. */
export const useField = (props: FieldProps & Asked, stored: string | null | undefined) => {
  const { name, hint, first } = props;
  const { refused, began, within } = useForm();
  const fault = refused?.refusal.faults.find(({ field }) => isOf(field, name));
  const id = idOf(name, within);
  const faultId = fault && `${fault.at === undefined ? id : idOf(fault.at, within)}-fault`;
  const describedBy = [hint ? `${id}-hint` : '', faultId].filter(Boolean).join(' ');
  const [sent, was] = [name, originalName(name)].map((one) => refused?.fields.raw(one));
  // What somebody else changed meanwhile, and this form did not, is what it is now.
  const isUntouched = !fault && sent === was;
  const [text, startedFrom] = isUntouched ? [stored, stored] : [sent ?? stored, fault?.now ?? was];
  return {
    id,
    value: text ?? '',
    words:
      refused && fault && fault.at === undefined
        ? faultWords(fault, props, refused.fields)
        : undefined,
    fault,
    startedFrom: began ? (startedFrom ?? stored ?? '') : undefined,
    control: {
      id,
      name,
      'aria-invalid': fault ? true : undefined,
      'aria-describedby': describedBy || undefined,
      autofocus: first && !refused ? true : undefined,
    },
  };
};

/** Whether a fault is about this field, or about an entry of its list. */
const isOf = (field: string, name: string) => field === name || field.startsWith(`${name}[`);

type Around = FieldProps & {
  field: ReturnType<typeof useField>;
  /** A value in words, if it is sent in another form. */
  say?: (value: string) => string;
  children: ComponentChild;
};

/** A control with its label, its hint and its fault. */
export const Field = ({ name, label, hint, required, field, say, children }: Around) => {
  const { id, startedFrom, words, fault } = field;
  return markup`<div class="field"><label for="${id}">${label}${
    required === false && markup`<span class="muted"> (optional)</span>`
  }</label>${hint && markup`<p class="hint" id="${id}-hint">${hint}</p>`}${children}${
    startedFrom !== undefined &&
    markup`<input type="hidden" name="${originalName(name)}" value="${startedFrom}"/>`
  }${
    words &&
    fault?.now === undefined &&
    markup`<p class="refusal" id="${id}-fault">${Icon({ name: 'circle-alert' })}<span>${words}</span></p>`
  }${fault && <Theirs fault={fault} name={name} say={say} />}</div>`;
};

type TheirsProps = {
  fault: Fault | undefined;
  name: string;
  /** A value in words, if it is sent in another form. */
  say?: ((value: string) => string) | undefined;
};

/**
 * If two people, or one in two windows, changed the same field: who the other one is, and what they made of it, with a button
 * to take it and one to keep one's own.
 */
export const Theirs = ({ fault, name, say = (value) => value }: TheirsProps) => {
  const { refused } = useForm();
  const { now } = useFrame();
  if (!refused || fault?.now === undefined) return null;
  refused.isShown = true;
  const { by } = fault;
  return (
    <div class="theirs">
      <p role="alert" data-focus tabIndex={-1}>
        {by?.isSelf ? 'You' : (by?.name ?? 'Somebody else')} changed this to{' '}
        <b>{say(fault.now) || 'nothing'}</b>
        {by && ` ${agoWords(by.at, now)}`}
        {by?.isSelf && ', in another window'}.
      </p>
      <button
        class="button small"
        type="button"
        data-script="takes"
        data-takes={fault.now}
        data-for={name}
      >
        Use {by?.isSelf ? 'that' : by ? `${by.name}'s` : 'theirs'}
      </button>
      <button class="button small" type="button" data-script="keeps">
        Keep {by?.isSelf ? 'this' : 'mine'}
      </button>
    </div>
  );
};
