import type { Said } from '../visit.ts';
import { isRefused, whyNotSigned } from './ask.ts';
import { closeDialogs } from './dialogs.ts';
import { forgetDraft } from './drafts.ts';
import { chosenSince, closeEdit, reopenEdit } from './edits.ts';
import { renewPage } from './live.ts';
import { announce, firstFieldIn, focusTitle, showPage } from './page.ts';
import { post } from './post.ts';
import { changeSaid, keepUndo, say, sayThere } from './said.ts';

/**
 * Sends forms without leaving the page. Refusals appear in place, the history gets no second entry,
 * and nothing is sent twice. Without this script the browser sends forms itself.
 */
export const startForms = () => {
  document.addEventListener('keydown', sendByKey);
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    const asksOnly = event.submitter?.getAttribute('formmethod') === 'get';
    const isOurs = form.method === 'post' && form.dataset.whole === undefined;
    // A day that is typed by half would be left out without a word.
    const isPlain = form.method === 'get' && !form.dataset.script;
    const unread = isPlain ? unreadIn(form) : undefined;
    if (unread) {
      event.preventDefault();
      return refuse(form, unread);
    }
    if (event.defaultPrevented || !isOurs || asksOnly) return;
    event.preventDefault();
    void send(form, event.submitter);
  });
};

/** Ctrl+Enter in any field sends its form: in a text area Enter begins a new line, a choice it opens. */
const sendByKey = (event: KeyboardEvent) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const field = (event.target as Element).closest<Field>('input, select, textarea');
  const form = field?.form;
  if (form?.method !== 'post') return;
  event.preventDefault();
  const buttons = [...form.elements].filter((one) => one instanceof HTMLButtonElement);
  form.requestSubmit(buttons.find(({ type }) => type === 'submit') ?? null);
};

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A form that waited goes on by itself. */
export const startSendsItself = (form: HTMLFormElement) => form.requestSubmit();

/** The browser sends the form: it goes along to the page that asks who the member is. */
const sendItself = (form: HTMLFormElement, submitter: HTMLElement | null) => {
  form.dataset.whole = '';
  form.requestSubmit(submitter);
};

const send = async (form: HTMLFormElement, submitter: HTMLElement | null) => {
  if (form.ariaBusy === 'true') return;
  const unread = unreadIn(form);
  if (unread) return refuse(form, unread);
  form.ariaBusy = 'true';
  // What a needed field lacks is said before the member takes out a key.
  const notSigned = form.checkValidity() ? await whyNotSigned(form) : undefined;
  if (notSigned !== undefined) {
    form.ariaBusy = null;
    return notSigned && fail(form, notSigned);
  }
  const sent = new FormData(form, submitter);
  const other =
    submitter?.hasAttribute('formaction') && (submitter as HTMLButtonElement).formAction;
  const answer = await post(other || form.action, sent);
  // Until all of it has come, no renewal takes the place of what the answer is about.
  const text = await answer?.text().catch(() => undefined);
  form.ariaBusy = null;
  if (!answer || text === undefined)
    return fail(form, 'The server does not answer. What you typed is still here.');
  if (answer.status === 401) {
    return fail(form, 'You are signed out. What you typed is still here: save again to sign in.');
  }
  const isPage = (answer.headers.get('content-type') ?? '').startsWith('text/html');
  if (answer.status === 200 || isRefused(answer)) form.dataset.answered = '';
  if (answer.status === 200 && isPage) return showNext(form, text);
  const edit = form.closest<HTMLDetailsElement>('details.edit');
  if (edit && isRefused(answer)) closeEdit(edit);
  if (answer.status === 200) {
    const { goTo, isKept, said } = JSON.parse(text) as Done;
    if (isKept) return sendItself(form, submitter);
    forgetDraft(form);
    const again = goingOnIn(form);
    const saveRest = chosenSince(form, sent);
    if (edit) closeEdit(edit);
    const change = changeSaid(form, sent);
    // An edit's form has one sentence for all fields: the field's own says more.
    await goOn(form, goTo, said?.undo ? said : (change ?? said ?? { words: 'Done: {title}.' }));
    again?.();
    return saveRest?.();
  }
  // A link that works once was used meanwhile: its page says so.
  if (answer.status === 410 && isPage && showPage(text, false)) return;
  if (isRefused(answer) && isPage) {
    // What is refused over a page is corrected on its own page.
    form.closest<HTMLDialogElement>('#in-dialog')?.close();
    if (showPage(text, false)) return showRefusal();
  }
  if (answer.status === 503)
    return fail(form, 'The server is busy. Nothing was changed; try again.');
  const words = isPage && whyNot(text);
  fail(
    form,
    words
      ? `${words} Nothing was changed. What you typed is still here.`
      : `The server could not save the form (${answer.status}). What you typed is still here.`,
  );
};

/** Shows the page that a form has become, from the first field that it asks for. */
const showNext = (form: HTMLFormElement, text: string) => {
  form.closest<HTMLDialogElement>('#in-dialog')?.close();
  if (!showPage(text, false)) return;
  const first = document.querySelector<HTMLElement>('main [autofocus]');
  first?.focus();
};

