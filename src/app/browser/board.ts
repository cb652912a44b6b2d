import {
  draggable,
  dropTargetForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { post } from './forms.ts';
import { renewPage, showPage, tell } from './page.ts';

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

const stagesOf = (board: Element) => [...board.querySelectorAll<HTMLElement>('[data-stage]')];
const cardsOf = (within: Element) => [...within.querySelectorAll<HTMLElement>('[data-card]')];
const linkOf = (card: Element) => card.querySelector<HTMLElement>('a');
const nameOf = (card: Element) => linkOf(card)?.textContent ?? '';
const stageOf = (card: Element) => card.closest<HTMLElement>('[data-stage]');

/** Cards can be dropped on stages, or on the areas for decisions. */
const startDragging = (board: HTMLElement): Stop[] => [
  ...cardsOf(board).map((card) =>
    draggable({
      element: card,
      canDrag: () => board.ariaBusy !== 'true',
      onDragStart: () => card.classList.add('lifted'),
      onDrop: () => card.classList.remove('lifted'),
    }),
  ),
  ...stagesOf(board).map((stage) =>
    target(stage, (card) => void moveCard(board, card, stage.dataset.stage ?? '')),
  ),
  ...[...document.querySelectorAll<HTMLElement>('[data-decides]')].map((place) =>
    target(place, (card) => location.assign(decisionOn(card, place.dataset.decides ?? ''))),
  ),
];

const target = (element: HTMLElement, drop: (card: HTMLElement) => void): Stop =>
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

const decisionOn = (card: HTMLElement, decision: string) =>
  `${card.closest<HTMLElement>('.board')?.dataset.path}/${card.dataset.card}?do=${decision}`;

/** Moves a card at once, and asks the server. */
const moveCard = async (board: HTMLElement, card: HTMLElement, stageId: string) => {
  const from = stageOf(card);
  const to = stagesOf(board).find((stage) => stage.dataset.stage === stageId);
  if (!from || !to || from === to || board.ariaBusy === 'true') return;
  document.getElementById('not-moved')?.remove();
  put(card, from, to);
  board.ariaBusy = 'true';
  const fields = new FormData();
  fields.set('do', `move:${card.dataset.card}`);
  const { field = '' } = board.dataset;
  fields.set(`was.${field}`, from.dataset.stage ?? '');
  fields.set(field, stageId);
  const answer = await post(hereWithoutQuestion(), fields);
  board.ariaBusy = null;
  if (answer?.status === 200) {
    tell(`${nameOf(card)} moved to ${to.ariaLabel}.`);
    return void renewPage();
  }
  put(card, to, from);
  const isPage = (answer?.headers.get('content-type') ?? '').startsWith('text/html');
  if (answer?.status === 422 && isPage && showPage(await answer.text(), true)) return focusAsked();
  sayNotMoved(
    board,
    `${nameOf(card)} is still in ${from.ariaLabel}. ${whyNot(answer, board.dataset.nouns)}`,
    () => moveCard(board, card, stageId),
  );
};

/** Puts a card into a stage in its order, keeps its focus, and updates the counts. */
const put = (card: HTMLElement, from: HTMLElement, to: HTMLElement) => {
  const isFocused = card.contains(document.activeElement);
  const order = Number(card.dataset.order);
  const next = cardsOf(to).find((other) => Number(other.dataset.order) < order);
  to.querySelector('ul')?.insertBefore(card, next ?? null);
  count(from, -1);
  count(to, 1);
  if (isFocused) linkOf(card)?.focus({ preventScroll: true });
};

const count = (stage: HTMLElement, by: number) => {
  const figure = stage.querySelector('[data-count]');
  const now = Number(figure?.textContent?.replace(/\D/g, '')) + by;
  if (figure) figure.textContent = now.toLocaleString('en-GB');
};

const hereWithoutQuestion = () => {
  const query = new URLSearchParams(location.search);
  query.delete('do');
  return `${location.pathname}?${query}`;
};

const whyNot = (answer: Response | undefined, nouns = 'cards') => {
  if (!answer) return 'The server does not answer.';
  if (answer.status === 503) return 'The server is busy.';
  if (answer.status === 401) return 'You are signed out: sign in, then try again.';
  if (answer.status === 403) return `Your role does not include moving ${nouns}.`;
  if (answer.status === 404) return 'You can no longer see it.';
  return `The server could not do it (${answer.status}).`;
};

/** Shows above the board why a card went back, with a button to try again. */
const sayNotMoved = (board: HTMLElement, words: string, again: () => void) => {
  const banner = document.createElement('div');
  banner.id = 'not-moved';
  banner.className = 'banner danger';
  banner.role = 'alert';
  const text = document.createElement('p');
  text.textContent = words;
  const retry = document.createElement('button');
  retry.className = 'button';
  retry.textContent = 'Retry';
  retry.addEventListener('click', () => {
    banner.remove();
    again();
  });
  banner.append(text, retry);
  board.before(banner);
};

/** A dialog that comes with a refused move gets the focus. */
const focusAsked = () => document.querySelector<HTMLElement>('[data-focus]')?.focus();

/** The menu of all cards. It is filled for the card whose button opens it. */
const startMenu = (board: HTMLElement): Stop => {
  const menu = document.getElementById('move-menu');
  const form = menu?.querySelector('form');
  if (!menu || !form) return () => {};
  let opened: HTMLElement | undefined;
  const cardOf = () => opened?.closest<HTMLElement>('[data-card]');
  const ended = new AbortController();
  const { signal } = ended;
  board.addEventListener(
    'click',
    (event) => {
      const button = (event.target as Element).closest<HTMLElement>('button[value^="move:"]');
      const card = button?.closest<HTMLElement>('[data-card]');
      if (!button || !card) return;
      event.preventDefault();
      opened = button;
      fillMenu(menu, card);
      button.setAttribute('aria-controls', menu.id);
      button.ariaExpanded = 'true';
      linkOf(card)?.focus({ preventScroll: true });
      menu.showPopover();
    },
    { signal },
  );
  menu.addEventListener(
    'toggle',
    (event) => {
      if (event.newState === 'open' || !opened) return;
      opened.removeAttribute('aria-controls');
      opened.ariaExpanded = null;
    },
    { signal },
  );
  menu.addEventListener(
    'click',
    (event) => {
      if (!(event.target as Element).closest('[data-assigns]')) return;
      menu.hidePopover();
      cardOf()?.querySelector<HTMLElement>('button[value^="assign:"]')?.click();
    },
    { signal },
  );
  form.addEventListener(
    'submit',
    (event) => {
      event.preventDefault();
      menu.hidePopover();
      const card = cardOf();
      const stageId = (event.submitter as HTMLButtonElement | null)?.value ?? '';
      if (card) void moveCard(board, card, stageId);
    },
    { signal },
  );
  return () => ended.abort();
};

const fillMenu = (menu: HTMLElement, card: HTMLElement) => {
  const here = stageOf(card)?.dataset.stage;
  const choices = [...menu.querySelectorAll<HTMLButtonElement>('[role=menuitemradio]')];
  const at = choices.findIndex(({ value }) => value === here);
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
    if (!answer?.ok) return tell('The server does not answer. Try again.');
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
    const address = new URL(location.href);
    address.searchParams.set('stage', select.value);
    history.replaceState(null, '', address);
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
    if (!answer?.ok) return tell('The server does not answer. Try again.');
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
