/** @jsxImportSource preact */

import type { LeadRecord } from '../../leads/record.ts';
import type { LeadChoices } from '../../views/choices.ts';
import { pickedName } from '../away.ts';
import { Check } from '../choices.tsx';
import { customFields } from '../custom-fields.tsx';
import { Theirs, useField } from '../field.tsx';
import { originalName } from '../fields.ts';
import { useForm, useFrame } from '../frame.tsx';
import { valuesOf } from '../records/field.tsx';
import type { SeenNames } from '../records/kinds.tsx';
import { rememberedByAddress } from '../remembered.ts';
import { namesInWords } from '../said.ts';
import { DetailsPanel, type ValueProps } from '../values.tsx';
import { Avatar } from '../words.tsx';
import { type Lead, leadFields } from './fields.tsx';

export type Person = { id: string; name: string };

/** The ids of those who work on a lead, as the form sends them. */
export const assigneesText = ({ assignees }: Pick<LeadRecord, 'assignees'>) =>
  assignees
    .map(({ id }) => id)
    .sort()
    .join('\n');

type DetailsProps = {
  lead: LeadRecord;
  mayWrite: boolean;
  choices: LeadChoices;
  members: readonly Person[];
  /** The visitor of the page. */
  self: { id: string; seesPrivate: boolean };
  names: SeenNames;
};

// The stage has a bar of its own, and a lead is private for those who are assigned.
const { stage, private: isPrivate, ...rows } = leadFields;

/** A lead's details. Each can be edited in place. */
export const Details = rememberedByAddress(
  ({ lead, mayWrite, choices, members, self, names }: DetailsProps) => {
    const action = mayWrite ? `/leads/${lead.id}` : undefined;
    const of = { record: lead, choices, action };
    return (
      <DetailsPanel
        values={[
          ...valuesOf(rows, of),
          assigned({ lead, members, self, action: action && `${action}/assignees` }),
          ...valuesOf({ isPrivate }, of),
          ...valuesOf(customFields<Lead>(lead.defined, names), of),
        ]}
      />
    );
  },
);

type AssignedProps = Pick<DetailsProps, 'lead' | 'members' | 'self'> & {
  action: string | undefined;
};

const assigned = ({ lead, members, self, action }: AssignedProps): ValueProps => ({
  label: leadFields.assigned.label,
  none: 'Nobody',
  stands: true,
  shown:
    lead.assignees.length === 0
      ? null
      : lead.assignees.map(({ name }) => (
          <span class="person">
            <Avatar name={name} plain />
            {name}
          </span>
        )),
  action,
  names: [originalName('assigneeIds')],
  children: <Members lead={lead} members={members} self={self} />,
});

const nameOf = ({ name }: Person) => name;

const Members = ({ lead, members, self }: Omit<AssignedProps, 'action'>) => {
  const { refused } = useForm();
  const frame = useFrame();
  const held = assigneesText(lead);
  const field = useField({ name: 'assigneeIds', label: leadFields.assigned.label }, held);
  const isLeaving = field.fault?.rule === leavingRule;
  return (
    <fieldset aria-describedby={field.words ? `${field.id}-fault` : undefined}>
      <legend class="hide">{leadFields.assigned.label}</legend>
      <Theirs
        fault={field.fault}
        name="assigneeIds"
        say={(ids) =>
          namesInWords(members.filter(({ id }) => ids.split('\n').includes(id)).map(nameOf))
        }
      />
      {field.words && field.fault?.now === undefined && (
        <p class="refusal" id={`${field.id}-fault`}>
          {isLeaving ? leavingWords : field.words}
        </p>
      )}
      <input type="hidden" name={originalName('assigneeIds')} value={field.startedFrom ?? held} />
      {members.map((one) => (
        <Check
          name="assigneeIds"
          value={one.id}
          label={pickedName(one, frame, self.id)}
          checked={lead.assignees.some(({ id }) => id === one.id)}
        />
      ))}
      {(isLeaving || refused?.fields.has('leaves')) && (
        <Check name="leaves" label="Yes, remove me. I will no longer see this lead." />
      )}
    </fieldset>
  );
};

/** Why the form asks again before members lose sight of a private lead. */
export const leavingRule = 'would no longer include you, and the lead is private';

const leavingWords =
  'This lead is private. If you leave it, you can no longer see it. Only an owner or another assignee can add you again.';