/** What a page that shows a failure says, for example which role is needed and who the owners are. */
const whyNot = (text: string): string => {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const said = page.querySelectorAll('main [role=alert] p');
  return [...said].map(({ textContent }) => textContent.trim()).join(' ');
};

/** Where the next entry is typed, or what is chosen next; undefined if somebody has gone elsewhere. */
const goingOnIn = (form: HTMLFormElement) => {
  if (form.dataset.stays !== undefined) return whereIn(form);
  if (form.dataset.adds === undefined || !form.contains(document.activeElement)) return undefined;
  const isSame = ({ action }: HTMLFormElement) => action === form.action;
  return () => {
    const next = [...document.forms].find(isSame);
    if (next) firstFieldIn(next)?.focus();
  };
};

/** What opens an edit again, with the focus where it is in it now. */
const whereIn = (form: HTMLFormElement) => {
  const id = form.closest('details')?.querySelector('summary')?.id ?? '';
  const control = document.activeElement;
  const isHere = form.contains(control) && control instanceof HTMLInputElement;
  return isHere || control instanceof HTMLSelectElement
    ? () => reopenEdit(id, control as HTMLInputElement)
    : undefined;
};

/** What the server answers when a form is done. */
type Done = { goTo: string; isKept?: boolean; said?: Said };

/**
 * Goes to the page that a form leads to, and says what happened. If it is the same page, only what
 * changed is new, and the focus is where it was, or on what opened the form's dialog.
 */
const goOn = async (form: HTMLFormElement, to: string, said: Said) => {
  const next = new URL(to, location.href);
  const isHere =
    next.pathname === location.pathname &&
    otherSearch(next.search) === otherSearch(location.search);
  closeDialogs();
  keepUndo(said);
  // What is fetched now must not have the dialog again.
  if (isHere && location.search !== next.search) history.replaceState(null, '', next);
  if (!isHere || !(await renewPage())) {
    sayThere(said);
    return location.assign(next);
  }
  // What had the focus is gone, with the question that was answered.
  const isNextStep = isStep(form);
  if (isNextStep || document.activeElement === document.body) focusTitle();
  if (isNextStep) scrollTo(0, 0);
  say(said);
};

/** Whether a form of the page itself was a step: it is gone, and what came is read from the title. */
const isStep = (form: HTMLFormElement) =>
  form.matches('.form') &&
  !form.closest('dialog, details') &&
  [...document.forms].every((one) => !one.matches('.form') || one.action !== form.action);

/** What the page shows, without the question that is open over it and without what it says was saved. */
const otherSearch = (search: string) => {
  const query = new URLSearchParams(search);
  for (const name of ['do', 'saved']) query.delete(name);
  return query.toString();
};

/** The summary of errors gets the focus, in its dialog if there is one. */
const showRefusal = () => {
  const summary = document.querySelector<HTMLElement>('[data-focus]');
  summary?.focus();
  announce('');
};

/**
 * A date or a number that is typed by half: the browser would send it as nothing, and of the year `26`
 * it would make the year 26.
 */
const unreadIn = (form: HTMLFormElement) =>
  [...form.elements].find(
    (one): one is HTMLInputElement =>
      one instanceof HTMLInputElement && (one.validity.badInput || hasShortYear(one)),
  );

const hasShortYear = ({ type, value, defaultValue }: HTMLInputElement) =>
  /^date/.test(type) && value !== '' && value < '1000' && value !== defaultValue;

/** Refuses a field as the server does: at the field, and above the form with a link to it. */
const refuse = (form: HTMLFormElement, field: HTMLInputElement) => {
  const label = field.labels?.[0]?.firstChild?.textContent?.trim() ?? '';
  const words = field.validity.badInput
    ? `${label} ${/^date/.test(field.type) ? 'is incomplete, or there is no such day' : 'is not complete'}. Correct it, or empty it.`
    : `${label} is in the year ${Number(field.value.slice(0, 4))}. Enter all four digits of the year.`;
  const id = `${field.id}-fault`;
  document.getElementById(id)?.remove();
  const said = document.createElement('p');
  said.className = 'refusal';
  said.id = id;
  said.textContent = words;
  field.ariaInvalid = 'true';
  const described = (field.getAttribute('aria-describedby') ?? '').split(' ');
  field.setAttribute('aria-describedby', [...new Set([...described, id])].join(' ').trim());
  field.after(said);
  const link = document.createElement('a');
  link.href = `#${field.id}`;
  link.textContent = words;
  fail(form, link);
};

/** Shows a failure above the form, which keeps what was typed. */
const fail = (form: HTMLFormElement, words: string | HTMLElement) => {
  form.querySelector(':scope > [data-failed]')?.remove();
  const banner = document.createElement('div');
  banner.className = 'banner danger';
  banner.dataset.failed = '';
  banner.role = 'alert';
  banner.tabIndex = -1;
  const [head, said] = [document.createElement('h2'), document.createElement('p')];
  head.textContent = 'There is a problem';
  said.append(words);
  const text = document.createElement('div');
  text.append(head, said);
  banner.append(text);
  form.prepend(banner);
  banner.focus();
};
