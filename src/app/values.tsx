/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { idOf } from './field.tsx';
import { Form } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { attributes, markup } from './markup.ts';
import { counted } from './numbers.ts';
import { Panel } from './page-parts.tsx';
import type { OpenVisit } from './visit.ts';

/** A record's values with their labels. */
export const Values = ({ children }: { children: ComponentChildren }) => (
  <dl class="values">{children}</dl>
);

/** A value with its label, and how it is edited. */
export type ValueProps = {
  label: string;
  /** The value in words; without it, `none` is shown. */
  shown: ComponentChild;
  none?: string | undefined;
  /** It has its place also if it is empty. */
  stands?: boolean | undefined;
  /** The address for edits. Without it, the value cannot be edited. */
  action?: string | undefined;
  /** The names of its fields. If one is refused, the edit opens again. */
  names?: readonly string[];
  draft?: string;
  children?: ComponentChildren;
};

/** The values of a record: those that are filled, and below them the empty ones, folded. */
export const DetailsPanel = ({ values }: { values: readonly ValueProps[] }) => {
  const isFolded = (value: ValueProps) => isUnset(value) && !value.stands;
  const empty = values.filter(isFolded);
  return (
    <Panel id="details" title="Details">
      <div class="body">
        <Values>
          {values
            .filter((value) => !isFolded(value))
            .map((value) => (
              <Value {...value} />
            ))}
        </Values>
        {empty.length > 0 && <Fold empty={empty} />}
      </div>
    </Panel>
  );
};

const Fold = ({ empty }: { empty: readonly ValueProps[] }) => {
  const { visit } = useFrame();
  return (
    <details class="fold" id="empty-fields" open={empty.some((value) => isRefused(value, visit))}>
      <summary>
        <Icon name="chevron-right" />
        {counted(empty.length, 'empty field')}
      </summary>
      <Values>
        {empty.map((value) => (
          <Value {...value} />
        ))}
      </Values>
    </details>
  );
};

const isUnset = ({ shown }: ValueProps) => shown === null || shown === undefined || shown === '';

/** Whether the edit of a value was refused, so that the page shows it open. */
const isRefused = ({ action, names = [] }: ValueProps, { refused }: Pick<OpenVisit, 'refused'>) =>
  refused !== undefined &&
  refused.action === action &&
  names.some((name) => refused.fields.has(name));

/** A value that is edited in place. Enter or Save stores it, Escape undoes the edit. */
export const Value = (props: ValueProps) => {
  const { label, shown, none = 'None', action, names = [], draft, children } = props;
  const { visit } = useFrame();
  const isEmpty = isUnset(props);
  const value = isEmpty ? none : shown;
  if (!action) {
    const className = isEmpty ? 'static muted' : 'static';
    return markup`<div><dt>${label}</dt><dd class="${className}">${value}</dd></div>`;
  }
  const open = isRefused(props, visit);
  const className = isEmpty ? 'value unset' : 'value';
  const id = `edit-${idOf(names[0] ?? label)}`;
  return markup`<div><dt>${label}</dt><dd><details class="edit" data-script="edit" data-label="${label}"${attributes(
    { open },
  )}><summary class="${className}" data-key="e" id="${id}"><span class="hide">Edit ${label}: </span>${value}${Icon(
    { name: 'pencil' },
  )}</summary>${(
    <Form action={action} class="in-place" names={names} {...(draft && { draft })}>
      {children}
      <SaveOrUndo />
    </Form>
  )}</details></dd></div>`;
};

/** The buttons of an edit in place. */
export const SaveOrUndo = ({ save = 'Save' }: { save?: string }) =>
  markup`<div class="row"><button class="button primary">${save}</button><button class="button" type="reset">Cancel</button></div>`;
