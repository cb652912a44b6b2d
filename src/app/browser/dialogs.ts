import { forgetDraft } from './drafts.ts';
import { buttonOf } from './menus.ts';
import { asMember, firstFieldIn, noteInAddress, startPart } from './page.ts';
import { holdKeys, pressAgain } from './pressing.ts';

let opener: HTMLElement | undefined;

const giveBackFocus = () => {
  if (opener?.isConnected) opener.focus();
};

/** Closes what is open over the page. The focus returns at once to what opened it. */
export const closeDialogs = () => {
  for (const menu of document.querySelectorAll<HTMLElement>('[popover]:popover-open'))
    menu.hidePopover();
  const open = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')];
  for (const dialog of open) dialog.close();
  if (open.length > 0) giveBackFocus();
};

/** Names what gets the focus when the dialog that is shown now is closed. */
export const returnsTo = (element: HTMLElement | null | undefined) => {
  opener = element ?? undefined;
};

/** A button that opens a dialog in place. Afterwards the focus returns to it. */
export const startOpens = (button: HTMLElement) =>
  button.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (openDialog(button.dataset.opens ?? '', button)) event.preventDefault();
  });

/** A dialog that comes open is shown over the page. A click on the backdrop closes it. */
export const startDialog = (dialog: HTMLDialogElement) => {
  dialog.addEventListener('click', ({ target, clientX, clientY }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const isInside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
    if (target === dialog && !isInside) dialog.close();
  });
  // Escape and Cancel, unlike a click beside it, also drop what was typed.
  const drop = () => {
    dialog.dataset.left = '';
    dialog.querySelectorAll('form').forEach(forgetDraft);
  };
  dialog.addEventListener('cancel', drop);
  dialog.addEventListener('submit', ({ target }) => {
    if ((target as HTMLFormElement).method === 'dialog') drop();
  });
  if (!dialog.open) return;
  dialog.removeAttribute('open');
  dialog.showModal();
  withoutDialog(dialog);
  opener = openerOf(dialog) ?? opener;
  dialog.addEventListener('close', giveBackFocus, { once: true });
  const refused = dialog.querySelector<HTMLElement>('[data-focus]');
  (refused ?? firstIn(dialog))?.focus();
};

/**
 * What on the page asks for this dialog, because one that comes with its page was opened by nothing
 * here. On a board it is the name of the card: the button's words change with the answer.
 */
const openerOf = ({ id }: HTMLElement) => {
  const name = CSS.escape(id);
  const asks = `main :is([data-opens="${name}"], button[name="do"][value="${name}"])`;
  const found = [...document.querySelectorAll<HTMLElement>(asks)];
  const button = found.find((one) => one.checkVisibility());
  return button?.closest('.card')?.querySelector('a') ?? button;
};

/** Opens a dialog of the page; false if there is none with this name. */
export const openDialog = (id: string, from?: HTMLElement): boolean => {
  const dialog = document.getElementById(id);
  if (!(dialog instanceof HTMLDialogElement)) return false;
  const button = from ?? (document.activeElement as HTMLElement);
  const menu = button.closest<HTMLElement>('[popover]');
  menu?.hidePopover();
  // A button of a menu is hidden with it: the focus returns to what opened the menu.
  opener = (menu && buttonOf(menu)) ?? button;
  if (!dialog.open) dialog.showModal();
  const first = firstIn(dialog);
  first?.focus();
  // What was searched for before is replaced by the first letter.
  if (first instanceof HTMLInputElement && first.closest('.ask')) first.select();
  dialog.addEventListener('close', giveBackFocus, { once: true });
  return true;
};

/** A dialog that only asks begins at the button that does nothing. */
const firstIn = (dialog: HTMLElement) =>
  firstFieldIn(dialog) ??
  dialog.querySelector<HTMLElement>(`.body [form="${CSS.escape(dialog.id)}-close"]`);

/**
 * A closed dialog is removed from the address. If another page had asked for it, Escape and Cancel lead back
 * there.
 */
const withoutDialog = (dialog: HTMLDialogElement) => {
  const isAskedElsewhere =
    new URLSearchParams(location.search).get('do') === dialog.id && cameFromElsewhere();
  const close = () => {
    noteInAddress('do', null);
    if (isAskedElsewhere && dialog.dataset.left !== undefined) history.back();
  };
  dialog.addEventListener('close', close, { once: true });
};

/** Whether the page was opened from another page of the application. */
const cameFromElsewhere = () => {
  const from = URL.parse(document.referrer);
  return from?.origin === location.origin && from.pathname !== location.pathname;
};

/** A link to a page with a form, which is shown over the present page. */
export const startInDialog = (link: HTMLAnchorElement) =>
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    // A key presses the link of a closed menu: the focus returns to where it was.
    void show(link, link.checkVisibility() ? link : (document.activeElement as HTMLElement));
  });

let isComing = false;

const show = async (link: HTMLAnchorElement, from: HTMLElement) => {
  if (isComing) return;
  isComing = true;
  const release = holdKeys();
  const text = await textOf(link.href).catch(() => '');
  const held = release();
  isComing = false;
  const page = new DOMParser().parseFromString(text, 'text/html');
  const form = page.querySelector<HTMLFormElement>('main #form');
  if (!form) return location.assign(link.href);
  const dialog = dialogWith(form, page);
  document.body.append(dialog);
  startDialog(dialog);
  startPart(dialog);
  openDialog(dialog.id, from);
  pressAgain(held);
};

const textOf = async (address: string) => {
  const headers = { accept: 'text/html', 'x-sent-by': 'dialog', ...asMember() };
  const answer = await fetch(address, { headers });
  return answer.ok && !answer.redirected ? await answer.text() : '';
};

/** A dialog with the form of a page. Its title and its cross are that page's own. */
const dialogWith = (form: HTMLFormElement, page: Document) => {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog';
  dialog.id = 'in-dialog';
  dialog.setAttribute('aria-labelledby', 'in-dialog-title');
  const [head, heading, body] = ['header', 'h2', 'div'].map((tag) => document.createElement(tag));
  if (!head || !heading || !body) throw new Error('A dialog has three parts.');
  heading.id = 'in-dialog-title';
  heading.textContent = page.querySelector('h1')?.textContent ?? '';
  head.append(heading);
  const cross = page.querySelector('dialog > header > form');
  if (cross) {
    cross.id = 'in-dialog-close';
    head.append(document.adoptNode(cross));
  }
  body.className = 'body';
  // The page's own form may have this id.
  form.removeAttribute('id');
  body.append(document.adoptNode(form));
  dialog.append(head, body);
  form.querySelector('[data-leaves]')?.addEventListener('click', (event) => {
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  return dialog;
};
