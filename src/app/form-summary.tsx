/** @jsxImportSource preact */
import {
  type ComponentChildren,
  type FunctionComponent,
  isValidElement,
  toChildArray,
} from 'preact';
import { Alert } from './alert.tsx';
import { type Asked, faultWords, idOf } from './field.tsx';
import { useForm } from './frame.tsx';

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
