/** @jsxImportSource preact */

import type { CustomField } from '../../custom-fields/custom-field.ts';
import type { HeldValues } from '../../custom-fields/remove.ts';
import { Asks } from '../asks.tsx';
import { counted } from '../numbers.ts';
import { namesInWords } from '../said.ts';

type RemoveProps = {
  field: CustomField;
  action: string;
  held: HeldValues;
  /** The date rules that count from it. */
  rules: readonly { name: string }[];
  /** The task lists that count from it. */
  lists: readonly { name: string }[];
  /** Whether the visitor sees private records. */
  seesAll: boolean;
};

/** Says what is lost with a field, and asks. */
export const RemoveField = ({ field, action, held, rules, lists, seesAll }: RemoveProps) => {
  const holder = field.appliesTo.toLowerCase();
  return (
    <Asks
      id="remove"
      title={`Remove ${field.name}?`}
      action={action}
      fields={{ standing: String(held.standing), deleted: String(held.deleted) }}
      verb="Remove field"
      isEnd
    >
      <p>
        {lossWords(held, holder)}
        {!seesAll && field.appliesTo !== 'MATTER' && (
          <> Values on private {holder}s that you may not see are lost too.</>
        )}
      </p>
      {rules.length > 0 && (
        <p>
          {counted(rules.length, 'date rule counts', 'date rules count')} from it:{' '}
          {namesInWords(rules.map(({ name }) => name))}.{' '}
          {rules.length === 1 ? 'The rule gives' : 'The rules give'} no dates any more. Dates that{' '}
          {rules.length === 1 ? 'it has' : 'they have'} created stay.
        </p>
      )}
      {lists.length > 0 && (
        <p>
          {counted(lists.length, 'task list counts', 'task lists count')} from it:{' '}
          {namesInWords(lists.map(({ name }) => name))}. Their tasks that count from the field get
          no due date any more. Tasks that were added stay as they are.
        </p>
      )}
      <p class="muted">
        This cannot be undone. Programs that send this field are refused from then on: tell the
        people who maintain them. The values stay in the audit log.
      </p>
    </Asks>
  );
};

/** `3 leads and 1 deleted lead lose their value in this field.` */
const lossWords = ({ standing, deleted }: HeldValues, holder: string): string => {
  const records = [
    standing > 0 && counted(standing, holder),
    deleted > 0 && counted(deleted, `deleted ${holder}`),
  ].filter(Boolean);
  if (records.length === 0) return `No ${holder} holds a value in this field.`;
  return standing + deleted === 1
    ? `${records.join('')} loses its value in this field.`
    : `${records.join(' and ')} lose their values in this field.`;
};
