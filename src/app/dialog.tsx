/** @jsxImportSource preact */
import { type ComponentChild, type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { attributes, markup } from './markup.ts';

const DialogContext = createContext<string | undefined>(undefined);

/** The dialog around a form. It is open again if the form is refused. */
export const useDialog = () => useContext(DialogContext);

/**
 * A dialog of the page, closed until `<Opens dialog={id}>` opens it. Without a script the page is
 * loaded again with `?do=id` and shows it open.
 */
export const Dialog = ({
  id,
  title,
  children,
  class: className = '',
  popover = false,
}: {
  id: string;
  title: ComponentChildren;
  children: ComponentChildren;
  class?: string;
  /** A button with `popovertarget` opens it without a script: the page keeps what is ticked. */
  popover?: boolean;
}) => {
  const { visit } = useFrame();
  const isOpen = (visit.refused?.fields.raw('do') ?? visit.query.get('do')) === id;
  return markup`<dialog class="dialog ${className}" id="${id}" data-script="dialog" aria-labelledby="${id}-title"${attributes(
    { open: isOpen, popover: popover && 'auto' },
  )}><header><h2 id="${id}-title">${title}</h2><form method="dialog" id="${id}-close"><button class="button quiet icon-only" aria-label="Close" value="">${Icon(
    { name: 'x' },
  )}</button></form></header><div class="body">${<DialogContext.Provider value={id}>{children}</DialogContext.Provider>}</div></dialog>`;
};

/** The button that leaves the dialog around it, beside the one that sends something. */
export const Cancel = ({ children }: { children?: ComponentChild }) =>
  Leave({ dialog: useDialog(), children });

/** The same for a dialog that is known. */
export const Leave = ({
  dialog,
  children = 'Cancel',
}: {
  dialog: string | undefined;
  children?: ComponentChild;
}) => markup`<button class="button" form="${dialog}-close" value="">${children}</button>`;

/** A button that opens a dialog of the page. It works without a script. */
export const Opens = ({
  dialog,
  class: className = 'button',
  letter,
  children,
}: {
  dialog: string;
  class?: string;
  /** The key that presses the button. */
  letter?: string;
  children: ComponentChildren;
}) =>
  markup`<form class="opens" method="get"><button class="${className}" name="do" value="${dialog}" data-script="opens" data-opens="${dialog}"${attributes(
    { 'data-key': letter },
  )} aria-haspopup="dialog">${children}</button></form>`;

/** The button in a panel's head that opens the dialog to change what the panel shows. */
export const OpensChange = (props: { dialog: string; verb?: string; of: string }) => (
  <Opens dialog={props.dialog} class="button quiet">
    <Icon name="pencil" />
    {props.verb ?? 'Change'}
    <span class="hide"> {props.of}</span>
  </Opens>
);
