/** @jsxImportSource preact */
import { isId } from '../../base/columns.ts';
import { listMembers } from '../../firm/member.ts';
import {
  type BoardFilter,
  type BoardStage,
  cardsPerStage,
  type LeadCard,
  readBoard,
} from '../../leads/board.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Empty, Filter, Filters } from '../list.tsx';
import { NotDone } from '../not-done.tsx';
import type { Shown, Visit } from '../visit.ts';
import { askedDialog, CardDialog, MoveMenu } from './card-dialogs.tsx';
import { LeadsHead } from './head.tsx';
import { Assignees, noContact, Private, Waited, Worth } from './words.tsx';

/** A stage with more cards is better read as a list. */
const mostCards = 1_000;

/** The firm's ACTIVE leads by stage. */
export const showBoard = async (visit: Visit): Promise<Shown> => {
  const { actor, query, may } = visit;
  const [areas, members, board, asked] = await Promise.all([
    allPracticeAreas(actor),
    listMembers(actor),
    readBoard(actor, boardFilterIn(visit), moreIn(query)),
    askedDialog(visit),
  ]);
  const { stages, countOf } = board;
  const mayWrite = may('leads:write');
  const mayHire = mayWrite && may('matters:write');
  const present = members.filter(({ deactivatedAt }) => deactivatedAt === null);
  return {
    title: 'Leads',
    follows: ['lead', 'lead_stage'],
    main: (
      <>
        <LeadsHead countOf={countOf} status="ACTIVE" isBoard />
        <NotDone />
        <Filters>
          <Filter
            name="assignee"
            label="Assigned"
            any="Assigned: anyone"
            options={assigneeOptions(present)}
          />
          <Filter
            name="area"
            label="Practice area"
            any="Area: all"
            options={areas.map(({ id, name }) => ({ value: id, name }))}
          />
        </Filters>
        {countOf.ACTIVE === 0 && <Nothing />}
        {stages.length > 0 && <Stages stages={stages} mayWrite={mayWrite} mayHire={mayHire} />}
        {mayWrite && <MoveMenu stages={stages} mayHire={mayHire} />}
        {asked && <CardDialog asked={asked} stages={stages} members={present} />}
      </>
    ),
  };
};

/** The choices of the assignee filter: oneself, nobody, each member. */
export const assigneeOptions = (members: readonly { id: string; name: string }[]) => [
  { value: 'me', name: 'Assigned: me' },
  { value: 'none', name: 'Assigned: nobody' },
  ...members.map(({ id, name }) => ({ value: id, name })),
];

/** The id in an address; anything else is left out. */
const idIn = (query: URLSearchParams, name: string): string | null => {
  const text = query.get(name) ?? '';
  return isId(text) ? text : null;
};

/** The assignee that an address asks for. */
export const assigneeIn = ({ query, session }: Visit): string | null => {
  const text = query.get('assignee');
  if (text === 'me') return session.member.id;
  return text === 'none' ? text : idIn(query, 'assignee');
};

const boardFilterIn = (visit: Visit): BoardFilter => ({
  practiceAreaId: idIn(visit.query, 'area'),
  assigneeId: assigneeIn(visit),
});

const moreIn = (query: URLSearchParams) => {
  const stageId = idIn(query, 'more');
  const shown = Number(query.get('shown'));
  const isCount = Number.isInteger(shown) && shown > 0 && shown <= mostCards;
  return stageId && isCount ? { stageId, count: shown } : null;
};

const Nothing = () => {
  const { visit, admits } = useFrame();
  if (visit.query.has('area') || visit.query.has('assignee')) {
    return (
      <Empty says="No active lead matches.">
        <a class="button" href="/leads">
          Show all
        </a>
      </Empty>
    );
  }
  return (
    <Empty says="No lead is active.">
      {admits('/leads/new') && (
        <a class="button primary" href="/leads/new">
          <Icon name="plus" />
          New lead
        </a>
      )}
    </Empty>
  );
};

type StagesProps = { stages: BoardStage[]; mayWrite: boolean; mayHire: boolean };

const Stages = ({ stages, mayWrite, mayHire }: StagesProps) => {
  const { visit } = useFrame();
  const asked = stages.findIndex(({ id }) => id === visit.query.get('stage'));
  const here = Math.max(0, asked);
  return (
    <>
      <PickStage stages={stages} here={here} />
      <form id="opens" method="get" action="/leads" hidden>
        {['area', 'assignee', 'stage', 'more', 'shown'].map((name) => {
          const value = visit.query.get(name);
          return value && <input type="hidden" name={name} value={value} />;
        })}
      </form>
      <div class="board" id="board" data-scrolls data-moves={mayWrite ? 'yes' : undefined}>
        {stages.map((stage, at) => (
          <Stage stage={stage} mayWrite={mayWrite} isFirst={at === 0} isShown={at === here} />
        ))}
      </div>
      {mayWrite && <Decide mayHire={mayHire} />}
    </>
  );
};

