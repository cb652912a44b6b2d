/** @jsxImportSource preact */
import { isId } from '../../base/columns.ts';
import { readContact } from '../../contacts/contact.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { type ByPeople, createLead } from '../../leads/lead.ts';
import { type newLead, newLeadByPeople } from '../../leads/wire.ts';
import { createLeadOfKnown } from '../../merging/same-person.ts';
import { type LeadChoices, leadChoicesOf } from '../../views/choices.ts';
import { pickedName } from '../away.ts';
import { callerIn, draftOfCall, leadOfCall } from '../calls/caller.ts';
import { Check } from '../choices.tsx';
import { type PersonTyped, validatePerson } from '../contacts/changes.ts';
import { primaryOf } from '../contacts/fields.tsx';
import { customFields } from '../custom-fields.tsx';
import { checked, type Fields } from '../fields.ts';
import { Text, TextArea } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Island } from '../island.tsx';
import { byName, controlsOf, type FieldsOf, newFrom } from '../records/field.tsx';
import { NewForm, newPages, shownNew } from '../records/forms.tsx';
import { form, type Page, type Visit } from '../visit.ts';
import { type Lead, leadFields } from './fields.tsx';
import {
  afterSameCase,
  answerKnown,
  filledBy,
  knownBy,
  mergesLeads,
  mustHaveNamed,
  whyApartForRole,
} from './known.tsx';
import { type Known, KnownList } from './known-list.tsx';

/** What a form of a new lead begins with, by its fields' names. */
type Begun = { [field: string]: string };

const showNew = async (visit: Visit, call?: Begun) => {
  const { actor, query, refused, session } = visit;
  const [choices, known, chosen] = await Promise.all([
    leadChoicesOf(actor),
    refused ? knownBy(visit, refused.fields) : [],
    personChosen(visit),
  ]);
  return (
    <NewLead
      choices={choices}
      self={session.member.id}
      known={known}
      chosen={known.find(({ id }) => id === chosen?.id) ?? chosen}
      whyApart={mergesLeads(visit) ? '' : whyApartForRole}
      called={chosen?.fills ?? call ?? begunBy(query.get('name') ?? '')}
      insteadOf={call && draftOfCall}
    />
  );
};

/** The known person whose new case the lead is to be: a refused form says it, or the address. */
const personChosen = async ({ actor, refused, query, may }: Visit): Promise<Known | null> => {
  const id = (refused ? refused.fields.text('same') : query.get('same')) ?? '';
  if (!isId(id) || !may('contacts:read')) return null;
  const found = await readContact(actor, id).catch(() => undefined);
  if (!found) return null;
  return {
    id,
    name: found.name,
    path: `/contacts/${id}`,
    why: [],
    records: [],
    fills: filledBy({
      ...found,
      email: primaryOf(found.emails)?.address,
      phone: primaryOf(found.phones)?.number,
    }),
  };
};

/** The fields of the contact that a new lead comes with. */
const ofContact = ['firstName', 'lastName', 'companyName', 'email', 'phone'] as const;

// What is asked for at once, and what has a control of its own here.
const { area, private: isPrivate, ...more } = leadFields;

const made = { list: 'leads', noun: 'lead' } as const;

type NewLeadProps = {
  choices: LeadChoices;
  self: string;
  known: Known[];
  chosen: Known | null;
  whyApart: string;
  /** What the fields begin with: a known person, the name or the number that a search has not found, or a call. */
  called: Begun;
  insteadOf: string | undefined;
};

const namesIn = (name: string) => {
  const names = name.trim().slice(0, 200).split(/\s+/);
  return { firstName: names.slice(0, -1).join(' '), lastName: names.at(-1) ?? '' };
};

/** What is known of somebody by the words for which a search, or a call, has found nobody. */
const begunBy = (who: string) => {
  const { name, phone } = callerIn(who);
  return { ...namesIn(name), phone };
};

const NewLead = (props: NewLeadProps) => {
  const { choices, self, known, chosen, whyApart, called, insteadOf } = props;
  return (
    <NewForm
      {...made}
      insteadOf={insteadOf}
      save={
        <>
          Create lead
          <kbd class="only-wide only-scripted" aria-hidden>
            Ctrl Enter
          </kbd>
        </>
      }
    >
      <div class="pair">
        <Text name="firstName" label="First name" value={called.firstName} first />
        <Text name="lastName" label="Last name" value={called.lastName} />
      </div>
      <Text
        name="companyName"
        label="Company"
        value={called.companyName}
        hint="For a company, leave the first and last name empty"
      />
      <Island
        name="known"
        of={KnownList}
        props={{ known, ask: '/leads/known', sameCase: { chosen, whyApart } }}
      />
      <div class="pair">
        <Text name="phone" label="Phone" type="tel" value={called.phone} />
        <Text name="email" label="Email" inputmode="email" value={called.email} />
      </div>
      <TextArea
        name="note"
        label="What is it about?"
        value={called.note ?? ''}
        hint="Saved as the lead’s first note."
        rows={4}
      />
      <div class="pair">
        {controlsOf(sourceOf(choices), choices)}
        {controlsOf({ area }, choices)}
      </div>
      {MoreDetails({ choices, self, called })}
    </NewForm>
  );
};

