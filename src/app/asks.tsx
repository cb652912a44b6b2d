/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Cancel, Dialog } from './dialog.tsx';
import { Act } from './form.tsx';

type AsksProps = {
  id: string;
  /** The question: `Delete L-0041?` */
  title: string;
  /** What happens then, and how it can be undone. */
  children: ComponentChildren;
  action: string;
  fields?: Record<string, string> | undefined;
  /** The button that does it. */
  verb: string;
  /** The button that does nothing: by default `Cancel`. */
  back?: string;
  /** It ends something: the button is red. */
  isEnd?: boolean;
  /** Another way to do it, with a button of its own before that. */
  also?: { verb: string; fields: Record<string, string> };
};

/**
 * Asks before something is done that is not simply undone. `<Opens dialog={id}>` opens it. If it is
 * refused, the page says why.
 */
export const Asks = ({
  id,
  title,
  children,
  action,
  fields = {},
  verb,
  back,
  isEnd,
  also,
}: AsksProps) => (
  <Dialog id={id} title={title} class="slim">
    {children}
    <div class="row end after">
      <Cancel>{back}</Cancel>
      {also && (
        <Act action={action} fields={also.fields} class={isEnd ? 'button danger' : 'button'}>
          {also.verb}
        </Act>
      )}
      <Act action={action} fields={fields} class={isEnd ? 'button danger' : 'button primary'}>
        {verb}
      </Act>
    </div>
  </Dialog>
);

/** Asks before a record is deleted. What is deleted can be restored under Settings. */
export const AsksDelete = ({
  kind,
  name,
  action,
  children,
}: {
  /** The records of this kind under Settings, Deleted records. */
  kind: 'leads' | 'matters' | 'contacts';
  /** What is deleted: its number, or its name. */
  name: string;
  action: string;
  children: ComponentChildren;
}) => (
  <Asks id="delete" title={`Delete ${name}?`} action={action} verb="Delete" isEnd>
    {children}
    <p class="muted">
      It can be restored under{' '}
      <a href={`/settings/deleted?kind=${kind}`}>Settings, Deleted records</a>.
    </p>
  </Asks>
);
