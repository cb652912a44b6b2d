/** @jsxImportSource preact */

import { todayIn } from '../../base/calendar-date.ts';
import { isId } from '../../base/columns.ts';
import { isRequired } from '../../base/rule.ts';
import { readContact } from '../../contacts/contact.ts';
import { contactLabels, newContact } from '../../contacts/wire.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { openMatter } from '../../matters/open.ts';
import type { TypeAndFormerNumber } from '../../matters/type-and-former-number.ts';
import { limits, newMatter } from '../../matters/wire.ts';
import { type MatterChoices, matterChoicesOf } from '../../views/choices.ts';
import { peopleOptions } from '../away.ts';
import { validatePerson } from '../contacts/changes.ts';
import { customFields } from '../custom-fields.tsx';
import { useField } from '../field.tsx';
import { checked, type Fields } from '../fields.ts';
import { Choice, Day, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Island } from '../island.tsx';
import { answerKnown, knownBy, mustHaveNamed } from '../leads/known.tsx';
import { type Known, KnownList } from '../leads/known-list.tsx';
import { optionsOf } from '../list.tsx';
import { byName, controlsOf, newFrom } from '../records/field.tsx';
import { NewForm, newPages } from '../records/forms.tsx';
import { form, type Page, type Visit } from '../visit.ts';
import { type Client, ClientPicker } from './client-picker.tsx';
import { type Matter, matterFields, OfArea, ofArea } from './fields.tsx';

const readAll = async (visit: Visit) => {
  const { actor, query, refused } = visit;
  const chosen = refused ? refused.fields.all('clientContactIds') : query.getAll('client');
  const [choices, known, clients] = await Promise.all([
    matterChoicesOf(actor),
    refused ? knownBy(visit, refused.fields) : [],
    clientsNamed(visit, chosen),
  ]);
  return {
    choices,
    known,
    clients: clients.filter(({ id }) => !known.some((one) => one.id === id)),
  };
};

type Offered = Awaited<ReturnType<typeof readAll>>;

/** The contacts of these ids that the visitor sees. */
const clientsNamed = async ({ actor, may }: Visit, ids: readonly string[]): Promise<Client[]> => {
  if (!may('contacts:read')) return [];
  const named = [...new Set(ids)].filter(isId).slice(0, limits.clients);
  const found = await Promise.all(named.map((id) => readContact(actor, id).catch(() => undefined)));
  return found.flatMap((contact) => (contact ? [{ id: contact.id, name: contact.name }] : []));
};

const showNew = async (visit: Visit) => {
  const offered = await readAll(visit);
  return (
    <NewMatter
      offered={offered}
      self={visit.session.member.id}
      mayMakeContacts={visit.may('contacts:write')}
    />
  );
};

// What is asked for at once, what depends on the area, and what a new matter does not have yet.
const { title, area, stage, type, opened, closed, ...more } = matterFields;

const made = { list: 'matters', noun: 'matter' } as const;

type NewMatterProps = { offered: Offered; self: string; mayMakeContacts: boolean };

const NewMatter = ({ offered, self, mayMakeContacts }: NewMatterProps) => {
  const frame = useFrame();
  const { choices, clients } = offered;
  const { areas, members } = choices;
  const asked = frame.visit.query.get('area') ?? '';
  const only = areas.length === 1 ? areas[0] : undefined;
  const chosen = (areas.find(({ id }) => id === asked) ?? only)?.id;
  return (
    <NewForm {...made}>
      <ClientsOf
        name={clientField}
        label="Client"
        ask="Choose a client."
        chosen={clients}
        mayMake={mayMakeContacts}
      />
      {mayMakeContacts && <NewClient known={offered.known} />}
      <Text
        name="title"
        label={title.label}
        hint="If the title is empty, the matter gets its client’s name"
      />
      <div class="pair">
        <Choice
          name="practiceAreaId"
          label={area.label}
          value={chosen}
          options={optionsOf(areas)}
          {...(!chosen && { none: 'Choose one' })}
        />
        <Choice
          name="responsible"
          label="Responsible attorney"
          value={self}
          options={peopleOptions(members, frame, self)}
          none="Nobody yet"
        />
      </div>
      {Further({ choices, area: chosen })}
    </NewForm>
  );
};

/** The field of a refusal that the client is missing. */
const clientField = 'client';

type ClientsOfProps = {
  name: string;
  label: string;
  ask: string;
  chosen: Client[];
  mayMake: boolean;
};

/** The choice of clients, and the refusal if one is missing. */
const ClientsOf = ({ name, label, ask, chosen, mayMake }: ClientsOfProps) => {
  const { refused } = useFrame().visit;
  const { id, words } = useField({ name, label, ask }, '');
  return (
    <div class="field" id={id} tabIndex={-1}>
      <Island
        name="clients"
        of={ClientPicker}
        props={{
          chosen,
          max: limits.clients,
          label,
          ...(mayMake && { news: 'new-client' }),
          first: !refused,
        }}
      />
      {words && (
        <p class="refusal">
          <Icon name="circle-alert" />
          <span>{words}</span>
        </p>
      )}
    </div>
  );
};

