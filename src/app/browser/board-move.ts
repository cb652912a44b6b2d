import { written } from '../../base/numbers.ts';
import { undoField } from '../undo.ts';
import { isRefused } from './ask.ts';
import { renewSoon } from './live.ts';
import { announce, showPage } from './page.ts';
import { post } from './post.ts';

/** Moves a card at once, and asks the server. The card goes back if the server refuses. */
export const moveCard = async (
  board: HTMLElement,
  card: HTMLElement,
  stageId: string,
  as?: 'an undo',
) => {
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
  if (as) fields.set(undoField, 'yes');
  const answer = await post(hereWithoutQuestion(), fields);
  board.ariaBusy = null;
  if (answer?.status === 200) {
    const words = `${nameOf(card)} moved to ${to.ariaLabel}.`;
    const link = () => linkOf(againOf(card) ?? card);
    announce(words, () => moveNow(card, from, 'an undo'), link);
    return renewSoon();
  }
  put(card, to, from);
  const isPage = (answer?.headers.get('content-type') ?? '').startsWith('text/html');
  if (answer && isRefused(answer) && isPage && showPage(await answer.text(), true))
    return focusAsked();
  sayNotMoved(
    board,
    `${nameOf(card)} is still in ${from.ariaLabel}. ${whyNot(answer, board.dataset.nouns)}`,
    () => moveNow(card, to, as),
  );
};

/** Moves a card on the page as it is now: back, or once more. It may have been renewed since. */
const moveNow = (
  moved: HTMLElement,
  { dataset: { stage = '' } }: HTMLElement,
  as: 'an undo' | undefined,
) => {
  const card = againOf(moved);
  const board = card?.closest<HTMLElement>('.board');
  if (card && board) return void moveCard(board, card, stage, as);
  announce('The card is no longer here. Reload the page.');
};

const againOf = ({ dataset }: HTMLElement) =>
  document.querySelector<HTMLElement>(`[data-card="${dataset.card}"]`);

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
  if (figure) figure.textContent = written(now);
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
  return `The server could not move it (${answer.status}).`;
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