/** On a phone: one stage at a time. */
const PickStage = ({ stages, here }: { stages: BoardStage[]; here: number }) => {
  const { visit } = useFrame();
  const next = stages[(here + 1) % stages.length];
  return (
    <form class="board-pick" method="get" action="/leads" id="pick">
      {['area', 'assignee'].map((name) => {
        const value = visit.query.get(name);
        return value && <input type="hidden" name={name} value={value} />;
      })}
      <label class="hide" for="stage">
        Stage
      </label>
      <span class="select">
        <select class="input" id="stage" name="stage">
          {stages.map(({ id, name, count }, at) => (
            <option value={id} selected={at === here}>
              {name} · {count.toLocaleString('en-GB')}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
      <button class="button only-plain">Show</button>
      {next && (
        <a
          class="button icon-only"
          href={addressWith('/leads', visit.query, { stage: next.id })}
          aria-label="Next stage"
        >
          <Icon name="chevron-right" />
        </a>
      )}
    </form>
  );
};

type StageProps = { stage: BoardStage; mayWrite: boolean; isFirst: boolean; isShown: boolean };

const Stage = ({ stage, mayWrite, isFirst, isShown }: StageProps) => {
  const { id, name, count, cards } = stage;
  return (
    <section class={isShown ? 'stage shown' : 'stage'} aria-label={name} data-stage={id}>
      <header>
        <h2>{name}</h2>
        <span class="muted" data-count>
          {count.toLocaleString('en-GB')}
        </span>
        <NewHere stage={stage} />
      </header>
      <ul>
        {cards.map((card) => (
          <Card card={card} mayWrite={mayWrite} isFirst={isFirst} />
        ))}
      </ul>
      <More stage={stage} />
    </section>
  );
};

const NewHere = ({ stage: { id, name } }: { stage: BoardStage }) => {
  const { admits } = useFrame();
  if (!admits('/leads/new')) return null;
  return (
    <a
      class="button quiet small icon-only"
      href={`/leads/new?stage=${id}`}
      aria-label={`New lead in ${name}`}
    >
      <Icon name="plus" />
    </a>
  );
};

const More = ({ stage: { id, count, cards } }: { stage: BoardStage }) => {
  const { visit } = useFrame();
  const [shown, left] = [cards.length, count - cards.length];
  if (left <= 0) return null;
  const more = Math.min(cardsPerStage, left);
  const further = addressWith('/leads', visit.query, {
    more: id,
    shown: String(shown + cardsPerStage),
  });
  const list = addressWith('/leads', visit.query, {
    view: 'list',
    stage: id,
    more: null,
    shown: null,
  });
  return (
    <p class="row">
      {shown < mostCards && (
        <a class="button quiet" href={further} data-more>
          {more} more
        </a>
      )}
      {count > mostCards && (
        <a class="button quiet" href={list}>
          Open as list
        </a>
      )}
    </p>
  );
};

type CardProps = { card: LeadCard; mayWrite: boolean; isFirst: boolean };

const Card = ({ card, mayWrite, isFirst }: CardProps) => {
  const { id, ordinal, number, value, isPrivate, since, assignees } = card;
  const name = card.contactName ?? noContact;
  return (
    <li class="card" data-lead={id} data-order={ordinal}>
      <a href={`/leads/${id}`} draggable={false} data-key="e">
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
      <span class="small muted">
        {isPrivate && <Private />}
        {number} · {card.practiceAreaName ?? 'No area'}
      </span>
      <Worth value={value} />
      <div class="ends">
        <Waited since={since} isFirst={isFirst} after=" here" />
        {mayWrite ? (
          <button class="assign" form="opens" name="do" value={`assign:${id}`} data-key="a">
            <span class="hide">Assign {name}. Now: </span>
            <Assignees assignees={assignees} />
          </button>
        ) : (
          <Assignees assignees={assignees} />
        )}
      </div>
    </li>
  );
};

/** The areas to drop a card on for a decision, shown while one is dragged. */
const Decide = ({ mayHire }: { mayHire: boolean }) => (
  <div class="decide" aria-hidden="true">
    {mayHire && (
      <div data-decides="hire">
        <Icon name="check" />
        Hire
      </div>
    )}
    <div data-decides="not-hired">
      <Icon name="x" />
      Not hired
    </div>
  </div>
);