const namesOfNew = ['firstName', 'lastName', 'companyName', 'email', 'phone'];

/** The fields of a client who is no contact yet. While you type, known people are suggested. */
const NewClient = ({ known }: { known: Known[] }) => {
  const { refused } = useFrame().visit;
  const isOpen = namesOfNew.some((name) => refused?.fields.text(name));
  return (
    <details class="more-fields" id="new-client" open={isOpen}>
      <summary>Add a new contact</summary>
      <div class="form">
        <div class="pair">
          <Text name="firstName" label={contactLabels.firstName} />
          <Text name="lastName" label={contactLabels.lastName} />
        </div>
        <Text
          name="companyName"
          label={contactLabels.companyName}
          hint="For a company, leave the first and last name empty"
        />
        <div class="pair">
          <Text name="email" label={contactLabels.emails} inputmode="email" />
          <Text name="phone" label={contactLabels.phones} type="tel" />
        </div>
        <Island
          name="known"
          of={KnownList}
          props={{ known, ask: '/matters/known', chooses: true }}
        />
      </div>
    </details>
  );
};

type FurtherProps = { choices: MatterChoices; area: string | undefined };

/** The fields with usual values, folded; called, so that the form's summary finds their labels. */
const Further = ({ choices, area }: FurtherProps) => {
  const { visit, today } = useFrame();
  const { refused, query } = visit;
  const own = customFields<Matter>(choices.fields);
  const names = [...Object.keys(byName({ opened, stage, type, ...more, ...own })), 'solDate'];
  const isOpen = refused?.refusal.faults.some(({ field }) => names.includes(field)) ?? false;
  const isAsked = query.has('stage');
  return (
    <details class="more-fields" open={isOpen || isAsked}>
      <summary>Limitation date, stage, type, and more</summary>
      <div class="form">
        <div class="pair">
          <Day name="solDate" label={more.limitation.label} />
          <Day name="openDate" label={opened.label} value={today} />
        </div>
        <div class="pair">
          <OfArea
            name="practiceAreaStageColumnId"
            label={stage.label}
            none="First stage of the area"
            of="stages"
            value={query.get('stage') ?? ''}
            areas={choices.areas}
          />
          <OfArea
            name="matterTypeId"
            label={type.label}
            none="None"
            of="types"
            areas={choices.areas}
          />
        </div>
        {controlsOf({ ...more, ...own }, ofArea(choices, area))}
      </div>
    </details>
  );
};

/** The new client's contact; undefined if none was typed, or one of those known was chosen. */
const clientIn = async (visit: Visit, fields: Fields) => {
  const text = (name: string) => fields.text(name) || undefined;
  if (!namesOfNew.some(text)) return undefined;
  const chosen = fields.all('clientContactIds');
  const known = await knownBy(visit, fields);
  if (known.some(({ id }) => chosen.includes(id))) return undefined;
  const [email, phone] = [text('email'), text('phone')];
  validatePerson(Object.fromEntries(namesOfNew.map((name) => [name, text(name)])));
  const isCompany = !text('firstName') && !text('lastName') && text('companyName');
  const body = checked(newContact, {
    type: isCompany ? 'COMPANY' : 'PERSON',
    firstName: text('firstName'),
    lastName: text('lastName'),
    companyName: text('companyName'),
    emails: email && [{ address: email }],
    phones: phone && [{ number: phone }],
  });
  await mustHaveNamed(visit, fields, 'If you mean somebody else, create the matter again.');
  return body;
};

const makeMatter = async (visit: Visit, fields: Fields) => {
  const { actor, session } = visit;
  const text = (name: string) => fields.text(name) || undefined;
  const own = customFields<Matter>(await customFieldsOn(actor, 'MATTER'));
  const responsible = text('responsible');
  const clients = [...new Set(fields.all('clientContactIds'))];
  const isNameless = clients.length === 0 && ![...namesOfNew, 'title'].some(text);
  const matter = checked(
    newMatter,
    {
      openDate: todayIn(session.timeZone),
      solDate: text('solDate'),
      ...newFrom({ ...matterFields, ...own }, fields),
      clientContactIds: clients,
      team: responsible && [{ memberId: responsible, role: 'RESPONSIBLE_ATTORNEY' }],
    },
    isNameless ? [{ field: clientField, ...isRequired(' if there is no title') }] : [],
  );
  const client = await clientIn(visit, fields);
  const { id } = await openMatter(actor, {
    matter,
    client,
    typeAndFormerNumber: newFrom({ type, former: more.former }, fields) as TypeAndFormerNumber,
  });
  return `/matters/${id}`;
};

/** A client who is typed becomes a contact. */
const newClient = (_: Visit, fields: Fields) =>
  namesOfNew.some((name) => fields.text(name)) ? 'contacts:write' : undefined;

const [newPage, newForm] = newPages({
  ...made,
  show: showNew,
  make: makeMatter,
  also: newClient,
  said: 'Matter opened: {title}.',
});

export const newMatterPages: Page[] = [
  newPage,
  newForm,
  form('/matters/known', 'matters:write', answerKnown, newPage),
];