const keyOfSource = ({ sourceFieldId }: LeadChoices) => `field.${sourceFieldId}`;

/** The firm's own field that says where a lead came from, called as in the list; none if none is chosen. */
const sourceOf = (choices: LeadChoices): FieldsOf<Lead> => {
  const key = keyOfSource(choices);
  const field = customFields<Lead>(choices.fields)[key];
  return field ? { [key]: { ...field, label: leadFields.source.label } } : {};
};

/** The fields with usual values, folded; called, so that the form's summary finds their labels. */
const MoreDetails = ({
  choices,
  self,
  called,
}: Pick<NewLeadProps, 'choices' | 'self' | 'called'>) => {
  const frame = useFrame();
  const { refused } = frame.visit;
  const { [keyOfSource(choices)]: _, ...own } = customFields<Lead>(choices.fields);
  const folded = [...Object.keys(byName({ ...more, isPrivate, ...own })), 'assigneeIds'];
  const isRefused = refused?.refusal.faults.some(({ field }) => folded.includes(field)) ?? false;
  const isOpen = isRefused || folded.some((field) => called[field]?.trim());
  return (
    <details class="more-fields" open={isOpen}>
      <summary>
        <b>More details</b>{' '}
        <span class="only-wide">stage, value, next step, assigned, private</span>
      </summary>
      <div class="form">
        <div class="pair">{controlsOf(more, choices, called)}</div>
        <fieldset>
          <legend>Assigned</legend>
          {choices.members.map((one) => (
            <Check
              name="assigneeIds"
              value={one.id}
              label={pickedName(one, frame, self)}
              checked={one.id === self}
            />
          ))}
        </fieldset>
        <Check name="isPrivate" label="Private" hint="Only those assigned and the owners see it" />
        {controlsOf(own, choices)}
      </div>
    </details>
  );
};

const makeLead = async (visit: Visit, fields: Fields) => {
  const { actor } = visit;
  const person: PersonTyped = Object.fromEntries(
    ofContact.map((name) => [name, fields.text(name) || undefined]),
  );
  validatePerson(person);
  const isCompany = !person.firstName && !person.lastName && person.companyName;
  const defined = await customFieldsOn(actor, 'LEAD');
  const { nextTouch, ...body } = checked(newLeadByPeople, {
    type: isCompany ? 'COMPANY' : 'PERSON',
    ...person,
    note: fields.raw('note') || undefined,
    ...newFrom({ ...leadFields, ...customFields<Lead>(defined) }, fields),
  });
  const same = fields.text('same');
  const byPeople = { assigneeIds: fields.all('assigneeIds'), nextTouch };
  if (same) return makeOfKnown(visit, body, { contactId: same, ...byPeople });
  await mustHaveNamed(
    visit,
    fields,
    'If you mean somebody else, or a new case, create the lead again.',
  );
  const { id } = await createLead(actor, body, byPeople);
  return `/leads/${id}`;
};

const makeOfKnown = async (
  visit: Visit,
  body: typeof newLead.static,
  { contactId, ...byPeople }: ByPeople & { contactId: string },
) => {
  const { actor } = visit;
  if (!mergesLeads(visit)) {
    const { id } = await createLead(actor, body, byPeople);
    return afterSameCase({ id, apart: 'role' });
  }
  const reads = { leads: true, matters: visit.may('matters:read') };
  return afterSameCase(await createLeadOfKnown(actor, body, { contactId, ...byPeople, reads }));
};

const [newPage, newForm] = newPages({
  ...made,
  show: (visit) => showNew(visit),
  make: makeLead,
});

/** A call from somebody whom the firm does not know becomes the form of a new lead. */
const showOfCall = async (visit: Visit, fields: Fields) => {
  const [day = '', time = ''] = fields.all('nextTouch');
  const said = { note: fields.raw('text') ?? '', nextTouch: `${day}\n${time}` };
  return shownNew(
    made.noun,
    await showNew(visit, { ...begunBy(fields.text('who') ?? ''), ...said }),
  );
};

export const newLeadPages: Page[] = [
  newPage,
  newForm,
  form(leadOfCall, 'leads:write', showOfCall, newPage),
  form('/leads/known', 'leads:write', answerKnown, newPage),
];
