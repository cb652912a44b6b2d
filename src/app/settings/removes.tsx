/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { Asks } from '../asks.tsx';
import { Opens } from '../dialog.tsx';
import { Icon } from '../icon.tsx';

type RemovesProps = {
  /** What the question's id ends with: it tells the entry from all others of the page. */
  of: string;
  /** What is removed. */
  name: string;
  action: string;
  fields?: Record<string, string>;
  /** The word for it, if it is not `Remove`. */
  verb?: string;
  /** The button that asks says the word; by default it shows a bin. */
  class?: string;
  /** What happens then: a sentence. */
  children: ComponentChild;
};

/**
 * A button beside an entry that asks whether it is to be removed. It sends the name too: the page says
 * what was removed.
 */
export const Removes = ({
  of,
  name,
  action,
  fields = {},
  verb = 'Remove',
  class: className,
  children,
}: RemovesProps) => {
  const id = `remove-${encodeURIComponent(of)}`;
  return (
    <>
      <Opens dialog={id} class={className ?? 'button quiet icon-only'}>
        {className === undefined ? (
          <>
            <Icon name="trash-2" />
            <span class="hide">
              {verb} {name}
            </span>
          </>
        ) : (
          <>
            {verb}
            <span class="hide"> {name}</span>
          </>
        )}
      </Opens>
      <Asks
        id={id}
        title={`${verb} ${name}?`}
        action={action}
        fields={{ ...fields, name }}
        verb={verb}
        isEnd
      >
        <p>{children}</p>
      </Asks>
    </>
  );
};
