import { noteInAddress, onPart } from './page.ts';

let opener: HTMLElement | undefined;

/** Opens dialogs in place. Afterwards the focus returns to the button. */
export const startDialogs = () => {
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-opens]');
    if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (openDialog(button.dataset.opens ?? '', button)) event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    // A click on the backdrop closes the dialog.
    const dialog = event.target;
    if (!(dialog instanceof HTMLDialogElement) || dialog.dataset.stays !== undefined) return;
    const box = dialog.getBoundingClientRect();
    const isInside =
      event.clientX >= box.left &&
      event.clientX <= box.right &&
      event.clientY >= box.top &&
      event.clientY <= box.bottom;
    if (!isInside) dialog.close();
  });
  document.addEventListener(
    'toggle',
    ({ target }) => {
      const isEdit = target instanceof HTMLDetailsElement && target.matches('.edit[open]');
      const control = isEdit && target.querySelector<HTMLElement>('.input');
      if (control) control.focus();
    },
    { capture: true },
  );
  onPart((part) => {
    for (const dialog of part.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
      dialog.removeAttribute('open');
      dialog.showModal();
      withoutDialog(dialog);
      const refused = dialog.querySelector<HTMLElement>('[data-focus]');
      (refused ?? firstIn(dialog))?.focus();
    }
  });
};

/** Opens a dialog of the page; false if there is none with this name. */
export const openDialog = (id: string, from?: HTMLElement): boolean => {
  const dialog = document.getElementById(id);
  if (!(dialog instanceof HTMLDialogElement)) return false;
  opener = from ?? (document.activeElement as HTMLElement);
  opener.closest<HTMLElement>('[popover]')?.hidePopover();
  if (!dialog.open) dialog.showModal();
  firstIn(dialog)?.focus();
  dialog.addEventListener('close', () => opener?.isConnected && opener.focus(), { once: true });
  return true;
};

/** What is filled in first. */
const firstIn = (dialog: HTMLElement) =>
  dialog.querySelector<HTMLElement>('[autofocus]') ??
  dialog.querySelector<HTMLElement>(
    '.ask input, .body input:not([type=hidden]), .body select, .body textarea',
  );

/** A closed dialog is removed from the address. */
const withoutDialog = (dialog: HTMLDialogElement) =>
  dialog.addEventListener('close', () => noteInAddress('do', null), { once: true });
