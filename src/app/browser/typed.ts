/** What somebody has typed into a page stays in it when the page is shown anew. */

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Value = string | boolean | FileList | readonly string[] | null;

/** What fields hold, by their names; of ticks, by their names and values. */
export type Held = ReadonlyMap<string, Value>;

const controlsOf = (part: Element) =>
  [...part.querySelectorAll<Control>(':is(input, textarea, select)[name]')].map((control) => {
    const key = isTick(control) ? `${control.name}=${control.value}` : control.name;
    return { key, control };
  });

const isTick = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && /checkbox|radio/.test(control.type);

const isFile = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && control.type === 'file';

const isSeveral = (control: Control): control is HTMLSelectElement =>
  control instanceof HTMLSelectElement && control.multiple;

const contentOf = (control: Control): Value => {
  if (isTick(control)) return control.checked;
  if (isSeveral(control)) return [...control.selectedOptions].map(({ value }) => value);
  return isFile(control) ? control.files : control.value;
};

const put = (control: Control, value: Value) => {
  if (isTick(control)) control.checked = value === true;
  else if (isFile(control)) control.files = value as FileList;
  else if (typeof value === 'string') control.value = value;
  else if (Array.isArray(value) && isSeveral(control)) {
    for (const option of control.options) option.selected = value.includes(option.value);
  }
};

/** What the fields of an edit hold now, to `putInto` the edit that takes its place. */
export const heldIn = (edit: Element): Held =>
  new Map(controlsOf(edit).map(({ key, control }) => [key, contentOf(control)]));

export const putInto = (edit: Element, held: Held) => {
  for (const { key, control } of controlsOf(edit)) {
    const value = held.get(key);
    if (value !== undefined) put(control, value);
  }
};

/** The forms that stand on the page itself, not in a question over it or in a value that is edited in place. */
const formsIn = (page: ParentNode) =>
  [...page.querySelectorAll<HTMLFormElement>('form[method=post]')].filter(
    (form) => !form.closest('dialog, [popover], details.edit'),
  );

/** Those of a record's fields: they hold what the fields were when they came. */
export const recordFormsIn = (page: ParentNode) =>
  formsIn(page).filter((form) => form.querySelector('[name^="was."]'));

/**
 * What was changed in the forms of a page, each field with what it began with. Not in a form that was
 * answered: it begins anew, or its refusal has what was typed. What was refused before is typed, too.
 */
export const typedIn = (page: ParentNode): (readonly [HTMLFormElement, Held])[] =>
  formsIn(page)
    .filter((form) => form.dataset.answered === undefined)
    .map((form) => [form, typedInto(form)] as const)
    .filter(([, held]) => held.size > 0);

const typedInto = (form: HTMLFormElement): Held => {
  const isRefused = form.querySelector('[data-focus]') !== null;
  const changed = new Set<Element>(changedIn(form));
  const isTyped = (one: Control) => (isRefused && one.type !== 'hidden') || changed.has(one);
  const controls = controlsOf(form);
  const names = new Set(
    controls.filter(({ control }) => isTyped(control)).map(({ control }) => control.name),
  );
  const goesAlong = ({ control }: (typeof controls)[number]) =>
    isTyped(control) || (/^was\./.test(control.name) && names.has(control.name.slice(4)));
  return new Map(
    controls.filter(goesAlong).map(({ key, control }) => [key, contentOf(control)] as const),
  );
};

/**
 * Puts what was typed into the same forms of the page that takes the place of theirs, and why it could not
 * be sent.
 */
export const typeAgain = (page: ParentNode, typed: ReturnType<typeof typedIn>) => {
  const forms = formsIn(page);
  for (const [form, held] of typed) {
    const like = forms.filter((one) => kindOf(one) === kindOf(form));
    const same = like.find((one) => fixedIn(one) === fixedIn(form));
    const next = same ?? (like.length === 1 ? like[0] : undefined);
    if (!next) continue;
    putInto(next, held);
    next.prepend(...form.querySelectorAll(':scope > [data-failed]'));
  }
};

/** Where a form sends what. */
const kindOf = (form: HTMLFormElement) => {
  const names = controlsOf(form).map(({ control }) => control.name);
  return JSON.stringify([form.getAttribute('action'), [...new Set(names)]]);
};

/** What it sends besides what is typed, to tell it from others of its kind. */
const fixedIn = (form: HTMLFormElement) =>
  JSON.stringify(
    controlsOf(form)
      .filter(({ control }) => control.type === 'hidden' && !/^was\.|^once$/.test(control.name))
      .map(({ control }) => [control.name, control.value]),
  );

/** Whether a form holds something else than when it came. */
export const isChanged = (form: HTMLFormElement) => changedIn(form).length > 0;

/** The fields of a form that hold something else than when it came. */
export const changedIn = (form: HTMLFormElement) =>
  [...form.elements].filter((one) => {
    if (one instanceof HTMLSelectElement) return isOtherChoice(one);
    if (one instanceof HTMLTextAreaElement) return one.value !== one.defaultValue;
    if (!(one instanceof HTMLInputElement) || one.type === 'hidden') return false;
    return ['checkbox', 'radio'].includes(one.type)
      ? one.checked !== one.defaultChecked
      : one.value !== one.defaultValue;
  });

const isOtherChoice = (list: HTMLSelectElement) => {
  const options = [...list.options];
  const wasSaid = options.some((option) => option.defaultSelected);
  if (!wasSaid && !list.multiple) return list.selectedIndex > 0;
  return options.some((option) => option.selected !== option.defaultSelected);
};
