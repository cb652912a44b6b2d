/** @jsxImportSource preact */
import { type CustomField, customFieldsOn } from '../../custom-fields/custom-field.ts';
import { listMembers } from '../../firm/member.ts';
import { createLead } from '../../leads/lead.ts';
import { leadStageList } from '../../leads/stages.ts';
import { newLead } from '../../leads/wire.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import { Check } from '../choices.tsx';
import { validateEmail, validatePhone } from '../contact-input.ts';
import { CustomFieldControl, filledFrom, isStored, sentAs } from '../custom-fields.tsx';
import { checked, type Fields } from '../fields.ts';
import { Choice, Form, type Option, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Island } from '../island.tsx';
import { optionsOf, Title } from '../list.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { answerKnown, knownBy, mustHaveNamed } from './known.ts';
import { type Known, KnownList } from './known-list.tsx';
import { type Person, valueOptions } from './lead-details.tsx';

const showNew = async (visit: Visit): Promise<Shown> => {
  const { actor, refused, session } = visit;
  const [areas, stages, members, defined, known] = await Promise.all([
    allPracticeAreas(actor),
    leadStageList.all(actor),
    listMembers(actor),
    customFieldsOn(actor, 'LEAD'),
    refused ? knownBy(visit, refused.fields) : [],
  ]);
  return {
    title: 'New lead',
    place: '/leads',
    main: (
      <div class="prose">
        <Title title="New lead" />
        <NewLead
          areas={optionsOf(areas)}
          stages={optionsOf(stages)}
          members={members.filter(({ deactivatedAt }) => !deactivatedAt)}
          self={session.member.id}
          fields={defined.filter(isStored)}
          known={known}
        />
      </div>
    ),
  };
};

type NewLeadProps = {
  areas: Option[];
  stages: Option[];
  members: Person[];
  self: string;
  fields: CustomField[];
  known: Known[];
};

const NewLead = ({ areas, stages, members, self, fields, known }: NewLeadProps) => {
  const { refused } = useFrame().visit;
  const folded = ['leadStageColumnId', 'value', 'assigneeIds', 'isPrivate'].concat(
    fields.map(sentAs),
  );
  const isOpen = refused?.refusal.faults.some(({ field }) => folded.includes(field)) ?? false;
  return (
    <Form action="/leads/new" save="Create lead" cancel="/leads" draft="lead:new" once>
      <div class="pair">
        <Text name="firstName" label="First name" first />
        <Text name="lastName" label="Last name" />
      </div>
      <Text
        name="companyName"
        label="Company"
        hint="For a company, leave the first and last name empty"
      />
      <div class="pair">
        <Text name="email" label="Email" inputmode="email" />
        <Text name="phone" label="Phone" type="tel" />
      </div>
      <Choice name="practiceAreaId" label="Practice area" options={areas} none="None" />
      <Island name="known" of={KnownList} props={{ known, ask: '/leads/known' }} />
      <details class="more-fields" open={isOpen}>
        <summary>Stage, value, who works on it, and more</summary>
        <div class="form">
          <div class="pair">
            <Choice name="leadStageColumnId" label="Stage" options={stages} />
            <Choice name="value" label="Value" options={valueOptions} none="None" />
          </div>
          <fieldset>
            <legend>Assigned</legend>
            {members.map(({ id, name }) => (
              <Check
                name="assigneeIds"
                value={id}
                label={id === self ? `${name} (you)` : name}
                checked={id === self}
              />
            ))}
          </fieldset>
          <Check
            name="isPrivate"
            label="Private"
            hint="Only those assigned and the owners see it"
          />
          {fields.map((field) => (
            <CustomFieldControl field={field} value={null} />
          ))}
        </div>
      </details>
    </Form>
  );
};

/** Leaves out fields without a value, so that the lead gets the defaults. */
const said = (parts: { [field: string]: unknown }) =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));

const makeLead = async (visit: Visit, fields: Fields) => {
  const { actor } = visit;
  const text = (name: string) => fields.text(name) || undefined;
  validateEmail('email', text('email'));
  validatePhone('phone', text('phone'));
  const isCompany = !text('firstName') && !text('lastName') && text('companyName');
  const defined = await customFieldsOn(actor, 'LEAD');
  const body = checked(
    newLead,
    said({
      type: isCompany ? 'COMPANY' : 'PERSON',
      ...Object.fromEntries(
        ['firstName', 'lastName', 'companyName', 'email', 'phone', 'practiceAreaId', 'value'].map(
          (name) => [name, text(name)],
        ),
      ),
      leadStageColumnId: text('leadStageColumnId'),
      isPrivate: fields.has('isPrivate'),
      customFields: filledFrom(fields, defined),
    }),
  );
  await mustHaveNamed(
    visit,
    fields,
    'If this is somebody else, or a new case, create the lead again.',
  );
  const { id } = await createLead(actor, body, fields.all('assigneeIds'));
  return `/leads/${id}`;
};

const newPage = page('/leads/new', 'leads:write', showNew);

export const newLeadPages: Page[] = [
  newPage,
  form('/leads/new', 'leads:write', makeLead, newPage, { once: true }),
  form('/leads/known', 'leads:write', answerKnown, newPage),
];
