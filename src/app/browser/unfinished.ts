/** The forms of new records: each opens empty, and offers what was typed before and not saved. */

import { shortened } from '../sentence.ts';
import {
  type Draft,
  draftAt,
  fill,
  forget,
  forgetDraft,
  isRefused,
  keep,
  keepAt,
  notByBrowser,
  placeNamed,
  placeOf,
  placesFrom,
} from './drafts.ts';
import { momentWords } from './moment-words.ts';
import { announce, firstFieldIn } from './page.ts';

/** So long is a draft offered, in ms, and so many of them. */
const longest = 14 * 24 * 3_600_000;
const most = 9;

/** Where the text of the form was kept that was sent last. If it is refused and shown again, its text stays there. */
const sentFrom = new Map<string, string>();

/** By the place of a form's text: the draft of the form that had it before, and where that was. */
const before = new Map<string, { place: string; draft: Draft }>();

/**
 * Keeps what is typed into the form of a new record. A text that was typed before, on another visit, is
 * offered and not filled in: the next caller is somebody else. Cancel, Escape and following a known
 * record drop the text.
 */
export const startUnfinished = (form: HTMLFormElement) => {
  notByBrowser(form);
  const start = placeOf(form);
  form.dataset.keptAt = (isRefused(form) && sentFrom.get(start)) || newPlace(start);
  takeOver(form);
  form.addEventListener('submit', () => sentFrom.set(start, keptAt(form)));
  form.addEventListener('input', () => keep(form, keptAt(form)));
  form.addEventListener('click', (event) => {
    const isLeaving = (event.target as Element).closest('[data-leaves], .known a');
    if (!isLeaving || event.ctrlKey || event.metaKey || event.shiftKey) return;
    forgetDraft(form);
    const other = before.get(keptAt(form));
    if (other) keepAt(other.place, other.draft);
  });
  document.addEventListener('keydown', (event) => leaveByEscape(form, event));
  offer(form, start);
};

const keptAt = (form: HTMLFormElement) => form.dataset.keptAt ?? placeOf(form);

/** Text that another form has become is one draft: this one's. The other has it again if this one is left. */
const takeOver = (form: HTMLFormElement) => {
  const { insteadOf } = form.dataset;
  const place = insteadOf && sentFrom.get(placeNamed(insteadOf));
  const draft = place && draftAt(place);
  if (!place || !draft) return;
  before.set(keptAt(form), { place, draft });
  forget(place);
  keep(form, keptAt(form));
};

/** Each form has a place of its own: two of a kind can be on one page, one of them in a dialog. */
let count = 0;
const newPlace = (start: string) => `${start}#${Date.now()}.${count++}`;

/** The places of all forms on this page. */
const placesHere = () =>
  [...document.querySelectorAll<HTMLFormElement>('form[data-kept-at]')].map(keptAt);

/** Escape leaves the form as Cancel does, if nothing else closes. */
const leaveByEscape = (form: HTMLFormElement, event: KeyboardEvent) => {
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
  if (!form.isConnected || document.querySelector('dialog[open], [popover]:popover-open')) return;
  if (event.target instanceof HTMLSelectElement) return;
  form.querySelector<HTMLElement>('[data-leaves]')?.click();
};

/** Drafts of earlier visits, the newest first. Those that are too old, or too many, are removed. */
const earlier = (start: string) => {
  const here = placesHere();
  const found = placesFrom(start)
    .filter((place) => place === start || place.startsWith(`${start}#`))
    .filter((place) => !here.includes(place))
    .map((place) => ({ place, draft: draftAt(place) as Draft }))
    .toSorted((a, b) => b.draft.at - a.draft.at);
  const isKept = ({ at }: Draft, nth: number) => nth < most && Date.now() - at < longest;
  for (const { place } of found.filter(({ draft }, nth) => !isKept(draft, nth))) forget(place);
  return found.filter(({ draft }, nth) => isKept(draft, nth));
};

/** Offers the newest draft of an earlier visit. After `Start fresh` the next one is offered. */
const offer = (form: HTMLFormElement, start: string) => {
  const banner = form.querySelector<HTMLElement>('[data-offers]');
  const [found, ...others] = earlier(start);
  if (!banner) return;
  banner.hidden = !found || isRefused(form);
  if (!found || banner.hidden) return;
  const name = document.createElement('b');
  name.textContent = nameIn(found.draft);
  const words = `You have an unfinished ${banner.dataset.offers} from ${timeWords(found.draft.at, banner)}`;
  const more = others.length > 0 ? `, and ${others.length} more.` : '.';
  banner
    .querySelector('p')
    ?.replaceChildren(words, ...(name.textContent ? [': ', name] : []), more);
  const [goOn, drop] = banner.querySelectorAll('button');
  if (!goOn || !drop) return;
  goOn.onclick = () => {
    const own = keptAt(form);
    forget(found.place);
    form.dataset.keptAt = newPlace(start);
    takeUp(form, found.draft);
    // What was typed here before is another caller's: it is offered next.
    if (draftAt(own)) offer(form, start);
    else banner.hidden = true;
  };
  drop.onclick = () => {
    forget(found.place);
    offer(form, start);
    if (banner.hidden) firstFieldIn(form)?.focus();
    announce('Discarded.', () => offerAgain(start, found));
  };
};

/** A text that was dropped is kept again, as it was. The page may have another form for it by now, or none. */
const offerAgain = (start: string, { place, draft }: { place: string; draft: Draft }) => {
  keepAt(place, draft);
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-kept-at]')) {
    if (placeOf(form) === start) offer(form, start);
  }
};

/** Goes on with a draft, where it was left. What depends on its fields hears of each of them. */
const takeUp = (form: HTMLFormElement, { fields, chosen, last }: Draft) => {
  fill(form, fields);
  for (const one of form.elements) {
    if (!(one instanceof HTMLElement) || one instanceof HTMLButtonElement) continue;
    const name = one.getAttribute('name');
    const isTicked = ['radio', 'checkbox'].includes(one.getAttribute('type') ?? '');
    if (!name || (!(name in fields) && !isTicked)) continue;
    one.dispatchEvent(new Event('input', { bubbles: true }));
    one.dispatchEvent(new Event('change', { bubbles: true }));
  }
  // Last: letters typed into a picker would take its choice back.
  form.dispatchEvent(new CustomEvent('take-up', { detail: chosen }));
  const there = last ? document.getElementById(last) : null;
  const field =
    there && form.contains(there) && there.checkVisibility() ? there : firstFieldIn(form);
  field?.focus();
  // What is typed next goes on with the text.
  if (field instanceof HTMLTextAreaElement) field.selectionStart = field.value.length;
};

/** What the text is called: who or what it is about, or how it begins. */
const nameIn = ({ fields, chosen }: Draft) => {
  const text = (name: string) => fields[name]?.trim() ?? '';
  const person = [text('firstName'), text('lastName')].filter(Boolean).join(' ');
  const [record] = chosen ? (JSON.parse(chosen) as { name: string }[]) : [];
  const named = [text('title'), person, text('companyName'), record?.name].concat(
    ['who', 'email', 'phone', 'note', 'text'].map(text),
  );
  const name = named.find(Boolean) ?? '';
  return shortened(name);
};

/** `10:42`, or `24 Nov, 10:42` on another day. */
const timeWords = (at: number, { dataset }: HTMLElement) => {
  const { day, time } = momentWords(new Date(at), 'short', dataset);
  return day === momentWords(new Date(), 'short', dataset).day ? time : `${day}, ${time}`;
};
