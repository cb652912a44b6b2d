/** @jsxImportSource preact */

import { Alert } from './alerts.tsx';
import { originalName } from './fields.ts';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';

type StagesProps = {
  /** The address that a move is sent to. */
  action: string;
  /** What the record is called: `lead`. */
  noun: string;
  field: string;
  stages: readonly { id: string; name: string }[];
  stageId: string;
  mayWrite: boolean;
};

/** More stages than this do not fit beside each other: they are a list, as on a phone. */
const maxInLine = 10;

/**
 * The stages of a board, with the record's own. Each is a button for those who may move it. A
 * script offers to undo the move.
 */
export const Stages = (props: StagesProps) => {
  const { action, field, stages, stageId, mayWrite } = props;
  const at = stages.findIndex(({ id }) => id === stageId);
  const isMany = stages.length > maxInLine;
  return (
    <>
      <MovedByOther {...props} />
      <ol class={isMany ? 'stages many' : 'stages'} aria-label="Stage">
        {stages.map(({ id, name }, position) => {
          const current = position === at ? ('step' as const) : undefined;
          const words = (
            <>
              {position < at && <Icon name="check" />}
              <span class="cut">{name}</span>
            </>
          );
          return (
            <li class={position < at ? 'been' : undefined}>
              {mayWrite && current === undefined ? (
                <form class="act" method="post" action={action} data-moves={field}>
                  <input type="hidden" name={field} value={id} data-words={name} />
                  <input type="hidden" name={originalName(field)} value={stageId} />
                  <button aria-label={`Move to ${name}`}>{words}</button>
                </form>
              ) : (
                <span class="step" aria-current={current} tabIndex={current && -1}>
                  {words}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {mayWrite ? (
        <StagePicker {...props} />
      ) : (
        <p class="stage-pick">
          Stage: <b>{stages[at]?.name}</b>
        </p>
      )}
    </>
  );
};

/** Says where somebody else moved the record in the meantime, if a move of these stages was refused. */
const MovedByOther = ({ action, noun, field, stages }: StagesProps) => {
  const { refused } = useFrame().visit;
  const isMove = refused?.action === action && refused.fields.has(field);
  const now = refused?.refusal.faults.find((fault) => fault.field === field)?.now;
  const stage = stages.find(({ id }) => id === now);
  if (!isMove || !stage) return null;
  refused.isShown = true;
  return (
    <Alert>
      <p>
        Somebody else moved this {noun} to {stage.name} in the meantime. Choose a stage again to
        move it.
      </p>
    </Alert>
  );
};

/** The stages on a phone: a list and a button, since arrow keys in a list must not move the record. */
const StagePicker = ({ action, field, stages, stageId }: StagesProps) => (
  <form class="stage-pick field" method="post" action={action} data-moves={field}>
    <label for="stage">Stage</label>
    <div class="row">
      <span class="select grow">
        <select class="input" id="stage" name={field}>
          {stages.map(({ id, name }) => (
            <option value={id} selected={id === stageId}>
              {name}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
      <input type="hidden" name={originalName(field)} value={stageId} />
      <button class="button">Move</button>
    </div>
  </form>
);
