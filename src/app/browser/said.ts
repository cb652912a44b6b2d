import { shortened, withOneStop } from '../sentence.ts';
import { undoField } from '../undo.ts';
import type { Said, Undo } from '../visit.ts';
import { renewPage } from './live.ts';
import { announce, focusTitle } from './page.ts';
import { post } from './post.ts';

const place = 'said';

/** `done` is said when it is taken back, if the form that does it says nothing better. */
type Back = Undo & { done?: string };

/** What the page says after a form, with its Undo. */
export const say = ({ words, undo }: Said & { undo?: Back }) => {
  const title = document.querySelector('main h1')?.textContent?.trim() || document.title;
  const said = withOneStop(words.replaceAll('{title}', title));
  const banner = document.querySelector('main .banner[role=status]');
  // A page of settings says it itself, without names. Written anew, it is read out.
  const saysItself = !undo && new URLSearchParams(location.search).has('saved');
  if (banner && saysItself && isInSight(banner)) {
    banner.textContent = said;
    return;
  }
  // Far down a long page it would be out of sight, and push away what one looks at.
  if (saysItself) banner?.remove();
  announce(said, undo && (() => void takeBack(undo)));
};

const isInSight = (part: Element) => {
  const { top, bottom } = part.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};

/** Says it on the page that is opened next. */
export const sayThere = (said: Said) => {
  try {
    sessionStorage.setItem(place, JSON.stringify(said));
  } catch {
    // A browser that stores nothing does not say it.
  }
};

/** Says what a form on the page before has left to say; returns whether one has. */
export const sayKept = (): boolean => {
  const text = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  if (text) say(JSON.parse(text));
  return text !== null;
};

const lastPlace = (path = location.pathname) => `undo:${document.body.dataset.member}:${path}`;
const undoMilliseconds = 3_600_000;
/** As long as the words below the page offer it. */
const saidMilliseconds = 12_000;

/** Keeps the Undo of what was done to several records, which is offered for an hour. */
export const keepUndo = ({ words, undo }: Said) => {
  if (!undo?.action.startsWith('/bulk/')) return;
  keepLast(location.pathname, { words, undo, at: Date.now() });
};

/** What was last done: what takes it back, or the page that says how far it is. */
type Last = { words: string; at: number; undo?: Undo; page?: string };

const keepLast = (path: string, last: Last) => {
  try {
    localStorage.setItem(lastPlace(path), JSON.stringify(last));
  } catch {
    // A private window offers it for a moment only.
  }
};

/** Keeps the Undo of what was done to some of several records, while others were refused. */
export const startKeepsUndo = (form: HTMLFormElement) => {
  const fields = [...new FormData(form)].map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const action = form.getAttribute('action') ?? '';
  keepUndo({ words: form.dataset.done ?? '', undo: { action, fields } });
};

/**
 * Keeps for the list of its records how far a long change is, or what takes it back. When all is done,
 * it leads back to the list, which says so.
 */
export const startKeepsBulk = ({ dataset }: HTMLElement) => {
  const { place = '', words = '', at = '', undo, page, leads } = dataset;
  const back = undo !== undefined && { undo: { action: undo, fields: [] } };
  if (!back && page === undefined) localStorage.removeItem(lastPlace(place));
  else keepLast(place, { words, at: Date.parse(at), ...back, ...(page !== undefined && { page }) });
  if (leads !== undefined) setTimeout(() => leadBack(leads, { words, ...back }));
};

/** Not before this page has said what it had to say. */
const leadBack = (list: string, said: Said) => {
  sayThere(said);
  location.replace(list);
};

/** Shows above a list what was last done to several of its records in this browser, with Undo. */
export const startLastDone = (line: HTMLElement) => {
  const last: Last = JSON.parse(localStorage.getItem(lastPlace()) ?? '{"at":0}');
  const { words, undo, at, page } = last;
  const ago = Date.now() - at;
  if (ago > undoMilliseconds) return;
  const forget = () => {
    localStorage.removeItem(lastPlace());
    line.hidden = true;
  };
  const show = () => {
    line.hidden = localStorage.getItem(lastPlace()) === null;
  };
  const [said, back, close] = [...line.children] as HTMLElement[];
  if (said) said.textContent = withOneStop(words);
  if (back && page !== undefined) back.textContent = 'See the progress';
  back?.addEventListener('click', () => {
    forget();
    if (page !== undefined) location.assign(page);
    else if (undo) void takeBack(undo);
  });
  close?.addEventListener('click', forget);
  setTimeout(show, saidMilliseconds - ago);
};

