/** @jsxImportSource preact */
import { type ComponentChildren, isValidElement, toChildArray } from 'preact';
import { wordFault } from '../base/wording.ts';
import { Alert } from './alert.tsx';
import { idOf } from './field.tsx';
import { useForm } from './frame.tsx';

/** The faults, above the form. The summary has the focus, and each fault links to its field. */
export const FormSummary = ({ of }: { of: ComponentChildren }) => {
  const { refused, within } = useForm();
  if (!refused) return null;
  refused.isShown = true;
  const { message } = refused.refusal;
  const faults = refused.refusal.faults.filter(({ at }) => at === undefined);
  const labels = labelsIn(of);
  const [here, elsewhere] = [
    faults.filter(({ field }) => labels.has(listOf(field))),
    faults.filter(({ field }) => !labels.has(listOf(field))),
  ];
  return (
    <Alert title="There is a problem">
      {faults.length === 0 && <p>{message}</p>}
      {faults.length > 0 && (
        <ul>
          {here.map((fault) => (
            <li>
              <a href={`#${idOf(listOf(fault.field), within)}`}>
                {wordFault(fault, labels.get(listOf(fault.field)))}
              </a>
            </li>
          ))}
          {elsewhere.map((fault) => (
            <li>{wordFault(fault, undefined)}</li>
          ))}
        </ul>
      )}
    </Alert>
  );
};

/** The labels of the fields among a form's parts, by the fields' names. */
const labelsIn = (children: ComponentChildren, found = new Map<string, string>()) => {
  for (const child of toChildArray(children)) {
    if (!isValidElement(child)) continue;
    const { name, label, children: inner } = child.props as Record<string, unknown>;
    const isNew = typeof name === 'string' && !found.has(name);
    if (isNew && typeof label === 'string') found.set(name, label);
    if (inner) labelsIn(inner as ComponentChildren, found);
  }
  return found;
};

/** The form's field for a fault: `emails` for `emails[0].address`. */
const listOf = (field: string) => field.replace(/\[\d+\].*$/, '');
