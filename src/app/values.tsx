/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { idOf } from './field.tsx';
import { Form } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';

/** A record's values with their labels. */
export const Values = ({ children }: { children: ComponentChildren }) => (
  <dl class="values">{children}</dl>
);

type ValueProps = {
  label: string;
  /** The value in words; without it, `none` is shown. */
  shown: ComponentChild;
  none?: string | undefined;
  /** The address for edits. Without it, the value cannot be edited. */
  action?: string | undefined;
  /** The names of its fields. If one is refused, the edit opens again. */
  names?: readonly string[];
  draft?: string;
  children?: ComponentChildren;
};

/** A value that is edited in place. Enter or Save stores it, Escape undoes the edit. */
export const Value = (props: ValueProps) => {
  const { label, shown, none = 'None', action, names = [], draft, children } = props;
  const { visit } = useFrame();
  const isUnset = shown === null || shown === undefined || shown === '';
  if (!action) {
    return (
      <div>
        <dt>{label}</dt>
        <dd class={isUnset ? 'static muted' : 'static'}>{isUnset ? none : shown}</dd>
      </div>
    );
  }
  const { refused } = visit;
  const isOpen = refused?.action === action && names.some((name) => refused.fields.has(name));
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <details class="edit" data-script="edit" open={isOpen}>
          <summary
            class={isUnset ? 'value unset' : 'value'}
            data-key="e"
            id={`edit-${idOf(names[0] ?? label)}`}
          >
            <span class="hide">Edit {label}: </span>
            {isUnset ? none : shown}
            <Icon name="pencil" />
          </summary>
          <Form action={action} class="in-place" names={names} {...(draft && { draft })}>
            {children}
            <SaveOrUndo />
          </Form>
        </details>
      </dd>
    </div>
  );
};

/** The buttons of an edit in place. */
export const SaveOrUndo = ({ save = 'Save' }: { save?: string }) => (
  <div class="row">
    <button class="button primary">{save}</button>
    <button class="button" type="reset">
      Cancel
    </button>
  </div>
);
