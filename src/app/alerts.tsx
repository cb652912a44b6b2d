/** @jsxImportSource preact */
import {
  type ComponentChildren,
  type FunctionComponent,
  isValidElement,
  toChildArray,
} from 'preact';
import { render } from 'preact-render-to-string';
import { wordFault } from '../base/wording.ts';
import { type Asked, faultWords, idOf } from './field.tsx';
import { InFrame, useForm, useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { markup } from './markup.ts';
import { doneBeforeOf } from './said.ts';
import type { Refused } from './visit.ts';

/** What went wrong, at the top of its page or form. It has the focus, and screen readers say it. */
export const Alert = ({
  title = 'There is a problem',
  children,
}: {
  title?: string;
  children: ComponentChildren;
}) => (
  <div class="banner danger" role="alert" tabIndex={-1} data-focus autofocus>
    <Icon name="circle-alert" />
    <div>
      <h2>{title}</h2>
      {children}
    </div>
  </div>
);

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

/** The faults, above the form. The summary has the focus, and each fault links to its field. */
export const FormSummary = ({ of }: { of: ComponentChildren }) => {
  const { refused, within } = useForm();
  if (!refused) return null;
  refused.isShown = true;
  const { message } = refused.refusal;
  const faults = refused.refusal.faults.filter(({ at }) => at === undefined);
  const parts = partsIn(of);
  // In the order of the form.
  const here = [...parts.keys()].flatMap((name) =>
    faults.filter(({ field }) => listOf(field) === name),
  );
  const elsewhere = faults.filter(({ field }) => !parts.has(listOf(field)));
  return (
    <Alert>
      {faults.length === 0 && <p>{message}</p>}
      {faults.length > 0 && (
        <ul>
          {here.map((fault) => (
            <li>
              <a href={`#${idOf(listOf(fault.field), within)}`}>
                {faultWords(fault, parts.get(listOf(fault.field)), refused.fields)}
              </a>
            </li>
          ))}
          {elsewhere.map((fault) => (
            <li>{faultWords(fault, undefined, refused.fields)}</li>
          ))}
        </ul>
      )}
    </Alert>
  );
};

/** The fields among a form's parts, by their names. */
const partsIn = (children: ComponentChildren, found = new Map<string, Asked>()) => {
  for (const child of toChildArray(children)) {
    if (!isValidElement(child)) continue;
    const { name, label, children: inner } = child.props as Record<string, unknown>;
    const isNew = typeof name === 'string' && !found.has(name);
    if (isNew && typeof label === 'string') found.set(name, child.props as Asked);
    if (inner) partsIn(inner as ComponentChildren, found);
    // A part without a name of its own may stand for several fields: it is read in the form's context.
    else if (typeof name !== 'string' && typeof child.type === 'function')
      partsIn((child.type as FunctionComponent<unknown>)(child.props), found);
  }
  return found;
};

/** The form's field for a fault: `emails` for `emails[0].address`. */
const listOf = (field: string) => field.replace(/\[\d+\].*$/, '');