const takeBack = async ({ action, fields, done }: Back) => {
  localStorage.removeItem(lastPlace());
  const sent = new FormData();
  for (const [name, value] of fields) sent.append(name, value);
  const answer = await post(action, sent);
  if (answer?.status !== 200) return announce(`Undo did not work. ${await whyNot(answer)}`);
  const { goTo, said } = (await answer.json()) as { goTo: string; said?: Said };
  const words = { words: done ?? said?.words ?? 'Undone.' };
  // What takes long has a page that says how far it is. The page itself may be gone: a hire's matter.
  if (!goTo.startsWith('/bulk/') && (await renewPage())) {
    // The line that offered it is gone.
    if (document.activeElement === document.body) focusTitle();
    return say(words);
  }
  sayThere(words);
  location.assign(goTo);
};

/** Why something was refused, as the page of the refusal says it. */
const whyNot = async (answer: Response | undefined): Promise<string> => {
  if (!answer) return 'The server does not answer.';
  if (answer.status === 503) return 'The server is busy; try again.';
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const said = page.querySelectorAll('main [role=alert] :is(p, li)');
  return [...said].map(({ textContent }) => textContent.trim()).join(' ');
};

/** What a move or an edit in place did: `Value changed to High.` It can be taken back. */
export const changeSaid = (
  form: HTMLFormElement,
  sent: FormData,
): (Said & { undo?: Back }) | undefined => {
  const { label } = form.closest<HTMLElement>('details.edit')?.dataset ?? {};
  const isMove = form.dataset.moves !== undefined;
  const undo = undoOf(form, sent);
  if (isMove) {
    return undo && { words: `Moved to ${wordsIn(form)}.`, undo: { ...undo, done: 'Moved back.' } };
  }
  if (label === undefined) return undefined;
  if (!undo) return { words: `${label} was not changed.` };
  const now = wordsIn(form);
  const words = now ? `${label} changed to ${now}.` : `${label} removed.`;
  return { words, undo: { ...undo, done: `${label} is as it was before.` } };
};

/** What the form held when the edit began, as the same form sends it. */
const undoOf = (form: HTMLFormElement, sent: FormData): Back | undefined => {
  const was = [...sent.keys()].filter((name) => name.startsWith('was.'));
  const texts = (name: string) => sent.getAll(name).map(String).join('\n').replaceAll('\r\n', '\n');
  if (!was.some((name) => texts(name) !== texts(name.slice(4)))) return undefined;
  const others = [...sent].filter(
    ([name]) => !was.some((one) => name === one || name === one.slice(4)),
  );
  const back = was.flatMap((name): Undo['fields'] => [
    [name, texts(name.slice(4))],
    [name.slice(4), texts(name)],
  ]);
  return {
    action: form.getAttribute('action') ?? '',
    fields: [
      ...others.map(([name, value]): [string, string] => [name, String(value)]),
      ...back,
      [undoField, 'yes'],
    ],
  };
};

/** The values of a form's fields in words: of a list, what is chosen. */
const wordsIn = (form: HTMLFormElement): string =>
  [...form.elements]
    .flatMap((one) => {
      if (one instanceof HTMLSelectElement)
        return [...one.selectedOptions].filter(({ value }) => value).map(({ text }) => text);
      if (one instanceof HTMLTextAreaElement) return one.value.trim();
      if (!(one instanceof HTMLInputElement)) return [];
      if (one.type === 'hidden') return one.dataset.words ?? [];
      if (!/checkbox|radio/.test(one.type)) return one.value.trim();
      return one.checked ? (one.labels?.[0]?.textContent?.trim() ?? '') : [];
    })
    .filter(Boolean)
    .map(shortened)
    .join(', ');
