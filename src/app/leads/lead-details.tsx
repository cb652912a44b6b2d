/** @jsxImportSource preact */
import type { LeadRecord } from '../../leads/record.ts';
import { leadValues } from '../../leads/table.ts';
import { Check } from '../choices.tsx';
import { CustomFieldValues, customFieldTexts, type NameOf } from '../custom-fields.tsx';
import { useField } from '../field.tsx';
import { originalName } from '../fields.ts';
import { Choice, type Option } from '../form.tsx';
import { useForm } from '../frame.tsx';
import { Panel } from '../list.tsx';
import { Value, Values } from '../values.tsx';
import { Avatar } from '../words.tsx';
import { valueNames, Worth } from './words.tsx';

/** The values to choose from, the highest first. */
export const valueOptions: Option[] = Object.entries(valueNames)
  .map(([value, name]) => ({ value, name }))
  .reverse();

export type Person = { id: string; name: string };

/** The values of a lead's fields, as its forms show and send them. */
export const textsOfLead = (lead: LeadRecord): Record<string, string> => ({
  practiceAreaId: lead.practiceArea?.id ?? '',
  leadStageColumnId: lead.leadStageColumnId ?? '',
  value: lead.value ?? '',
  isPrivate: lead.isPrivate ? 'yes' : 'no',
  assigneeIds: lead.assignees
    .map(({ id }) => id)
    .sort()
    .join('\n'),
  ...customFieldTexts(lead),
});

const privacy: Option[] = [
  { value: 'no', name: 'No, everyone who can read leads sees it' },
  { value: 'yes', name: 'Yes, only those assigned and the owners see it' },
];

type DetailsProps = {
  lead: LeadRecord;
  mayWrite: boolean;
  areas: readonly Option[];
  members: readonly Person[];
  /** The visitor of the page. */
  self: { id: string; seesPrivate: boolean };
  nameOf: NameOf;
};

/** A lead's details. Each can be edited in place. */
export const Details = ({ lead, mayWrite, areas, members, self, nameOf }: DetailsProps) => {
  const action = mayWrite ? `/leads/${lead.id}` : undefined;
  const held = textsOfLead(lead);
  const value = leadValues.find((one) => one === lead.value);
  return (
    <Panel id="details" title="Details">
      <div class="body">
        <Values>
          <Value
            label="Practice area"
            shown={lead.practiceArea?.name}
            action={action}
            names={['practiceAreaId']}
          >
            <Choice
              name="practiceAreaId"
              label="Practice area"
              value={held.practiceAreaId}
              options={areas}
              none="None"
            />
          </Value>
          <Value
            label="Value"
            shown={value && <Worth value={value} />}
            action={action}
            names={['value']}
          >
            <Choice
              name="value"
              label="Value"
              value={held.value}
              options={valueOptions}
              none="None"
            />
          </Value>
          <Assigned
            lead={lead}
            members={members}
            self={self}
            action={action && `${action}/assignees`}
          />
          <Value
            label="Private"
            shown={privacy.find((one) => one.value === held.isPrivate)?.name}
            action={action}
            names={['isPrivate']}
          >
            <Choice name="isPrivate" label="Private" value={held.isPrivate} options={privacy} />
          </Value>
          <CustomFieldValues record={lead} action={action} nameOf={nameOf} />
        </Values>
      </div>
    </Panel>
  );
};

type AssignedProps = Pick<DetailsProps, 'lead' | 'members' | 'self'> & {
  action: string | undefined;
};

const Assigned = ({ lead, members, self, action }: AssignedProps) => (
  <Value
    label="Assigned"
    none="Nobody"
    shown={
      lead.assignees.length === 0
        ? null
        : lead.assignees.map(({ name }) => (
            <span class="person">
              <Avatar name={name} plain />
              {name}
            </span>
          ))
    }
    action={action}
    names={[originalName('assigneeIds')]}
  >
    <Members lead={lead} members={members} self={self} />
  </Value>
);

const Members = ({ lead, members, self }: Omit<AssignedProps, 'action'>) => {
  const { refused } = useForm();
  const held = textsOfLead(lead).assigneeIds ?? '';
  const field = useField({ name: 'assigneeIds', label: 'Assigned' }, held);
  const isLeaving = field.fault?.rule === leavingRule;
  return (
    <fieldset aria-describedby={field.words ? `${field.id}-fault` : undefined}>
      <legend class="hide">Assigned</legend>
      {field.words && (
        <p class="refusal" id={`${field.id}-fault`}>
          {isLeaving ? leavingWords : field.words}
        </p>
      )}
      <input type="hidden" name={originalName('assigneeIds')} value={field.startedFrom ?? held} />
      {members.map(({ id, name }) => (
        <Check
          name="assigneeIds"
          value={id}
          label={id === self.id ? `${name} (you)` : name}
          checked={lead.assignees.some((one) => one.id === id)}
        />
      ))}
      {(isLeaving || refused?.fields.has('leaves')) && (
        <Check name="leaves" label="Yes, I leave it and will no longer see it" />
      )}
    </fieldset>
  );
};

/** Why the form asks again before members lose sight of a private lead. */
export const leavingRule = 'would no longer include you, and the lead is private';

const leavingWords =
  'This lead is private. If you leave it, you can no longer see it. Only an owner or another assignee can add you again.';
