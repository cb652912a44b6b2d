import { renewPage } from './live.ts';
import { announce } from './page.ts';
import { heldIn, isChanged, putInto } from './typed.ts';

/** A choice is saved this long after the last change, so that arrow keys through a list save once. */
const choosingMilliseconds = 600;

/**
 * A value that is edited in place is saved by Enter, or when the focus leaves it; a choice also a
 * moment after it was made. Escape and Cancel undo the edit. Notes and other long texts have a button.
 */
export const startEdit = (edit: HTMLDetailsElement) => {
  const form = edit.querySelector<HTMLFormElement>('form');
  const savesItself = form?.matches('details:not(.stays) > .in-place');
  const undo = () => undoEdit(edit);
  edit.addEventListener('toggle', () => {
    if (!edit.open || form?.contains(document.activeElement)) return;
    form?.querySelector<HTMLElement>('.input, input:not([type=hidden])')?.focus();
  });
  form?.querySelector('[type=reset]')?.addEventListener('click', undo);
  edit.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && edit.open) {
      event.preventDefault();
      return undo();
    }
    const isChosen = event.key === 'Enter' && event.target instanceof HTMLSelectElement;
    if (!isChosen || !savesItself) return;
    event.preventDefault();
    form?.requestSubmit();
  });
  if (!form || !savesItself) return;
  whenLeft(form, () => leave(form));
  if (isChoice(form)) whenChosen(form, () => saveChoice(form));
};

/** Whether an edit has choices, or names to tick, and nothing else. */
const isChoice = (form: HTMLFormElement) => {
  const controls = [...form.elements].filter(
    (one) => one.matches('select, textarea') || one.matches('input:not([type=hidden])'),
  );
  const areTicks = controls.every((one) => one.matches('[type=checkbox], [type=radio]'));
  return areTicks || controls.every((one) => one instanceof HTMLSelectElement);
};

const whenChosen = (form: HTMLElement, then: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener('change', () => {
    clearTimeout(timer);
    timer = setTimeout(then, choosingMilliseconds);
  });
};

/** Saves a choice. Of several, more may be chosen: the edit stays open for the next. */
const saveChoice = (form: HTMLFormElement) => {
  if (!form.isConnected || !form.closest('details')?.open || !isChanged(form)) return;
  const areSeveral = form.querySelectorAll('select').length > 1;
  if (areSeveral || form.querySelector('[type=checkbox], select[multiple]'))
    form.dataset.stays = '';
  form.requestSubmit();
};

/** Opens the edit of a value again, after its page was renewed, where it was. */
export const reopenEdit = (id: string, { name, value }: HTMLInputElement) => {
  const edit = document.getElementById(id)?.closest<HTMLDetailsElement>('details.edit');
  if (!edit) return;
  edit.open = true;
  const same = `[name="${CSS.escape(name)}"]`;
  const control =
    edit.querySelector<HTMLElement>(`${same}[value="${CSS.escape(value)}"]`) ??
    edit.querySelector<HTMLElement>(same);
  control?.focus();
};

/**
 * What is chosen while the choice before is being saved is saved after it, in the edit that has then
 * taken the place of this one; undefined if nothing was.
 */
export const chosenSince = (form: HTMLFormElement, sent: FormData): (() => void) | undefined => {
  const edit = form.closest<HTMLDetailsElement>('details.edit');
  const id = edit?.querySelector('summary')?.id;
  if (!edit || !id || !isChoice(form) || asText(new FormData(form)) === asText(sent)) return;
  const held = new Map([...heldIn(edit)].filter(([key]) => !isHiddenIn(form, key)));
  return () => {
    const now = document.getElementById(id)?.closest<HTMLDetailsElement>('details.edit');
    const next = now?.querySelector('form');
    if (!now || !next) return;
    putInto(now, held);
    if (now.open) next.dataset.stays = '';
    next.requestSubmit();
  };
};

const asText = (data: FormData) => JSON.stringify([...data]);

/** What a form began with goes along as it is now. */
const isHiddenIn = (form: HTMLFormElement, name: string) =>
  form.querySelector(`[type=hidden][name="${CSS.escape(name)}"]`) !== null;

/** Closes an edit. If it had the focus, its value has it then. */
export const closeEdit = (edit: HTMLDetailsElement) => {
  const hadFocus = edit.contains(document.activeElement);
  edit.open = false;
  if (hadFocus) edit.querySelector('summary')?.focus();
};

/** Undoes an edit, and gives the focus back to its value. */
export const undoEdit = (edit: HTMLDetailsElement) => {
  edit.querySelector('form')?.reset();
  edit.open = false;
  edit.querySelector('summary')?.focus();
};

/**
 * The focus goes elsewhere, and not because the window loses it, or because the edit is closed: it may
 * be open again by then.
 */
const whenLeft = (form: HTMLElement, then: () => void) => {
  // Some browsers do not focus a pressed button. Pressing Cancel must not count as leaving the
  // field.
  let isPressed = false;
  form.addEventListener('pointerdown', () => {
    isPressed = true;
    setTimeout(() => (isPressed = false));
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    const stays = relatedTarget instanceof Node ? form.contains(relatedTarget) : isPressed;
    const isOpen = form.closest('details')?.open;
    if (!stays && isOpen && document.hasFocus()) setTimeout(then);
  });
};

/** Saves a changed value. An edit without a change closes. */
const leave = (form: HTMLFormElement) => {
  const edit = form.closest('details');
  if (!form.isConnected || !edit?.open || form.querySelector('[role=alert]')) return;
  if (isChanged(form)) form.requestSubmit();
  else edit.open = false;
};

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const formOf = (button: HTMLElement) => button.closest('form') as HTMLFormElement;

/** In a long form the line about somebody else's change goes, and the field has the focus. */
const goOn = (button: HTMLElement) => {
  const field = button.closest('.field, fieldset');
  button.closest('.theirs')?.remove();
  field?.querySelector<HTMLElement>('.input, input:not([type=hidden])')?.focus();
};

/** Takes the other person's value. An edit in place is over then: the record has that value. */
export const startTakes = (button: HTMLElement) =>
  button.addEventListener('click', () => {
    const form = formOf(button);
    const edit = form.closest<HTMLDetailsElement>('details.edit');
    if (edit) return void endEdit(edit, button.textContent.trim());
    const { takes = '', for: name } = button.dataset;
    for (const one of form.elements) if ((one as Control).name === name) put(one as Control, takes);
    goOn(button);
  });

const endEdit = async (edit: HTMLDetailsElement, words: string) => {
  closeEdit(edit);
  if (await renewPage()) announce(`${edit.dataset.label}: ${words.replace('Use ', '')} is saved.`);
};

/** Puts a text into a control, as a form sends it: of several, one in each line. */
const put = (control: Control, text: string) => {
  const values = new Set(text.split('\n'));
  if (control instanceof HTMLSelectElement && control.multiple) {
    for (const option of control.options) option.selected = values.has(option.value);
  } else if (control instanceof HTMLInputElement && control.type === 'checkbox') {
    control.checked = values.has(control.value);
  } else if (control instanceof HTMLInputElement && ['date', 'time'].includes(control.type)) {
    // A day and its time have one name.
    const isOfTime = control.type === 'time';
    control.value = [...values].find((one) => one.includes(':') === isOfTime) ?? '';
  } else control.value = text;
};

/** Keeps one's own value: an edit in place is saved at once, a long form with its button. */
export const startKeeps = (button: HTMLElement) =>
  button.addEventListener('click', () => {
    const form = formOf(button);
    if (form.closest('details.edit')) form.requestSubmit();
    else goOn(button);
  });
