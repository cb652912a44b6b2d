/** @jsxImportSource preact */
import { isId } from '../../base/columns.ts';
import { Refusal } from '../../base/refusal.ts';
import { assigneesOf } from '../../leads/assignees.ts';
import { type LastMove, lastMoveOf } from '../../leads/last-move.ts';
import { readLead } from '../../leads/list.ts';
import { Dialog } from '../dialog.tsx';
import { beganAs } from '../fields.ts';
import { Check, Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith } from '../list.tsx';
import { Moment } from '../moments.tsx';
import type { Visit } from '../visit.ts';
import { noContact } from './words.tsx';

type Named = { id: string; name: string };

/** A question about one lead: which stage, or which assignees. */
export type Asked = {
  kind: 'move' | 'assign';
  /** The dialog's id, and what its form sends as `do`: `move:` and the lead's id. */
  id: string;
  lead: { id: string; name: string; stageId: string | null };
  assigneeIds: string[];
  /** Somebody else moved the lead first: to which stage, and where it should have gone. */
  overtaken: { by: LastMove | undefined; wanted: string } | undefined;
};

/** What `do` in a form or link means: `move:` or `assign:`, and a lead's id. */
export const readAct = (text: string | null | undefined) => {
  const [, kind, id] = /^(move|assign):(.+)$/.exec(text ?? '') ?? [];
  return kind && id && isId(id) ? { kind: kind as Asked['kind'], id } : undefined;
};

/**
 * The dialog that the address asks for, or that a refused form shows again. A missing lead has
 * none.
 */
export const askedDialog = async (visit: Visit): Promise<Asked | undefined> => {
  const { actor, query, refused, may } = visit;
  const text = refused?.fields.raw('do') ?? query.get('do');
  const act = readAct(text);
  if (!text || !act || !may('leads:write')) return undefined;
  const lead = await readLead(actor, act.id).catch((error) => {
    if (error instanceof Refusal && error.code === 'not_found') return undefined;
    throw error;
  });
  if (!lead) return undefined;
  const isOvertaken = refused?.refusal.faults.some(({ now }) => now !== undefined) ?? false;
  const [assignees, by] = await Promise.all([
    act.kind === 'assign' ? assigneesOf(actor, act.id) : [],
    isOvertaken ? lastMoveOf(actor, act.id) : undefined,
  ]);
  const wanted = refused?.fields.raw('leadStageColumnId') ?? '';
  return {
    kind: act.kind,
    id: text,
    lead: { id: act.id, stageId: lead.leadStageColumnId, name: lead.contact?.name ?? noContact },
    assigneeIds: assignees.map(({ id }) => id),
    overtaken: isOvertaken ? { by, wanted } : undefined,
  };
};

type Choices = { asked: Asked; stages: Named[]; members: Named[] };

/** The dialog about one lead. */
export const CardDialog = (props: Choices) => {
  if (props.asked.kind === 'assign') return <Assign {...props} />;
  return props.asked.overtaken ? <Overtaken {...props} /> : <MoveTo {...props} />;
};

/** The board's address without the question. */
const useHere = () => addressWith('/leads', useFrame().visit.query, {});

/** Without a script: asks for the stage of a card. */
const MoveTo = ({ asked: { id, lead }, stages }: Choices) => (
  <Dialog id={id} title={`Move ${lead.name} to…`} look="slim">
    <Form action={useHere()} look="choose">
      <input type="hidden" name={beganAs('leadStageColumnId')} value={lead.stageId ?? ''} />
      {stages.map((stage) => (
        <button
          class="button wide"
          name="leadStageColumnId"
          value={stage.id}
          disabled={stage.id === lead.stageId}
        >
          {stage.name}
        </button>
      ))}
    </Form>
    <p class="row after">
      <a class="button" href={`/leads/${lead.id}?do=hire`}>
        Hire…
      </a>
      <a class="button" href={`/leads/${lead.id}?do=not-hired`}>
        Not hired…
      </a>
    </p>
  </Dialog>
);

/** Somebody else was first: says who moved the lead and where to, and asks again. */
const Overtaken = ({ asked: { id, lead, overtaken }, stages }: Choices) => {
  const here = useHere();
  const nameOf = (stageId: string | null | undefined) =>
    stages.find((stage) => stage.id === stageId)?.name ?? 'another stage';
  const by = overtaken?.by;
  return (
    <Dialog id={id} title={`${lead.name} was moved in the meantime`} look="slim">
      <div role="alert" data-focus tabIndex={-1}>
        <p>
          {by?.memberName ?? 'The administrator'}
          {by?.keyName && ` (through key ${by.keyName})`} moved this lead to {nameOf(lead.stageId)}
          {by && (
            <>
              {' '}
              (<Moment at={by.at.toISOString()} />)
            </>
          )}
          . You wanted it in {nameOf(overtaken?.wanted)}.
        </p>
      </div>
      <div class="row end after">
        <form method="dialog">
          <button class="button">Leave it in {nameOf(lead.stageId)}</button>
        </form>
        <form class="act" method="post" action={here}>
          <input type="hidden" name="do" value={id} />
          <input type="hidden" name={beganAs('leadStageColumnId')} value={lead.stageId ?? ''} />
          <button class="button primary" name="leadStageColumnId" value={overtaken?.wanted}>
            Move it to {nameOf(overtaken?.wanted)}
          </button>
        </form>
      </div>
    </Dialog>
  );
};

/** Asks who works on a lead. */
const Assign = ({ asked: { id, lead, assigneeIds }, members }: Choices) => (
  <Dialog id={id} title={`Assign ${lead.name}`} look="slim">
    <Form action={useHere()} save="Assign">
      <fieldset class="checks">
        <legend class="hide">Who works on this lead</legend>
        {members.map((member) => (
          <Check
            name="assigneeIds"
            value={member.id}
            label={member.name}
            checked={assigneeIds.includes(member.id)}
          />
        ))}
      </fieldset>
    </Form>
  </Dialog>
);

/** The menu behind a card's three dots. A script fills in the card. */
export const MoveMenu = ({ stages, mayHire }: { stages: Named[]; mayHire: boolean }) => (
  <div class="menu" id="move-menu" popover="auto" role="menu" aria-label="Move to">
    <form method="post" action={useHere()}>
      <input type="hidden" name="do" value="" />
      <input type="hidden" name={beganAs('leadStageColumnId')} value="" />
      <div role="presentation">
        Move to
        <kbd aria-hidden>M</kbd>
      </div>
      {stages.map(({ id, name }) => (
        <button
          role="menuitemradio"
          aria-checked="false"
          name="leadStageColumnId"
          value={id}
          tabIndex={-1}
        >
          <Icon name="circle" />
          {name}
        </button>
      ))}
    </form>
    <hr />
    <button role="menuitem" type="button" tabIndex={-1} data-assigns>
      <Icon name="user-plus" />
      Assign…
      <kbd aria-hidden>A</kbd>
    </button>
    <hr />
    {mayHire && (
      <a role="menuitem" class="item" href="/leads" tabIndex={-1} data-asks="hire">
        <Icon name="check" />
        Hire…
      </a>
    )}
    <a role="menuitem" class="item" href="/leads" tabIndex={-1} data-asks="not-hired">
      <Icon name="x" />
      Not hired…
    </a>
  </div>
);
