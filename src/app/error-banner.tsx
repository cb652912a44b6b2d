/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';
import { wordFault } from '../base/wording.ts';
import { Alert } from './alert.tsx';
import { InFrame, useFrame } from './frame.tsx';
import { markup } from './markup.ts';
import { doneBeforeOf } from './said.ts';
import type { Refused } from './visit.ts';

/** A page, and above it why a form was refused, if no form on the page says so. */
export const WithRefusal = ({ children }: { children: ComponentChildren }) => {
  const frame = useFrame();
  const { refused } = frame.visit;
  if (!refused) return <>{children}</>;
  // Which form says why is known when the page is written.
  const page = render(<InFrame value={frame}>{children}</InFrame>);
  return (
    <>
      {!refused.isShown && <ErrorBanner refused={refused} />}
      {markup([page])}
    </>
  );
};

const ErrorBanner = ({ refused: { refusal } }: { refused: Refused }) => {
  const { faults, message } = refusal;
  // The other person's value is shown by a form, or by nothing.
  const isWorded = faults.length > 0 && faults.every(({ now }) => now === undefined);
  const done = doneBeforeOf(refusal);
  return (
    <Alert>
      {isWorded ? faults.map((fault) => <p>{wordFault(fault, undefined)}</p>) : <p>{message}</p>}
      {done && (
        <form
          method="post"
          action={done.undo.action}
          data-script="keeps-undo"
          data-done={done.words}
        >
          {done.undo.fields.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button class="button">Undo</button>
        </form>
      )}
    </Alert>
  );
};
