/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { wordFault } from '../base/wording.ts';
import { originalName } from './fields.ts';
import { useForm } from './frame.tsx';
import { Icon } from './icon.tsx';

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
  /** The field has the focus when the page opens. */
  first?: boolean | undefined;
};

/** What a control needs: its id, its value, and its fault. */
export const useField = (
  { name, label, hint, first }: FieldProps,
  stored: string | null | undefined,
) => {
  const { refused, began, within } = useForm();
  const fault = refused?.refusal.faults.find(({ field }) => isOf(field, name));
  const id = idOf(name, within);
  const faultId = fault && `${fault.at === undefined ? id : idOf(fault.at, within)}-fault`;
  const describedBy = [hint ? `${id}-hint` : '', faultId].filter(Boolean).join(' ');
  const startedFrom = fault?.now ?? refused?.fields.raw(originalName(name)) ?? stored ?? '';
  return {
    id,
    value: refused?.fields.raw(name) ?? stored ?? '',
    words: fault && fault.at === undefined ? wordFault(fault, label) : undefined,
    fault,
    startedFrom: began ? startedFrom : undefined,
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
  children: ComponentChildren;
};

export const Field = ({ name, label, hint, required, field, say, children }: Around) => (
  <div class="field">
    <label for={field.id}>
      {label}
      {required === false && <span class="muted"> (optional)</span>}
    </label>
    {hint && (
      <p class="hint" id={`${field.id}-hint`}>
        {hint}
      </p>
    )}
    {children}
    {field.startedFrom !== undefined && (
      <input type="hidden" name={originalName(name)} value={field.startedFrom} />
    )}
    {field.words && (
      <p class="refusal" id={`${field.id}-fault`}>
        <Icon name="circle-alert" />
        <span>{field.words}</span>
      </p>
    )}
    {field.fault?.now !== undefined && <Theirs now={field.fault.now} name={name} say={say} />}
  </div>
);

/**
 * If two people changed the same field, shows the other person's value, with a button to take it.
 */
const Theirs = ({
  now,
  name,
  say = (value) => value,
}: {
  now: string;
  name: string;
  say: ((value: string) => string) | undefined;
}) => {
  const { refused, within } = useForm();
  const before = refused?.fields.raw(originalName(name)) ?? '';
  return (
    <div class="theirs">
      <p>
        Theirs: <b>{say(now) || 'empty'}</b>. Before: <b>{say(before) || 'empty'}</b>. Yours is in
        the field: save again to keep it.
      </p>
      <button
        class="button small"
        type="button"
        data-script="takes"
        data-takes={now}
        data-for={idOf(name, within)}
      >
        Take theirs
      </button>
    </div>
  );
};
