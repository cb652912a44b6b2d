import { counted } from '../numbers.ts';
import { announce } from './page.ts';

const prefix = 'draft:';
const member = () => document.body.dataset.member ?? '';
const nameOf = (form: HTMLFormElement) => `${prefix}${member()}:${form.dataset.draft}`;

/** Keeps what is typed into a form in this browser until it is saved. */
export const startDraft = (form: HTMLFormElement) => {
  restore(form);
  form.addEventListener('input', () => keep(form));
};

type Kept = Record<string, string>;

const controlsIn = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (one): one is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
      (one instanceof HTMLInputElement && !['hidden', 'password', 'file'].includes(one.type)) ||
      one instanceof HTMLTextAreaElement ||
      one instanceof HTMLSelectElement,
  );

const isTicked = (one: Element) =>
  one instanceof HTMLInputElement && ['checkbox', 'radio'].includes(one.type);

const keep = (form: HTMLFormElement) => {
  const kept: Kept = {};
  for (const one of controlsIn(form)) {
    if (!isTicked(one)) kept[one.name] = one.value;
    else if ((one as HTMLInputElement).checked) kept[`${one.name}=${one.value}`] = 'on';
  }
  try {
    localStorage.setItem(nameOf(form), JSON.stringify(kept));
  } catch {
    // A private window stores nothing. The form itself still has the text.
  }
};

const restore = (form: HTMLFormElement) => {
  const text = localStorage.getItem(nameOf(form));
  if (!text || form.querySelector('[data-focus]')) return;
  const kept = JSON.parse(text) as Kept;
  let isOther = false;
  for (const one of controlsIn(form)) {
    if (isTicked(one)) {
      const wasTicked = `${one.name}=${one.value}` in kept;
      isOther ||= (one as HTMLInputElement).checked !== wasTicked;
      (one as HTMLInputElement).checked = wasTicked;
    } else if (one.name in kept) {
      isOther ||= one.value !== kept[one.name];
      one.value = kept[one.name] ?? '';
    }
  }
  if (isOther) note(form);
  else localStorage.removeItem(nameOf(form));
};

const note = (form: HTMLFormElement) => {
  const words = document.createElement('p');
  words.className = 'not-saved';
  words.textContent = 'Not saved yet: this is what you typed before. ';
  const drop = document.createElement('button');
  drop.type = 'button';
  drop.className = 'button small';
  drop.textContent = 'Discard it';
  drop.addEventListener('click', () => {
    localStorage.removeItem(nameOf(form));
    form.reset();
    words.remove();
    announce('Discarded.');
  });
  words.append(drop);
  form.prepend(words);
};

/** Removes the draft of a form that was saved. */
export const forgetDrafts = (form: HTMLFormElement) => {
  if (form.dataset.draft !== undefined) localStorage.removeItem(nameOf(form));
};

const mine = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

/** Signing out asks first, and then clears the drafts in this browser. */
export const startSignOut = (form: HTMLFormElement) =>
  form.addEventListener('submit', askAtSignOut);

const askAtSignOut = (event: SubmitEvent) => {
  const drafts = mine();
  const words = `You have ${counted(drafts.length, 'unsaved text')} in this browser. Sign out and discard ${drafts.length === 1 ? 'it' : 'them'}?`;
  if (drafts.length > 0 && !confirm(words)) return event.preventDefault();
  for (const key of [
    ...drafts,
    ...Object.keys(localStorage).filter((key) => key.startsWith('seen:')),
  ])
    localStorage.removeItem(key);
};
