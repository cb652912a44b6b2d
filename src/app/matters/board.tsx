/** @jsxImportSource preact */
import { isId } from '../../base/columns.ts';
import { listMembers } from '../../firm/member.ts';
import { type MatterCard, readMatterBoard } from '../../matters/board.ts';
import { matterRecord } from '../../matters/record.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import { type BoardStage, cardsPerStage } from '../../record/board.ts';
import { peopleOptions } from '../away.ts';
import { Board, moreIn } from '../board.tsx';
import {
  askedAbout,
  MoveConflictDialog,
  MoveMenu,
  MoveTo,
  moveConflict,
  type Place,
} from '../board-dialogs.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Assignees, durationWords } from '../leads/words.tsx';
import { LimitationLine } from '../limitation.tsx';
import { Filter, Filters, optionsOf } from '../list.tsx';
import { Empty, NothingYet, ToPracticeAreas } from '../page-parts.tsx';
import type { Shown, Visit } from '../visit.ts';
import { matterFields } from './fields.tsx';
import { MattersHead } from './list.tsx';

/** The name under which a form sends a matter's stage. */
export const stageField = 'practiceAreaStageColumnId';

/** What can be done with one matter on the board. */
export const matterActs = ['move'] as const;

/** The ACTIVE matters of a practice area by stage; by default those of the firm's first area. */
export const showBoard = async (visit: Visit): Promise<Shown> => {
  const { actor, query, session, may } = visit;
  const [areas, members] = await Promise.all([allPracticeAreas(actor), listMembers(actor)]);
  const area = areas.find(({ id }) => id === query.get('area')) ?? areas[0];
  if (!area) return { title: 'Matters', main: <NoArea /> };
  const asked = query.get('responsible') ?? '';
  const responsibleId =
    asked === 'me' ? session.member.id : isId(asked) || asked === 'none' ? asked : null;
  const [{ stages, countOf }, dialog] = await Promise.all([
    readMatterBoard(actor, { areaId: area.id, responsibleId }, moreIn(query)),
    questionIn(visit),
  ]);
  const mayWrite = may('matters:write');
  const place: Place = { path: '/matters', field: stageField, noun: 'matter', stages };
  const present = members.filter(({ deactivatedAt }) => deactivatedAt === null);
  const people = peopleOptions(present, session);
  return {
    title: 'Matters',
    follows: ['matter', 'stage', 'practice_area'],
    work: stages.length > 0 ? 'list' : undefined,
    main: (
      <>
        <MattersHead countOf={countOf} status="ACTIVE" isBoard areaId={area.id} />
        <Filters>
          <Filter
            name="area"
            label={matterFields.area.label}
            any={areas[0]?.name ?? ''}
            options={optionsOf(areas.slice(1))}
          />
          <Filter
            name="responsible"
            label={matterFields.responsible.label}
            any="Responsible: anyone"
            options={[
              { value: 'me', name: 'Responsible: me' },
              { value: 'none', name: 'Responsible: nobody' },
              ...people,
            ]}
          />
        </Filters>
        {countOf.ACTIVE === 0 && <Nothing area={area.name} />}
        {stages.length > 0 && <Stages areaId={area.id} stages={stages} mayWrite={mayWrite} />}
        {mayWrite && (
          <MoveMenu place={place}>
            <hr />
            <a role="menuitem" class="item" href="/matters" tabIndex={-1} data-asks="change-team">
              <Icon name="users" />
              Team…
              <kbd aria-hidden>A</kbd>
            </a>
          </MoveMenu>
        )}
        {dialog && <CardDialog {...dialog} place={place} />}
      </>
    ),
  };
};

const NoArea = () => (
  <Empty text="The firm has no practice area yet. Each area has a board of its own.">
    <div class="row">
      <ToPracticeAreas />
      <a class="button" href="/matters?view=list">
        Show the list
      </a>
    </div>
  </Empty>
);

const Nothing = ({ area }: { area: string }) => (
  <NothingYet text={`No active ${area} matters.`} path="/matters/new" words="New matter" />
);

type StagesProps = { areaId: string; stages: BoardStage<MatterCard>[]; mayWrite: boolean };

const Stages = ({ areaId, stages, mayWrite }: StagesProps) => {
  const { admits } = useFrame();
  return (
    <Board
      path="/matters"
      nouns="matters"
      field={stageField}
      filters={['area', 'responsible']}
      stages={stages}
      mayWrite={mayWrite}
      cardsAtOnce={cardsPerStage}
      nameOf={({ title }) => title}
      body={(card) => <Details card={card} mayWrite={mayWrite} />}
      making={
        admits('/matters/new')
          ? {
              words: 'New matter',
              to: (stageId) => `/matters/new?area=${areaId}&stage=${stageId}`,
            }
          : undefined
      }
    />
  );
};

const Details = ({ card, mayWrite }: { card: MatterCard; mayWrite: boolean }) => (
  <>
    <span class="small muted">
      {card.number}
      {card.clients[0] && ` · ${card.clients[0]}`}
      {card.clients.length > 1 && ` and ${card.clients.length - 1} more`}
    </span>
    {(card.solDate !== null || card.expectsLimitationDate) && (
      <span class="small">
        <LimitationLine limitation={card} />
      </span>
    )}
    <div class="ends">
      <Here since={card.since} />
      {mayWrite ? (
        <a class="assign" href={`/matters/${card.id}?do=change-team`} data-key="a">
          <span class="hide">Team of {card.title}. Responsible: </span>
          <Assignees assignees={card.responsible} />
        </a>
      ) : (
        <Assignees assignees={card.responsible} />
      )}
    </div>
  </>
);

const Here = ({ since }: { since: Date }) => (
  <span class="muted">{durationWords(since, useFrame().now)} here</span>
);

type CardQuestion = {
  id: string;
  card: { id: string; name: string; stageId: string | null };
  conflict: Awaited<ReturnType<typeof moveConflict>>;
};

/** The dialog that the address asks for, or that a refused form shows again. */
const questionIn = async (visit: Visit): Promise<CardQuestion | undefined> => {
  if (!visit.may('matters:write')) return undefined;
  const asked = await askedAbout(visit, matterActs, matterRecord);
  if (!asked) return undefined;
  const { id, act, found: matter } = asked;
  const columns = { field: stageField, column: 'stageId' };
  return {
    id,
    card: { id: act.id, name: matter.title, stageId: matter.stage?.id ?? null },
    conflict: await moveConflict(visit, visit.actor, act.id, columns),
  };
};

const CardDialog = ({ id, card, conflict, place }: CardQuestion & { place: Place }) =>
  conflict ? (
    <MoveConflictDialog id={id} card={card} place={place} conflict={conflict} />
  ) : (
    <MoveTo id={id} card={card} place={place} />
  );
