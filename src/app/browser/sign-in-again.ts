/** Signing in over a page whose session has ended. Loaded when that happens. */
import { isRefused, postOnce, whyNotSigned } from './ask.ts';

let underWay: Promise<boolean> | undefined;

/**
 * Shows the sign-in over the page, which stays as it is, with everything that was typed. Only the
 * member of this page can sign in there. Returns whether they did.
 */
export const signInAgain = (): Promise<boolean> =>
  (underWay ??= ask().finally(() => {
    underWay = undefined;
  }));

const ask = async (): Promise<boolean> => {
  const answer = await fetch(`/sign-in?member=${document.body.dataset.member}`, {
    headers: { accept: 'text/html' },
  }).catch(() => undefined);
  if (!answer?.ok) return false;
  // They have signed in elsewhere, and were sent on.
  if (answer.redirected) return true;
  const dialog = newDialog();
  put(dialog, await answer.text());
  const opener = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  focusIn(dialog);
  const isIn = await outcomeOf(dialog);
  dialog.close();
  dialog.remove();
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  if (isIn) document.dispatchEvent(new Event('signed-in'));
  return isIn;
};

/** The result: true when the member is signed in, false when the dialog is closed. */
const outcomeOf = (dialog: HTMLDialogElement) =>
  new Promise<boolean>((resolve) => {
    dialog.addEventListener('cancel', () => resolve(false));
    dialog.addEventListener('submit', (event) => {
      const form = event.target as HTMLFormElement;
      if (form.method === 'dialog') return resolve(false);
      event.preventDefault();
      event.stopPropagation();
      void send(dialog, form).then((isIn) => isIn && resolve(true));
    });
  });

const send = async (dialog: HTMLDialogElement, form: HTMLFormElement): Promise<boolean> => {
  if (form.ariaBusy === 'true') return false;
  form.ariaBusy = 'true';
  const words = await whyNotSigned(form);
  const answer = words === undefined ? await postOnce(form.action, new FormData(form)) : undefined;
  form.ariaBusy = null;
  if (answer && isRefused(answer)) put(dialog, await answer.text());
  else if (answer?.status !== 200) say(form, words ?? 'The server does not answer. Try again.');
  else {
    const { goTo } = (await answer.json()) as { goTo: string };
    if (!goTo.startsWith('/sign-in/code')) return true;
    const next = await fetch(goTo, { headers: { accept: 'text/html' } });
    put(dialog, await next.text());
  }
  focusIn(dialog);
  return false;
};

const newDialog = () => {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog slim';
  dialog.setAttribute('aria-labelledby', 'again-title');
  const header = document.createElement('header');
  const title = document.createElement('h2');
  title.id = 'again-title';
  title.textContent = 'You are signed out';
  const closes = document.createElement('form');
  closes.method = 'dialog';
  const button = document.createElement('button');
  button.className = 'button quiet';
  button.textContent = 'Not now';
  closes.append(button);
  header.append(title, closes);
  const body = document.createElement('div');
  body.className = 'body stack tight';
  dialog.append(header, body);
  return dialog;
};

/** Puts the box of a sign-in page into the dialog. */
const put = (dialog: HTMLDialogElement, text: string) => {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const box = page.querySelector('.box');
  const body = dialog.querySelector('.body');
  if (!box || !body) return;
  const words = document.createElement('p');
  words.textContent = 'What you typed is still here. Sign in, and it is sent.';
  body.replaceChildren(words, ...[...box.childNodes].map((node) => document.adoptNode(node)));
  const email = body.querySelector<HTMLInputElement>('[name=email]');
  if (!email) return;
  email.value = document.body.dataset.email ?? '';
  email.readOnly = true;
};

const focusIn = (dialog: HTMLDialogElement) =>
  dialog.querySelector<HTMLElement>('[name=password], [name=code]')?.focus();

const say = (form: HTMLFormElement, words: string) => {
  form.querySelector('[role=alert]')?.remove();
  const banner = document.createElement('p');
  banner.className = 'banner danger';
  banner.role = 'alert';
  banner.textContent = words;
  form.prepend(banner);
};
