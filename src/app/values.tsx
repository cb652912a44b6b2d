/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { Form, idOf } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';

/** A record's values: what each is called, and what it is. */
export const Values = ({ children }: { children: ComponentChildren }) => (
  <dl class="values">{children}</dl>
);

type ValueProps = {
  label: string;
  /** What it says; nothing is shown as `none`. */
  shown: ComponentChild;
  none?: string;
  /** Where its edit is sent; a member who may not edit sees the value alone. */
  action?: string | undefined;
  /** The names of its fields, so that it opens again when one of them is refused. */
  names?: readonly string[];
  draft?: string;
  children?: ComponentChildren;
};

/** A value that is edited at its place: Enter or Save keeps it, Escape undoes. */
export const Value = (props: ValueProps) => {
  const { label, shown, none = 'Not said', action, names = [], draft, children } = props;
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
        <details class="edit" open={isOpen}>
          <summary
            class={isUnset ? 'value unset' : 'value'}
            data-key="e"
            id={`edit-${idOf(names[0] ?? label)}`}
          >
            <span class="hide">Edit {label}: </span>
            {isUnset ? none : shown}
            <Icon name="pencil" />
          </summary>
          <Form action={action} guarded look="in-place" names={names} {...(draft && { draft })}>
            {children}
            <div class="row">
              <button class="button primary">Save</button>
              <button class="button" type="reset" data-undoes>
                Cancel
              </button>
            </div>
          </Form>
        </details>
      </dd>
    </div>
  );
};
