/** @jsxImportSource preact */
import { assigneesOf } from '../../leads/assignees.ts';
import { readLead } from '../../leads/list.ts';
import { type Pickable, pickedName } from '../away.ts';
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
import type { Visit } from '../visit.ts';
import { noContact } from './words.tsx';

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
export type CardQuestion = {
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
export const questionIn = async (visit: Visit): Promise<CardQuestion | undefined> => {
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

export const CardDialog = (props: Choices) => {
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
export const LeadMenu = ({ stages, mayHire }: { stages: IdAndName[]; mayHire: boolean }) => (
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
