/** @jsxImportSource preact */
import { wordFault } from '../base/wording.ts';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';

/** Why something was not done, if no dialog says it. */
export const NotDone = () => {
  const { refused } = useFrame().visit;
  if (!refused || refused.refusal.faults.some(({ now }) => now !== undefined)) return null;
  const { faults, message } = refused.refusal;
  return (
    <div class="banner danger" role="alert" tabIndex={-1} data-focus>
      <Icon name="circle-alert" />
      <div>
        <h2>This could not be done</h2>
        <p>{faults[0] ? wordFault(faults[0], undefined) : message}</p>
      </div>
    </div>
  );
};
