import { openDialog, startDialog } from './dialogs.ts';
import { holdKeys, pressAgain } from './held-keys.ts';
import { asMember, startPart } from './page.ts';

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
  const dialog = dialogWith(form, page.querySelector('h1')?.textContent ?? '');
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

const dialogWith = (form: HTMLFormElement, title: string) => {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog';
  dialog.id = 'in-dialog';
  dialog.setAttribute('aria-labelledby', 'in-dialog-title');
  const [head, heading, body] = ['header', 'h2', 'div'].map((tag) => document.createElement(tag));
  if (!head || !heading || !body) throw new Error('A dialog has three parts.');
  heading.id = 'in-dialog-title';
  heading.textContent = title;
  head.append(heading);
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
