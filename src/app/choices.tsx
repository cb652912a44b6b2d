/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { type FieldProps, idOf, useField } from './field.tsx';
import type { Option } from './form.tsx';
import { useForm } from './frame.tsx';
import { Icon } from './icon.tsx';
import { markup } from './markup.ts';

/** Yes or no. Sends `on`, or nothing. */
export const Check = (
  props: FieldProps & { checked?: boolean; value?: string; children?: ComponentChild },
) => {
  const { refused, within } = useForm();
  const { name, value = 'on' } = props;
  const isChecked = refused ? refused.fields.all(name).includes(value) : (props.checked ?? false);
  const id = `${idOf(name, within)}${value === 'on' ? '' : `-${idOf(value).slice(2)}`}`;
  const { label, hint, children } = props;
  return markup`<div class="check"><input type="checkbox" id="${id}" name="${name}" value="${value}"${
    isChecked && markup` checked`
  }${hint && markup` aria-describedby="${id}-hint"`}/><label for="${id}">${label}${
    hint && markup`<span class="hint" id="${id}-hint">${hint}</span>`
  }${children}</label></div>`;
};

/** What is wrong with a group, below its name. */
const Fault = ({ field: { id, words, fault } }: { field: ReturnType<typeof useField> }) =>
  words && fault?.now === undefined ? (
    <p class="refusal" id={`${id}-fault`}>
      <Icon name="circle-alert" />
      <span>{words}</span>
    </p>
  ) : null;

/** A group of `Check`s with one name, and their fault. */
export const Checks = (props: FieldProps & { children: ComponentChild }) => {
  const field = useField(props, null);
  return (
    <fieldset
      id={field.id}
      tabIndex={-1}
      aria-describedby={field.words ? `${field.id}-fault` : undefined}
    >
      <legend>{props.label}</legend>
      <Fault field={field} />
      {props.children}
    </fieldset>
  );
};

/** Chooses one of a few that are all shown, each with an explanation. */
export const Choices = (
  props: FieldProps & {
    value?: string | null | undefined;
    options: readonly (Option & { hint?: string })[];
  },
) => {
  const field = useField(props, props.value);
  return (
    <fieldset aria-describedby={field.words ? `${field.id}-fault` : undefined}>
      <legend>{props.label}</legend>
      <Fault field={field} />
      <div class="choices">
        {props.options.map(({ value, name, hint }, at) => (
          <label>
            <input
              type="radio"
              id={at === 0 ? field.id : undefined}
              name={props.name}
              value={value}
              checked={value === field.value}
            />
            <span>
              {name}
              {hint && <small>{hint}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
};
