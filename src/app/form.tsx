/** @jsxImportSource preact */
import { type ComponentChild, type ComponentChildren, isValidElement, toChildArray } from 'preact';
import { wordFault } from '../base/wording.ts';
import { useDialog } from './dialog.tsx';
import { Field, type FieldProps, idOf, useField } from './field.tsx';
import { InForm, useForm, useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';

type FormProps = {
  /** The address that the form is sent to. */
  action: string;
  children: ComponentChildren;
  /** The label of its only button; left out if its children contain the buttons. */
  save?: string;
  /**
   * Keeps what is typed in this browser until it is saved. The name of the draft, for example
   * `lead:1:note`.
   */
  draft?: string;
  /** Also sends the values from the beginning of the edit, so that nobody's change is undone. */
  guarded?: boolean;
  look?: string;
  /** The form can send files. */
  files?: boolean;
  /** The browser sends the form itself and shows the answer as a page. */
  whole?: boolean;
  /** A passkey signs the form before it is sent: the address of what it signs. */
  passkey?: string;
  /** More fields for the button. */
  cancel?: string;
  /** The form's fields, if other forms on the page have the same address. */
  names?: readonly string[];
  /** Distinguishes the ids of its fields from those of other forms. A dialog does this itself. */
  within?: string;
};

/**
 * A form. After a refusal, a summary above it has the focus and links to the fields, each field
 * shows its fault, and what was typed stays.
 */
export const Form = (props: FormProps) => {
  const { action, children, save, draft, guarded = false, look = 'form' } = props;
  const { visit } = useFrame();
  const dialog = useDialog();
  const isMine =
    visit.refused?.action === action.replace(/\?.*/, '') &&
    (visit.refused.fields.raw('do') ?? '') === (dialog ?? '') &&
    (props.names?.some((name) => visit.refused?.fields.has(name)) ?? true);
  const refused = isMine ? visit.refused : undefined;
  return (
    <form
      class={look}
      method="post"
      action={action}
      encType={props.files ? 'multipart/form-data' : undefined}
      data-draft={draft}
      data-whole={props.files || props.whole || undefined}
      data-passkey={props.passkey}
    >
      <InForm value={{ refused, began: guarded, within: props.within ?? dialog }}>
        {props.passkey && <input type="hidden" name="answer" value="" />}
        {dialog && <input type="hidden" name="do" value={dialog} />}
        {refused && <Summary labels={labelsIn(children)} />}
        {children}
        {save && (
          <div class="row end">
            {props.cancel && (
              <a class="button" href={props.cancel}>
                Cancel
              </a>
            )}
            <button class="button primary">{save}</button>
          </div>
        )}
      </InForm>
    </form>
  );
};

/** The faults, above the form. The summary has the focus, and each fault links to its field. */
const Summary = ({ labels }: { labels: Map<string, string> }) => {
  const { refused, within } = useForm();
  if (!refused) return null;
  const { faults, message } = refused.refusal;
  const [here, elsewhere] = [
    faults.filter(({ field }) => labels.has(listOf(field))),
    faults.filter(({ field }) => !labels.has(listOf(field))),
  ];
  return (
    <div class="banner danger" role="alert" tabIndex={-1} data-focus>
      <Icon name="circle-alert" />
      <div>
        <h2>{here.length > 0 ? 'This is not saved yet' : 'This could not be done'}</h2>
        {faults.length === 0 && <p>{message}</p>}
        {faults.length > 0 && (
          <ul>
            {here.map((fault) => (
              <li>
                <a href={`#${idOf(listOf(fault.field), within)}`}>
                  {wordFault(fault, labels.get(listOf(fault.field)))}
                </a>
              </li>
            ))}
            {elsewhere.map((fault) => (
              <li>{wordFault(fault, undefined)}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
};

/** The labels of the fields among a form's parts, by the fields' names. */
const labelsIn = (children: ComponentChildren, found = new Map<string, string>()) => {
  for (const child of toChildArray(children)) {
    if (!isValidElement(child)) continue;
    const { name, label, children: inner } = child.props as Record<string, unknown>;
    if (typeof name === 'string' && typeof label === 'string') found.set(name, label);
    if (inner) labelsIn(inner as ComponentChildren, found);
  }
  return found;
};

/** The form's field for a fault: `emails` for `emails[0].address`. */
const listOf = (field: string) => field.replace(/\[\d+\].*$/, '');

type TextProps = FieldProps & {
  value?: string | null | undefined;
  type?: 'text' | 'email' | 'tel' | 'url' | 'password' | 'number' | 'search';
  autocomplete?: string;
  inputmode?: 'numeric' | 'decimal' | 'email' | 'tel';
  placeholder?: string;
  step?: string;
};

/** A line of text. */
export const Text = (props: TextProps) => {
  const field = useField(props, props.value);
  const { type = 'text', autocomplete = 'off', inputmode, placeholder, step } = props;
  return (
    <Field {...props} field={field}>
      <input
        class="input"
        {...field.control}
        {...({ type, autocomplete, inputmode, placeholder, step } as { type: 'text' })}
        required={props.required}
        value={type === 'password' ? '' : field.value}
      />
    </Field>
  );
};

/** A text of several lines. */
export const TextArea = (
  props: FieldProps & { value?: string | null; rows?: number; placeholder?: string },
) => {
  const field = useField(props, props.value);
  return (
    <Field {...props} field={field}>
      <textarea
        class="input"
        {...field.control}
        rows={props.rows ?? 4}
        required={props.required}
        placeholder={props.placeholder}
        value={field.value}
      />
    </Field>
  );
};

/** A calendar day, `YYYY-MM-DD` as it is sent. */
export const Day = (props: FieldProps & { value?: string | null | undefined }) => {
  const field = useField(props, props.value);
  return (
    <Field {...props} field={field}>
      <input
        class="input"
        {...field.control}
        type="date"
        required={props.required}
        value={field.value}
      />
    </Field>
  );
};

/** An hour and a minute, `14:30` as it is sent. */
export const Hour = (props: FieldProps & { value?: string | null | undefined }) => {
  const field = useField(props, props.value);
  return (
    <Field {...props} field={field}>
      <input
        class="input"
        {...field.control}
        type="time"
        required={props.required}
        value={field.value}
      />
    </Field>
  );
};

/** One choice of a list: what is sent, and its words. */
export type Option = { value: string; name: string };

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
  return (
    <Field {...props} field={field} say={say}>
      <span class="select">
        <select class="input" {...field.control} required={props.required}>
          {props.none !== undefined && <option value="">{props.none}</option>}
          {props.options.map(({ value, name }) => (
            <option value={value} selected={value === field.value}>
              {name}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
    </Field>
  );
};

/** Yes or no. Sends `on`, or nothing. */
export const Check = (
  props: FieldProps & { checked?: boolean; value?: string; children?: ComponentChild },
) => {
  const { refused, within } = useForm();
  const { name, label, value = 'on' } = props;
  const isChecked = refused ? refused.fields.all(name).includes(value) : (props.checked ?? false);
  const id = `${idOf(name, within)}${value === 'on' ? '' : `-${idOf(value).slice(2)}`}`;
  return (
    <div class="check">
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        checked={isChecked}
        aria-describedby={props.hint ? `${id}-hint` : undefined}
      />
      <label for={id}>
        {label}
        {props.hint && (
          <span class="hint" id={`${id}-hint`}>
            {props.hint}
          </span>
        )}
        {props.children}
      </label>
    </div>
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
      {field.words && (
        <p class="refusal" id={`${field.id}-fault`}>
          <Icon name="circle-alert" />
          <span>{field.words}</span>
        </p>
      )}
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

/** A single button that sends something: mark as read, archive. */
export const Act = ({
  action,
  fields = {},
  look = 'button',
  label,
  children,
}: {
  action: string;
  fields?: Record<string, string>;
  look?: string;
  label?: string;
  children: ComponentChild;
}) => (
  <form class="act" method="post" action={action}>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button class={look} aria-label={label}>
      {children}
    </button>
  </form>
);
