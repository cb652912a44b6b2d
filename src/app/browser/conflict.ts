import { closeEdit } from './edits.ts';
import { renewPage } from './live.ts';
import { announce } from './page.ts';

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
  if (await renewPage()) announce(`${edit.dataset.label}: ${words.replace('Use ', '')} is kept.`);
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
