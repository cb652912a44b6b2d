import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import {
  draggable,
  dropTargetForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { cardsOf, decisionOn, linkOf, moveCard, nameOf, stageOf, stagesOf } from './board-move.ts';
import { returnsTo } from './dialogs.ts';
import { placeMenu } from './menus.ts';
import { announce, noteInAddress, showPage } from './page.ts';
import { holdKeys, pressAgain } from './pressing.ts';

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

/** Cards can be dropped on stages, or on the areas for decisions. */
const startDragging = (board: HTMLElement): (() => void) => {
  const places = document.querySelector('.decide');
  const lift = (card: HTMLElement, isLifted: boolean) => {
    card.classList.toggle('lifted', isLifted);
    places?.classList.toggle('shown', isLifted);
  };
  return combine(
    ...cardsOf(board).map((card) =>
      draggable({
        element: card,
        canDrag: () => board.ariaBusy !== 'true',
        onDragStart: () => lift(card, true),
        onDrop: () => lift(card, false),
      }),
    ),
    ...stagesOf(board).map((stage) =>
      target(stage, (card) => void moveCard(board, card, stage.dataset.stage ?? '')),
    ),
    ...[...document.querySelectorAll<HTMLElement>('[data-decides]')].map((place) =>
      target(place, (card) => {
        linkOf(card)?.focus({ preventScroll: true });
        location.assign(decisionOn(card, place.dataset.decides ?? ''));
      }),
    ),
  );
};

const target = (element: HTMLElement, drop: (card: HTMLElement) => void): (() => void) =>
  dropTargetForElements({
    element,
    canDrop: ({ source }) => stageOf(source.element) !== element,
    onDragEnter: () => element.classList.add('over'),
    onDragLeave: () => element.classList.remove('over'),
    onDrop({ source }) {
      element.classList.remove('over');
      drop(source.element);
    },
  });

/** The menu of all cards of the board. It is filled for the card whose button opens it. */
export const startMoveMenu = (menu: HTMLElement) => {
  const board = document.querySelector<HTMLElement>('.board');
  const form = menu.querySelector('form');
  if (!board || !form) return;
  let opened: HTMLElement | undefined;
  const cardOf = () => opened?.closest<HTMLElement>('[data-card]');
  const unmark = () => {
    cardOf()?.classList.remove('asked');
    opened?.removeAttribute('aria-controls');
    if (opened) opened.ariaExpanded = null;
  };
  board.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('button[value^="move:"]');
    const card = button?.closest<HTMLElement>('[data-card]');
    if (!button || !card) return;
    event.preventDefault();
    unmark();
    opened = button;
    fillMenu(menu, card);
    card.classList.add('asked');
    button.setAttribute('aria-controls', menu.id);
    button.ariaExpanded = 'true';
    linkOf(card)?.focus({ preventScroll: true });
    menu.showPopover();
    // The browser tells of it only after a first frame.
    placeMenu(menu);
  });
  menu.addEventListener('toggle', (event) => {
    if (event.newState !== 'open') unmark();
  });
  menu.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('[data-asks]');
    const focused = document.activeElement?.closest<HTMLElement>('[data-card]');
    // Pressed by its key, the menu is not open, and was last filled for any card.
    if (link && focused) link.href = decisionOn(focused, link.dataset.asks ?? '');
    if (!(event.target as Element).closest('[data-assigns]')) return;
    menu.hidePopover();
    cardOf()?.querySelector<HTMLElement>('button[value^="assign:"]')?.click();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    menu.hidePopover();
    const card = cardOf();
    const stageId = (event.submitter as HTMLButtonElement | null)?.value ?? '';
    if (card) void moveCard(board, card, stageId);
  });
};

const fillMenu = (menu: HTMLElement, card: HTMLElement) => {
  const stage = stageOf(card)?.dataset.stage;
  const choices = [...menu.querySelectorAll<HTMLButtonElement>('[role=menuitemradio]')];
  const at = choices.findIndex(({ value }) => value === stage);
  for (const [index, choice] of choices.entries()) {
    choice.ariaChecked = String(index === at);
    choice.autofocus = index === (at + 1) % choices.length;
  }
  menu.ariaLabel = `Move ${nameOf(card)} to`;
  for (const link of menu.querySelectorAll<HTMLAnchorElement>('[data-asks]')) {
    link.href = decisionOn(card, link.dataset.asks ?? '');
  }
};

/** Asks whom to assign: fetches the page with its dialog open. */
export const startAsking = (form: HTMLFormElement) => {
  const ask = async (event: SubmitEvent) => {
    event.preventDefault();
    const question = (event.submitter as HTMLButtonElement | null)?.value ?? '';
    const query = new URLSearchParams(location.search);
    query.set('do', question);
    const release = holdKeys();
    const answer = await fetch(`${location.pathname}?${query}`, {
      headers: { accept: 'text/html' },
    }).catch(() => undefined);
    const text = answer?.ok ? await answer.text().catch(() => undefined) : undefined;
    const held = release();
    if (text === undefined) return announce('The server does not answer. Try again.');
    showPage(text, true);
    const dialog = document.getElementById(question);
    dialog?.querySelector<HTMLElement>('.body input:not([type=hidden])')?.focus();
    returnsTo(linkOfCard(question));
    dialog?.addEventListener('close', () => linkOfCard(question)?.focus(), { once: true });
    if (dialog) pressAgain(held);
  };
  form.addEventListener('submit', (event) => void ask(event));
};

const linkOfCard = (question: string) => {
  const card = document.querySelector(`[data-card="${CSS.escape(question.split(':')[1] ?? '')}"]`);
  return card && linkOf(card);
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
