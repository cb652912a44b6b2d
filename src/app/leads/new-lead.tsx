/** @jsxImportSource preact */
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { createLead } from '../../leads/lead.ts';
import { newLead } from '../../leads/wire.ts';
import { type LeadChoices, leadChoicesOf } from '../../views/choices.ts';
import { Check } from '../choices.tsx';
import { validateEmail, validatePhone } from '../contact-input.ts';
import { customFields } from '../custom-fields.tsx';
import { checked, type Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Island } from '../island.tsx';
import { Title } from '../list.tsx';
import { byName, controlsOf, newFrom } from '../records/field.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { type Lead, leadFields } from './fields.tsx';
import { answerKnown, knownBy, mustHaveNamed } from './known.ts';
import { type Known, KnownList } from './known-list.tsx';

const showNew = async (visit: Visit): Promise<Shown> => {
  const { actor, query, refused, session } = visit;
  const [choices, known] = await Promise.all([
    leadChoicesOf(actor),
    refused ? knownBy(visit, refused.fields) : [],
  ]);
  return {
    title: 'New lead',
    place: '/leads',
    main: (
      <div class="prose">
        <Title title="New lead" />
        <NewLead
          choices={choices}
          self={session.member.id}
          known={known}
          called={namesIn(query.get('name') ?? '')}
        />
      </div>
    ),
  };
};

/** The fields of the contact that a new lead comes with. */
const ofContact = ['firstName', 'lastName', 'companyName', 'email', 'phone'] as const;

// What is asked for at once, and what has a control of its own here.
const { area, private: isPrivate, ...more } = leadFields;

type NewLeadProps = {
  choices: LeadChoices;
  self: string;
  known: Known[];
  /** The name that the address gives, for example after a search that found nobody. */
  called: { firstName: string; lastName: string };
};

const namesIn = (name: string) => {
  const names = name.trim().slice(0, 200).split(/\s+/);
  return { firstName: names.slice(0, -1).join(' '), lastName: names.at(-1) ?? '' };
};

const NewLead = ({ choices, self, known, called }: NewLeadProps) => {
  const { refused } = useFrame().visit;
  const own = customFields<Lead>(choices.fields);
  const folded = [...Object.keys(byName({ ...more, isPrivate, ...own })), 'assigneeIds'];
  const isOpen = refused?.refusal.faults.some(({ field }) => folded.includes(field)) ?? false;
  return (
    <Form action="/leads/new" save="Create lead" cancel="/leads" draft="lead:new" makes="lead">
      <div class="pair">
        <Text name="firstName" label="First name" value={called.firstName} first />
        <Text name="lastName" label="Last name" value={called.lastName} />
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
      {controlsOf({ area }, choices)}
      <Island name="known" of={KnownList} props={{ known, ask: '/leads/known' }} />
      <details class="more-fields" open={isOpen}>
        <summary>Stage, value, who works on it, and more</summary>
        <div class="form">
          <div class="pair">{controlsOf(more, choices)}</div>
          <fieldset>
            <legend>Assigned</legend>
            {choices.members.map(({ id, name }) => (
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
          {controlsOf(own, choices)}
        </div>
      </details>
    </Form>
  );
};

const makeLead = async (visit: Visit, fields: Fields) => {
  const { actor } = visit;
  const person = Object.fromEntries(
    ofContact.map((name) => [name, fields.text(name) || undefined]),
  );
  validateEmail('email', person.email);
  validatePhone('phone', person.phone);
  const isCompany = !person.firstName && !person.lastName && person.companyName;
  const defined = await customFieldsOn(actor, 'LEAD');
  const body = checked(newLead, {
    type: isCompany ? 'COMPANY' : 'PERSON',
    ...person,
    ...newFrom({ ...leadFields, ...customFields<Lead>(defined) }, fields),
  });
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
