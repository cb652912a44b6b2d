/** @jsxImportSource preact */
import { Alert } from './alert.tsx';
import { useFrame } from './frame.tsx';

type RefusedActProps = {
  /** What the record is called: `lead`. */
  noun: string;
  /** The addresses of buttons outside of forms that could show a refusal. */
  acts: readonly string[];
  /** The form that moves the record to another stage. */
  move: { action: string; field: string; stages: readonly { id: string; name: string }[] };
};

/** The refusal of a single button on a record's page. Forms show their own refusals. */
export const RefusedAct = ({ noun, acts, move }: RefusedActProps) => {
  const { refused } = useFrame().visit;
  if (!refused) return null;
  const isMove = refused.action === move.action && refused.fields.has(move.field);
  if (!isMove && !acts.includes(refused.action)) return null;
  const now = refused.refusal.faults.find(({ now }) => now !== undefined)?.now;
  const stage = now && move.stages.find((one) => one.id === now)?.name;
  return (
    <Alert title="This could not be done">
      <p>
        {stage
          ? `Somebody else moved this ${noun} to ${stage} in the meantime. Choose a stage again to move it.`
          : refused.refusal.message}
      </p>
    </Alert>
  );
};
