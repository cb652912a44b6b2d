import { cardsOf, linkOf, stageOf, stagesOf } from './board-cards.ts';
import { startDragging } from './board-drag.ts';
import { startMenu } from './board-menu.ts';
import { announce, noteInAddress, showPage } from './page.ts';

/**
 * The board. You drag cards, move them by a menu, and reach them with keys. A card moves at once.
 * It goes back if the server refuses.
 */
export const startBoard = (board: HTMLElement) => {
  stopLast?.();
  const stops = [startPicking(board), startMore(board)];
  if (board.dataset.moves !== undefined) {
    stops.push(...startDragging(board), startMenu(board), startAsking());
  }
  stops.push(startWalking(board));
  stopLast = () => {
    for (const stop of stops) stop();
  };
};

type Stop = () => void;
let stopLast: Stop | undefined;

/** Asks whom to assign: fetches the page with its dialog open. */
const startAsking = (): Stop => {
  const form = document.getElementById('opens') as HTMLFormElement | null;
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
  const listen = (event: SubmitEvent) => void ask(event);
  form?.addEventListener('submit', listen);
  return () => form?.removeEventListener('submit', listen);
};

const focusCard = (question: string) => {
  const card = document.querySelector(`[data-card="${CSS.escape(question.split(':')[1] ?? '')}"]`);
  if (card) linkOf(card)?.focus();
};

/** The left and right keys go to the next stage that has cards. `keys.ts` handles up and down. */
const startWalking = (board: HTMLElement): Stop => {
  const walk = (event: KeyboardEvent) => {
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
  board.addEventListener('keydown', walk);
  return () => board.removeEventListener('keydown', walk);
};

/** A phone shows one stage. The address says which. */
const startPicking = (board: HTMLElement): Stop => {
  const pick = document.getElementById('pick');
  const select = pick?.querySelector('select');
  if (!pick || !select) return () => {};
  const show = () => {
    for (const stage of stagesOf(board)) {
      stage.classList.toggle('shown', stage.dataset.stage === select.value);
    }
    noteInAddress('stage', select.value);
  };
  const next = (event: Event) => {
    if (!(event.target as Element).closest('a')) return;
    event.preventDefault();
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    show();
  };
  select.addEventListener('change', show);
  pick.addEventListener('click', next);
  return () => {
    select.removeEventListener('change', show);
    pick.removeEventListener('click', next);
  };
};

/** Loads more cards in place. The first of them gets the focus. */
const startMore = (board: HTMLElement): Stop => {
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
  const listen = (event: MouseEvent) => void more(event);
  board.addEventListener('click', listen);
  return () => board.removeEventListener('click', listen);
};
