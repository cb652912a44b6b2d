/** @jsxImportSource preact */
import { isId } from '../../base/columns.ts';
import { listMembers } from '../../firm/member.ts';
import { type BoardFilter, type LeadCard, readBoard } from '../../leads/board.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import { type BoardStage, cardsPerStage } from '../../record/board.ts';
import { pickedNames } from '../away.ts';
import { Board, moreIn } from '../board.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Empty, Filter, Filters, NothingYet, optionsOf } from '../list.tsx';
import type { Shown, Visit } from '../visit.ts';
import { CardDialog, LeadMenu, questionIn, stageField } from './card-dialogs.tsx';
import { leadFields } from './fields.tsx';
import { LeadsHead } from './head.tsx';
import { Assignees, NextStep, noContact, Private, Waited, Worth } from './words.tsx';

/** The firm's ACTIVE leads by stage. */
export const showBoard = async (visit: Visit): Promise<Shown> => {
  const { actor, query, session, may } = visit;
  const [areas, members, board, asked] = await Promise.all([
    allPracticeAreas(actor),
    listMembers(actor),
    readBoard(actor, boardFilterIn(visit), moreIn(query)),
    questionIn(visit),
  ]);
  const { stages, countOf } = board;
  const mayWrite = may('leads:write');
  const mayHire = mayWrite && may('matters:write');
  const present = members.filter(({ deactivatedAt }) => deactivatedAt === null);
  return {
    title: 'Leads',
    follows: ['lead', 'lead_stage'],
    work: stages.length > 0 ? 'list' : undefined,
    main: (
      <>
        <LeadsHead countOf={countOf} status="ACTIVE" isBoard />
        <Filters>
          <Filter
            name="assignee"
            label={leadFields.assigned.label}
            any="Assigned: anyone"
            options={assigneeOptions(pickedNames(present, session))}
          />
          <Filter
            name="area"
            label={leadFields.area.label}
            any={`${leadFields.area.short}: all`}
            options={optionsOf(areas)}
          />
        </Filters>
        {countOf.ACTIVE === 0 && <Nothing />}
        {stages.length > 0 && <Stages stages={stages} mayWrite={mayWrite} />}
        {stages.length > 0 && mayWrite && <Decide mayHire={mayHire} />}
        {mayWrite && <LeadMenu stages={stages} mayHire={mayHire} />}
        {asked && <CardDialog asked={asked} stages={stages} members={present} />}
      </>
    ),
  };
};

/** The choices of the assignee filter: oneself, nobody, each member. */
const assigneeOptions = (members: readonly { id: string; name: string }[]) => [
  { value: 'me', name: 'Assigned: me' },
  { value: 'none', name: 'Assigned: nobody' },
  ...optionsOf(members),
];

/** The id in an address; anything else is left out. */
const idIn = (query: URLSearchParams, name: string): string | null => {
  const text = query.get(name) ?? '';
  return isId(text) ? text : null;
};

const assigneeIn = ({ query, session }: Visit): string | null => {
  const text = query.get('assignee');
  if (text === 'me') return session.member.id;
  return text === 'none' ? text : idIn(query, 'assignee');
};

const boardFilterIn = (visit: Visit): BoardFilter => ({
  practiceAreaId: idIn(visit.query, 'area'),
  assigneeId: assigneeIn(visit),
});

const Nothing = () => {
  const { visit } = useFrame();
  if (visit.query.has('area') || visit.query.has('assignee')) {
    return (
      <Empty text="No active leads match these filters.">
        <a class="button" href="/leads">
          Show all
        </a>
      </Empty>
    );
  }
  return <NothingYet text="No active leads." path="/leads/new" words="New lead" />;
};

const Stages = ({ stages, mayWrite }: { stages: BoardStage<LeadCard>[]; mayWrite: boolean }) => {
  const { admits } = useFrame();
  return (
    <Board
      path="/leads"
      nouns="leads"
      field={stageField}
      filters={['area', 'assignee']}
      stages={stages}
      mayWrite={mayWrite}
      cardsAtOnce={cardsPerStage}
      nameOf={({ contactName }) => contactName ?? noContact}
      body={(card, isFirst) => <Details card={card} mayWrite={mayWrite} isFirst={isFirst} />}
      making={
        admits('/leads/new')
          ? { words: 'New lead', to: (stageId) => `/leads/new?stage=${stageId}` }
          : undefined
      }
    />
  );
};

const Details = ({ card, mayWrite, isFirst }: DetailsProps) => {
  const { id, number, value, isPrivate, since, assignees } = card;
  return (
    <>
      <span class="small muted">
        {isPrivate && <Private />}
        {number} · {card.practiceAreaName ?? 'No area'}
      </span>
      <Worth value={value} />
      <span class="small">
        <NextStep {...card} />
      </span>
      <div class="ends">
        <Waited since={since} isFirst={isFirst} after=" here" />
        {mayWrite ? (
          <button class="assign" form="opens" name="do" value={`assign:${id}`} data-key="a">
            <span class="hide">Assign {card.contactName ?? noContact}. Now: </span>
            <Assignees assignees={assignees} />
          </button>
        ) : (
          <Assignees assignees={assignees} />
        )}
      </div>
    </>
  );
};

type DetailsProps = { card: LeadCard; mayWrite: boolean; isFirst: boolean };

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
