/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { isId } from '../base/columns.ts';
import { written } from '../base/numbers.ts';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { addressWith } from './list.tsx';

/** With more cards than this, a stage is better read as a list. */
const maxCards = 1_000;

/** A stage with its newest cards, and how many there are in all. */
type Column<Card> = { id: string; name: string; count: number; cards: Card[] };

type BoardProps<Card> = {
  path: string;
  /** What the cards are called: `leads`. */
  nouns: string;
  /** The name under which a form sends the stage. */
  field: string;
  /** The parts of the address that filter the board. */
  filters: readonly string[];
  stages: Column<Card>[];
  mayWrite: boolean;
  /** How many more cards are shown at a time. */
  cardsAtOnce: number;
  nameOf(card: Card): string;
  /** The content of a card below its name. */
  body(card: Card, isFirst: boolean): ComponentChild;
  /** Where a new card for a stage is made, and what it is called: `New lead`. */
  making: { words: string; to(stageId: string): string } | undefined;
};

/** The stage of which the address asks for more cards, and how many. */
export const moreIn = (query: URLSearchParams) => {
  const stageId = query.get('more') ?? '';
  const shown = Number(query.get('shown'));
  const isCount = Number.isInteger(shown) && shown > 0 && shown <= maxCards;
  return isId(stageId) && isCount ? { stageId, count: shown } : null;
};

/** A board: a column for each stage; on a phone one at a time. */
export const Board = <Card extends { id: string; ordinal: number }>(props: BoardProps<Card>) => {
  const { path, nouns, field, filters, stages, mayWrite } = props;
  const { visit } = useFrame();
  const asked = stages.findIndex(({ id }) => id === visit.query.get('stage'));
  const filled = stages.findIndex(({ count }) => count > 0);
  const current = asked >= 0 ? asked : Math.max(0, filled);
  return (
    <>
      <PickStage path={path} filters={filters} stages={stages} current={current} />
      <form id="opens" method="get" action={path} data-script="board-asks" hidden>
        <Kept names={[...filters, 'stage', 'more', 'shown']} />
      </form>
      <div
        class="board"
        id="board"
        data-script="board"
        data-scrolls
        data-path={path}
        data-nouns={nouns}
        data-field={field}
        data-moves={mayWrite ? 'yes' : undefined}
      >
        {stages.map((stage, at) => (
          <section
            class={at === current ? 'stage shown' : 'stage'}
            aria-label={stage.name}
            data-stage={stage.id}
          >
            <header>
              <h2>{stage.name}</h2>
              <span class="muted" data-count>
                {written(stage.count)}
              </span>
              <NewHere stage={stage} making={props.making} />
            </header>
            <ul {...(at === current && { id: 'list', tabIndex: -1 })}>
              {stage.cards.map((card) => (
                <CardOf card={card} isFirst={at === 0} of={props} />
              ))}
            </ul>
            <p class="muted nothing">No {nouns} in this stage.</p>
            <More path={path} stage={stage} cardsAtOnce={props.cardsAtOnce} />
          </section>
        ))}
      </div>
    </>
  );
};

const Kept = ({ names }: { names: readonly string[] }) => {
  const { visit } = useFrame();
  return (
    <>
      {names.map((name) => {
        const value = visit.query.get(name);
        return value && <input type="hidden" name={name} value={value} />;
      })}
    </>
  );
};

type PickProps = {
  path: string;
  filters: readonly string[];
  stages: readonly Column<unknown>[];
  current: number;
};

/** On a phone: one stage at a time. */
const PickStage = ({ path, filters, stages, current }: PickProps) => {
  const { visit } = useFrame();
  const next = stages[(current + 1) % stages.length];
  return (
    <form class="board-pick" method="get" action={path} data-script="board-pick">
      <Kept names={filters} />
      <label class="hide" for="stage">
        Stage
      </label>
      <span class="select">
        <select class="input" id="stage" name="stage">
          {stages.map(({ id, name, count }, at) => (
            <option value={id} selected={at === current}>
              {name} · {written(count)}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
      <button class="button only-plain">Show</button>
      {next && (
        <a
          class="button icon-only"
          href={addressWith(path, visit.query, { stage: next.id })}
          aria-label="Next stage"
        >
          <Icon name="chevron-right" />
        </a>
      )}
    </form>
  );
};

type NewHereProps = {
  stage: Column<unknown>;
  making: BoardProps<unknown>['making'];
};

const NewHere = ({ stage: { id, name }, making }: NewHereProps) =>
  making ? (
    <a
      class="button quiet small icon-only"
      href={making.to(id)}
      aria-label={`${making.words} in ${name}`}
    >
      <Icon name="plus" />
    </a>
  ) : null;

type MoreProps = { path: string; stage: Column<unknown>; cardsAtOnce: number };

const More = ({ path, stage: { id, count, cards }, cardsAtOnce }: MoreProps) => {
  const { visit } = useFrame();
  const [shown, left] = [cards.length, count - cards.length];
  if (left <= 0) return null;
  const further = addressWith(path, visit.query, {
    more: id,
    shown: String(shown + cardsAtOnce),
  });
  const list = addressWith(path, visit.query, {
    view: 'list',
    stage: id,
    more: null,
    shown: null,
  });
  return (
    <p class="row">
      {shown < maxCards && (
        <a class="button quiet" href={further} data-more>
          {Math.min(cardsAtOnce, left)} more
        </a>
      )}
      {count > maxCards && (
        <a class="button quiet" href={list}>
          Open as list
        </a>
      )}
    </p>
  );
};

type CardProps<Card> = { card: Card; isFirst: boolean; of: BoardProps<Card> };

const CardOf = <Card extends { id: string; ordinal: number }>({
  card,
  isFirst,
  of: { path, mayWrite, nameOf, body },
}: CardProps<Card>) => {
  const { id, ordinal } = card;
  const name = nameOf(card);
  return (
    <li class="card" data-card={id} data-order={ordinal}>
      <a href={`${path}/${id}`} draggable={false} data-key="e">
        {name}
      </a>
      {mayWrite && (
        <button
          class="button quiet small icon-only dots"
          form="opens"
          name="do"
          value={`move:${id}`}
          data-key="m"
          aria-haspopup="menu"
          aria-label={`Move ${name}`}
        />
      )}
      {body(card, isFirst)}
    </li>
  );
};
