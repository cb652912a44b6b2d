import { decisionOn, linkOf, nameOf, stageOf } from './board-cards.ts';
import { moveCard } from './board-move.ts';

/** The menu of all cards of the board. It is filled for the card whose button opens it. */
export const startMoveMenu = (menu: HTMLElement) => {
  const board = document.querySelector<HTMLElement>('.board');
  const form = menu.querySelector('form');
  if (!board || !form) return;
  let opened: HTMLElement | undefined;
  const cardOf = () => opened?.closest<HTMLElement>('[data-card]');
  board.addEventListener('click', (event) => {
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
  });
  menu.addEventListener('toggle', (event) => {
    if (event.newState === 'open' || !opened) return;
    opened.removeAttribute('aria-controls');
    opened.ariaExpanded = null;
  });
  menu.addEventListener('click', (event) => {
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
