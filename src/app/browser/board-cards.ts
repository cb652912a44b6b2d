/** The stages of a board. */
export const stagesOf = (board: Element) => [
  ...board.querySelectorAll<HTMLElement>('[data-stage]'),
];

/** The cards of a board or of one of its stages. */
export const cardsOf = (within: Element) => [
  ...within.querySelectorAll<HTMLElement>('[data-card]'),
];

/** A card's link, which has the card's focus. */
export const linkOf = (card: Element) => card.querySelector<HTMLElement>('a');

/** A card's name, as its link has it. */
export const nameOf = (card: Element) => linkOf(card)?.textContent ?? '';

/** The stage that a card is in. */
export const stageOf = (card: Element) => card.closest<HTMLElement>('[data-stage]');

/** The address of a card's page with the dialog for a decision open. */
export const decisionOn = (card: HTMLElement, decision: string) =>
  `${card.closest<HTMLElement>('.board')?.dataset.path}/${card.dataset.card}?do=${decision}`;
