export const stagesOf = (board: ParentNode) => [
  ...board.querySelectorAll<HTMLElement>('[data-stage]'),
];

export const cardsOf = (within: Element) => [
  ...within.querySelectorAll<HTMLElement>('[data-card]'),
];

/** A card's link, which has the card's focus. */
export const linkOf = (card: Element) => card.querySelector<HTMLElement>('a');

/** A card's name, as its link has it. */
export const nameOf = (card: Element) => linkOf(card)?.textContent ?? '';

export const stageOf = (card: Element) => card.closest<HTMLElement>('[data-stage]');

/** The address of a card's page with the dialog for a decision open. */
export const decisionOn = (card: HTMLElement, decision: string) =>
  `${card.closest<HTMLElement>('.board')?.dataset.path}/${card.dataset.card}?do=${decision}`;
