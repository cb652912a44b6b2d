import { cardsOf, linkOf, stageOf, stagesOf } from './board-cards.ts';
import { startDragging } from './board-drag.ts';
import { announce, noteInAddress, showPage } from './page.ts';

/**
 * The board. You drag cards, move them by a menu, and reach them with keys. A card moves at once.
 * It goes back if the server refuses.
 */
export const startBoard = (board: HTMLElement) => {
  stopDragging?.();
  stopDragging = board.dataset.moves === undefined ? undefined : startDragging(board);
  startMore(board);
  board.addEventListener('keydown', (event) => walk(board, event));
};

let stopDragging: (() => void) | undefined;

/** Asks whom to assign: fetches the page with its dialog open. */
export const startAsking = (form: HTMLFormElement) => {
  const ask = async (event: SubmitEvent) => {
    event.preventDefault();
    const question = (event.submitter as HTMLButtonElement | null)?.value ?? '';
    const query = new URLSearchParams(location.search);
    query.set('do', question);
    const answer = await fetch(`${location.pathname}?${query}`, {
      headers: { accept: 'text/html' },
    }).catch(() => undefined);
    if (!answer?.ok) return announce('The server does not answer. Try again.');
    showPage(await answer.text(), true);
    const dialog = document.getElementById(question);
    dialog?.querySelector<HTMLElement>('.body input:not([type=hidden])')?.focus();
    dialog?.addEventListener('close', () => focusCard(question), { once: true });
  };
  form.addEventListener('submit', (event) => void ask(event));
};

const focusCard = (question: string) => {
  const card = document.querySelector(`[data-card="${CSS.escape(question.split(':')[1] ?? '')}"]`);
  if (card) linkOf(card)?.focus();
};

/** The left and right keys go to the next stage that has cards. `keys.ts` handles up and down. */
const walk = (board: HTMLElement, event: KeyboardEvent) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const card = (event.target as Element).closest<HTMLElement>('[data-card]');
  const stage = card && stageOf(card);
  if (!step || !stage || event.ctrlKey || event.metaKey || event.altKey) return;
  const stages = stagesOf(board);
  const row = cardsOf(stage).indexOf(card);
  let at = stages.indexOf(stage) + step;
  while (stages[at] && cardsOf(stages[at] as HTMLElement).length === 0) at += step;
  const cards = stages[at] ? cardsOf(stages[at] as HTMLElement) : [];
  const next = cards[Math.min(row, cards.length - 1)];
  if (!next) return;
  event.preventDefault();
  linkOf(next)?.focus();
  next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
};

/** A phone shows one stage. The address says which. */
export const startPicking = (form: HTMLFormElement) => {
  const select = form.querySelector('select');
  if (!select) return;
  const show = () => {
    for (const stage of stagesOf(document)) {
      stage.classList.toggle('shown', stage.dataset.stage === select.value);
    }
    noteInAddress('stage', select.value);
  };
  form.addEventListener('change', show);
  form.querySelector('a')?.addEventListener('click', (event) => {
    event.preventDefault();
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    show();
  });
};

/** Loads more cards in place. The first of them gets the focus. */
const startMore = (board: HTMLElement) => {
  const more = async (event: MouseEvent) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-more]');
    const stage = link?.closest<HTMLElement>('[data-stage]');
    if (!link || !stage || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const shown = cardsOf(stage).length;
    const answer = await fetch(link.href, { headers: { accept: 'text/html' } }).catch(
      () => undefined,
    );
    if (!answer?.ok) return announce('The server does not answer. Try again.');
    history.replaceState(null, '', link.href);
    showPage(await answer.text(), false);
    const now = document.querySelector(`[data-stage="${CSS.escape(stage.dataset.stage ?? '')}"]`);
    const first = now && cardsOf(now)[shown];
    if (first) linkOf(first)?.focus();
  };
  board.addEventListener('click', (event) => void more(event));
};
