/** @jsxImportSource preact */
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';

type RefusedActProps = {
  /** What the record is called: `lead`. */
  noun: string;
  /** The addresses of buttons that stand in no form with a place for words. */
  acts: readonly string[];
  /** The form that moves the record to another stage. */
  move: { action: string; field: string; stages: readonly { id: string; name: string }[] };
};

/** What the refusal of a button of a record's page says; those of forms stand in their forms. */
export const RefusedAct = ({ noun, acts, move }: RefusedActProps) => {
  const { refused } = useFrame().visit;
  if (!refused) return null;
  const isMove = refused.action === move.action && refused.fields.has(move.field);
  if (!isMove && !acts.includes(refused.action)) return null;
  const now = refused.refusal.faults.find(({ now }) => now !== undefined)?.now;
  const stage = now && move.stages.find((one) => one.id === now)?.name;
  return (
    <div class="banner danger" role="alert" tabIndex={-1} data-focus>
      <Icon name="circle-alert" />
      <div>
        <h2>This could not be done</h2>
        <p>
          {stage
            ? `Somebody else moved this ${noun} to ${stage} in the meantime. Choose a stage again to move it.`
            : refused.refusal.message}
        </p>
      </div>
    </div>
  );
};
