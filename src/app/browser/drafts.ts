import { counted } from '../numbers.ts';
import { announce, firstFieldIn } from './page.ts';
import { isChanged } from './typed.ts';

const prefix = 'draft:';
const member = () => document.body.dataset.member ?? '';

/** Where the drafts of a form are kept in this browser: the key of one, or the start of several. */
export const placeOf = (form: HTMLFormElement) => placeNamed(form.dataset.draft);

export const placeNamed = (draft: string | undefined) => `${prefix}${member()}:${draft}`;

/** The places of the drafts that a page has filled in: renewed, it still says so. */
const filledIn = new Set<string>();

/** Keeps what is typed into a form in this browser until it is saved. */
export const startDraft = (form: HTMLFormElement) => {
  notByBrowser(form);
  const place = placeOf(form);
  const kept = draftAt(place);
  // A refused form has what was typed.
  if (kept && !isRefused(form)) {
    if (fill(form, kept.fields)) filledIn.add(place);
    if (!isChanged(form)) forget(place);
    else if (filledIn.has(place)) note(form);
  }
  form.addEventListener('input', () => keep(form, place));
  form.addEventListener('reset', () => forget(place));
};

/**
 * Keeps the browser from filling in by itself, after Back or a reload, what was typed before. Without
 * scripts it may: there are no drafts.
 */
export const notByBrowser = (form: HTMLFormElement) => {
  form.autocomplete = 'off';
};

/**
 * What was typed, by the names of the fields, and when: by this computer's clock. `chosen` is what an
 * island of the form holds besides, as its hidden input says it.
 */
export type Draft = {
  at: number;
  fields: Record<string, string>;
  chosen?: string | undefined;
  /** The id of the field that was typed into last. */
  last?: string | undefined;
};

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const controlsIn = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (one): one is Control =>
      (one instanceof HTMLInputElement && !['hidden', 'password', 'file'].includes(one.type)) ||
      one instanceof HTMLTextAreaElement ||
      one instanceof HTMLSelectElement,
  );

const isTicked = (one: Control): one is HTMLInputElement =>
  one instanceof HTMLInputElement && ['checkbox', 'radio'].includes(one.type);

/** Whether a form is shown again because it was refused. */
export const isRefused = (form: HTMLFormElement) => form.querySelector('[data-focus]') !== null;

/** Keeps what a form holds. A form that holds what it came with has no draft, unless that is another form's text. */
export const keep = (form: HTMLFormElement, place: string) => {
  const chosen = form.querySelector<HTMLInputElement>('[data-kept]')?.value;
  const { insteadOf } = form.dataset;
  if (!isChanged(form) && !isRefused(form) && !chosen && !insteadOf) return forget(place);
  const fields: Draft['fields'] = {};
  for (const one of controlsIn(form)) {
    if (!isTicked(one)) fields[one.name] = one.value;
    else if (one.checked) fields[`${one.name}=${one.value}`] = 'on';
  }
  const focused = document.activeElement;
  const last = form.contains(focused) ? focused?.id : undefined;
  keepAt(place, { at: Date.now(), fields, chosen, last });
};

export const keepAt = (place: string, draft: Draft) => {
  try {
    localStorage.setItem(place, JSON.stringify(draft));
  } catch {
    // A private window stores nothing. The form itself still has the text.
  }
};

/** The draft at a place. An older version kept the fields alone. */
export const draftAt = (place: string): Draft | undefined => {
  const text = localStorage.getItem(place);
  if (!text) return undefined;
  const held = JSON.parse(text) as Partial<Draft>;
  return { ...held, at: held.at ?? 0, fields: held.fields ?? (held as Draft['fields']) };
};

export const forget = (place: string) => {
  localStorage.removeItem(place);
  filledIn.delete(place);
};

/** Fills a form with a draft; false if it holds that already. */
export const fill = (form: HTMLFormElement, fields: Draft['fields']): boolean => {
  let isOther = false;
  for (const one of controlsIn(form)) {
    const before = isTicked(one) ? one.checked : one.value;
    if (isTicked(one)) one.checked = `${one.name}=${one.value}` in fields;
    else if (one.name in fields) one.value = fields[one.name] ?? '';
    if (before === (isTicked(one) ? one.checked : one.value)) continue;
    isOther = true;
    const folded = one.closest('details');
    if (folded && form.contains(folded)) folded.open = true;
  }
  return isOther;
};

const note = (form: HTMLFormElement) => {
  const place = placeOf(form);
  form.querySelector(':scope > .not-saved')?.remove();
  const words = document.createElement('p');
  words.className = 'not-saved';
  words.textContent = 'Not saved yet: your text from before. ';
  const drop = document.createElement('button');
  drop.type = 'button';
  drop.className = 'button small';
  drop.textContent = 'Discard';
  drop.addEventListener('click', () => {
    const dropped = draftAt(place);
    form.reset();
    words.remove();
    firstFieldIn(form)?.focus();
    announce('Discarded.', dropped && (() => bringBack(place, dropped)));
  });
  words.append(drop);
  form.prepend(words);
};

/** Puts a text that was dropped into its form again. One that was typed since is not mixed with it. */
const bringBack = (place: string, draft: Draft) => {
  const forms = [...document.querySelectorAll<HTMLFormElement>('form[data-draft]')];
  const form = forms.find((one) => placeOf(one) === place);
  const newer = form && isChanged(form) ? draftAt(place) : undefined;
  keepAt(place, draft);
  if (!form) return;
  fill(form, draft.fields);
  filledIn.add(place);
  note(form);
  if (newer) announce('Your newer text was discarded.', () => bringBack(place, newer));
};

/** Removes the draft of a form that was saved or is left on purpose. */
export const forgetDraft = (form: HTMLFormElement) => {
  if (form.dataset.draft !== undefined) forget(form.dataset.keptAt ?? placeOf(form));
};

/** The places of all drafts in this browser that begin so. */
export const placesFrom = (start: string) =>
  Object.keys(localStorage).filter((key) => key.startsWith(start));

/** Signing out asks first, and then clears the drafts in this browser. */
export const startSignOut = (form: HTMLFormElement) =>
  form.addEventListener('submit', askAtSignOut);

const askAtSignOut = (event: SubmitEvent) => {
  const drafts = placesFrom(prefix);
  const words = `You have ${counted(drafts.length, 'unsaved text')} in this browser. Sign out and discard ${drafts.length === 1 ? 'it' : 'them'}?`;
  if (drafts.length > 0 && !confirm(words)) return event.preventDefault();
  for (const place of [...drafts, ...placesFrom('seen:'), ...placesFrom('undo:')]) forget(place);
};
