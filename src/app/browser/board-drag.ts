import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import {
  draggable,
  dropTargetForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { cardsOf, decisionOn, stageOf, stagesOf } from './board-cards.ts';
import { moveCard } from './board-move.ts';

/** Cards can be dropped on stages, or on the areas for decisions. */
export const startDragging = (board: HTMLElement): (() => void) =>
  combine(
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
  );

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
