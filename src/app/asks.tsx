/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import type { ListName } from '../views/table.ts';
import { Cancel, Dialog, Opens } from './dialog.tsx';
import { Act } from './form.tsx';
import { Icon } from './icon.tsx';

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

/** Opens `AsksDelete`, among what else can be done with a record. */
export const OpensDelete = () => (
  <Opens dialog="delete" class="item">
    <Icon name="trash-2" />
    Delete
  </Opens>
);

/** Asks before a record is deleted. What is deleted can be restored under Settings. */
export const AsksDelete = ({
  list,
  id,
  name,
  children,
}: {
  list: ListName;
  id: string;
  /** What is deleted: its number, or its name. */
  name: string;
  children: ComponentChildren;
}) => (
  <Asks id="delete" title={`Delete ${name}?`} action={`/${list}/${id}/delete`} verb="Delete" isEnd>
    {children}
    <p class="muted">
      It can be restored under{' '}
      <a href={`/settings/deleted?kind=${list}`}>Settings, Deleted records</a>.
    </p>
  </Asks>
);
