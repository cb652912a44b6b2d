/** @jsxImportSource preact */

import { isId } from '../../base/columns.ts';
import { listMembers } from '../../firm/member.ts';
import { assigneesOf } from '../../leads/assignees.ts';
import { type BoardFilter, type LeadCard, readBoard } from '../../leads/board.ts';
import { readLead } from '../../leads/list.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import { type BoardStage, cardsPerStage } from '../../record/board.ts';
import { type Pickable, pickedName, pickedNames } from '../away.ts';
import { Board, moreIn } from '../board.tsx';
import {
  askedAbout,
  type CardToMove,
  type MoveConflict,
  MoveConflictDialog,
  MoveMenu,
  MoveTo,
  moveConflict,
  type Place,
  useBoard,
} from '../board-dialogs.tsx';
import { Check } from '../choices.tsx';
import { Dialog } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Filter, Filters, optionsOf } from '../list.tsx';
import { Empty, NothingYet } from '../page-parts.tsx';
import type { Shown, Visit } from '../visit.ts';
import { leadFields } from './fields.tsx';
import { LeadsHead } from './list.tsx';
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

type IdAndName = { id: string; name: string };

/** The name under which a form sends a lead's stage. */
export const stageField = 'leadStageColumnId';

const placeOf = (stages: readonly IdAndName[]): Place => ({
  path: '/leads',
  field: stageField,
  noun: 'lead',
  stages,
});

/** A question about one lead: which stage, or which assignees. */
type CardQuestion = {
  kind: 'move' | 'assign';
  /** The dialog's id, and what its form sends as `do`: `move:` and the lead's id. */
  id: string;
  lead: CardToMove;
  assigneeIds: string[];
  conflict: MoveConflict | undefined;
};

/** What can be done with one lead on the board. */
export const leadActs = ['move', 'assign'] as const;

/** The dialog that the address asks for, or that a refused form shows again. */
const questionIn = async (visit: Visit): Promise<CardQuestion | undefined> => {
  const { actor, may } = visit;
  if (!may('leads:write')) return undefined;
  const asked = await askedAbout(visit, leadActs, readLead);
  if (!asked) return undefined;
  const { id, act, found: lead } = asked;
  const columns = { field: stageField, column: 'leadStageId' };
  const [assignees, conflict] = await Promise.all([
    act.kind === 'assign' ? assigneesOf(actor, act.id) : [],
    moveConflict(visit, actor, act.id, columns),
  ]);
  return {
    kind: act.kind,
    id,
    lead: { id: act.id, stageId: lead.leadStageColumnId, name: lead.contact?.name ?? noContact },
    assigneeIds: assignees.map(({ id }) => id),
    conflict,
  };
};

type Choices = { asked: CardQuestion; stages: IdAndName[]; members: Pickable[] };

const CardDialog = (props: Choices) => {
  const { id, kind, lead, conflict } = props.asked;
  const place = placeOf(props.stages);
  if (kind === 'assign') return <Assign {...props} />;
  if (conflict) return <MoveConflictDialog id={id} card={lead} place={place} conflict={conflict} />;
  return (
    <MoveTo id={id} card={lead} place={place}>
      <p class="row after">
        <a class="button" href={`/leads/${lead.id}?do=hire`}>
          Hire…
        </a>
        <a class="button" href={`/leads/${lead.id}?do=not-hired`}>
          Not hired…
        </a>
      </p>
    </MoveTo>
  );
};

/**
 * Asks who works on a lead. Oneself comes first, and with a script a letter ticks whose name begins
 * with it: `A`, a letter and Enter assign a lead.
 */
const Assign = ({ asked: { id, lead, assigneeIds }, members }: Choices) => {
  const frame = useFrame();
  const self = (frame.visit as Visit).session.member.id;
  const isSelf = (one: IdAndName) => Number(one.id === self);
  return (
    <Dialog id={id} title={`Assign ${lead.name}`} class="slim">
      <Form action={useBoard('/leads')} save="Assign">
        <fieldset class="checks" data-script="tick-by-letter">
          <legend class="hide">Who works on this lead</legend>
          {members
            .toSorted((one, other) => isSelf(other) - isSelf(one))
            .map((member) => (
              <Check
                name="assigneeIds"
                value={member.id}
                label={pickedName(member, frame, self)}
                checked={assigneeIds.includes(member.id)}
              />
            ))}
        </fieldset>
      </Form>
    </Dialog>
  );
};

/** The menu of a card's three dots. A script fills in the card. */
const LeadMenu = ({ stages, mayHire }: { stages: IdAndName[]; mayHire: boolean }) => (
  <MoveMenu place={placeOf(stages)}>
    <hr />
    <button role="menuitem" type="button" tabIndex={-1} data-assigns>
      <Icon name="user-plus" />
      Assign…
      <kbd aria-hidden>A</kbd>
    </button>
    <hr />
    {mayHire && (
      <a role="menuitem" class="item" href="/leads" tabIndex={-1} data-asks="hire" data-key="h">
        <Icon name="check" />
        Hire…
        <kbd aria-hidden>H</kbd>
      </a>
    )}
    <a role="menuitem" class="item" href="/leads" tabIndex={-1} data-asks="not-hired">
      <Icon name="x" />
      Not hired…
    </a>
  </MoveMenu>
);
