/** @jsxImportSource preact */

import { wordFault } from '../base/wording.ts';
import { Alert } from './alert.tsx';
import { useFrame } from './frame.tsx';

/** Why something was not done, if no dialog says it. */
export const NotDone = () => {
  const { refused } = useFrame().visit;
  if (!refused || refused.refusal.faults.some(({ now }) => now !== undefined)) return null;
  const { faults, message } = refused.refusal;
  return (
    <Alert title="This could not be done">
      <p>{faults[0] ? wordFault(faults[0], undefined) : message}</p>
    </Alert>
  );
};
