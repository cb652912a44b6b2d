/** @jsxImportSource preact */
import { isCalendarDate, todayIn } from '../../base/calendar-date.ts';
import { invalidField } from '../../base/refusal.ts';
import { fieldsThatGo, hireLead } from '../../hiring/hire.ts';
import { type LeadRecord, leadRecord } from '../../leads/record.ts';
import { limits, newMatter } from '../../matters/wire.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import type { KnownPerson } from '../../search/known.ts';
import type { LeadPageChoices } from '../../views/choices.ts';
import { Check, Choices } from '../choices.tsx';
import { Cancel, Dialog } from '../dialog.tsx';
import { checked, type Fields } from '../fields.ts';
import { Choice, Day, Form, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Island } from '../island.tsx';
import { optionsOf } from '../list.tsx';
import { type Client, ClientPicker } from '../matters/client-picker.tsx';
import { matterFields, OfArea } from '../matters/fields.tsx';
import { TeamFields, teamIn } from '../matters/team.tsx';
import { remembered } from '../remembered.ts';
import { namesInWords, saying } from '../said.ts';
import type { Visit } from '../visit.ts';
import { sameWords } from './lead-contact.tsx';

type HireProps = {
  lead: LeadRecord;
  choices: LeadPageChoices;
  people: readonly KnownPerson[];
  self: string;
};

const { title, area, stage, type, opened, limitation } = matterFields;

/** The dialog that makes a matter of the lead. It is filled with what is known. */
export const Hire = ({ lead, choices, people, self }: HireProps) => {
  const { today } = useFrame();
  const { areas, members, workers, fieldsOfMatters } = choices;
  const going = Object.keys(fieldsThatGo(lead.defined, fieldsOfMatters, lead.customFields));
  return (
    <Dialog id="hire" title="Hire and open a matter">
      <Form action={`/leads/${lead.id}/hire`} class="form hire" draft={`lead:${lead.id}:hire`}>
        {lead.isPrivate && (
          <div class="banner warn">
            <Icon name="lock" />
            <p>
              This lead is private. Everyone who can read matters will see the matter and its
              client.
            </p>
          </div>
        )}
        <Text name="title" label={title.label} value={lead.contact?.name} />
        <AreaAndDays areas={areas} areaId={lead.practiceArea?.id} today={today} />
        <Clients lead={lead} people={people} />
        <Team lead={lead} members={members} workers={workers} self={self} />
        <div class="row end foot">
          <p class="muted">
            {going.length > 0 && `Also copied to the matter: ${going.join(', ')}. `}
            You can undo this for 24 hours.
          </p>
          <Cancel />
          <button class="button primary">Hire</button>
        </div>
      </Form>
    </Dialog>
  );
};

type AreaAndDaysProps = Pick<LeadPageChoices, 'areas'> & {
  areaId: string | undefined;
  today: string;
};

/** What most leads of the firm have in common: it is put together once for all of them. */
const AreaAndDays = remembered(({ areas, areaId, today }: AreaAndDaysProps) => (
  <>
    <div class="pair">
      <Choice
        name="practiceAreaId"
        label={area.label}
        value={areaId}
        options={optionsOf(areas)}
        {...(!areaId && { none: 'Choose one' })}
      />
      <OfArea
        name="practiceAreaStageColumnId"
        label={stage.label}
        none="First stage of the area"
        areas={areas}
        of="stages"
      />
    </div>
    <div class="pair">
      <OfArea name="matterTypeId" label={type.label} none="None" areas={areas} of="types" />
      <Day name="openDate" label={opened.label} value={today} />
    </div>
    <Limitation areas={areas} />
  </>
));

/** Why the form asks once for the limitation date of an area that expects one. */
const expectedRule = 'is expected in this practice area: enter it, or tick that there is none yet';

/** Why the form asks once whether a limitation date before today is right. */
const pastRule = 'is past: correct it, or tick that it is right';

/**
 * The limitation date. It says where one is expected; left empty there, it is asked for once, and so is whether a
 * past one is right.
 */
const Limitation = ({ areas }: Pick<LeadPageChoices, 'areas'>) => {
  const { refused } = useFrame().visit;
  const expecting = areas.filter((one) => one.expectsLimitationDate).map(({ name }) => name);
  const asks = (tick: string, asked: string) =>
    refused?.fields.has(tick) || refused?.refusal.faults.some(({ rule }) => rule === asked);
  return (
    <>
      <Day
        name="solDate"
        label={limitation.label}
        {...(expecting.length === 0
          ? { required: false }
          : { hint: `Expected in ${namesInWords(expecting)}` })}
      />
      {asks('noDateYet', expectedRule) && (
        <Check name="noDateYet" label="There is no limitation date yet" />
      )}
      {asks('datePast', pastRule) && <Check name="datePast" label="The limitation date is past" />}
    </>
  );
};

/** The client: the lead's contact or a known one; and more clients. */
const Clients = ({ lead, people }: Pick<HireProps, 'lead' | 'people'>) => {
  const { refused } = useFrame().visit;
  const { contact } = lead;
  if (!contact) return null;
  const further: Client[] = (refused?.fields.all('clientContactIds') ?? []).map((id) => ({
    id,
    name: people.find((one) => one.id === id)?.name ?? 'The contact chosen before',
  }));
  return (
    <>
      {people.length > 0 ? (
        <Choices
          name="client"
          label="Client"
          value={contact.id}
          options={[
            { value: contact.id, name: `${contact.name}, the contact of this lead` },
            ...people.map(({ id, name, same, matters }) => ({
              value: id,
              name: `${name}, already a contact`,
              hint: `Has ${sameWords(same)}${matters[0] ? ` · matter ${matters[0].number}` : ''}`,
            })),
          ]}
        />
      ) : (
        <>
          <p>
            Client: <b>{contact.name}</b>
          </p>
          <input type="hidden" name="client" value={contact.id} />
        </>
      )}
      <Island
        name="clients"
        of={ClientPicker}
        props={{ chosen: further, max: limits.clients - 1, label: 'Another client' }}
      />
    </>
  );
};

type TeamProps = Pick<HireProps, 'lead' | 'self'> & Pick<LeadPageChoices, 'members' | 'workers'>;

/**
 * Those who worked on the lead. The attorney is the first of them who may change matters, or else
 * whoever hires: somebody who only takes calls would have dates that they cannot keep.
 */
const Team = ({ lead, members, workers, self }: TeamProps) => {
  const assigned = lead.assignees.map(({ id }) => id);
  const attorney = assigned.find((id) => workers.includes(id)) ?? self;
  const others = assigned.filter((id) => id !== attorney);
  const usual = [attorney, ...others].map((memberId, at) => ({
    memberId,
    role: at === 0 ? 'RESPONSIBLE_ATTORNEY' : 'RESPONSIBLE_STAFF',
    allocation: '',
  }));
  return (
    <fieldset>
      <legend>Team</legend>
      <TeamFields rows={usual} members={members} />
    </fieldset>
  );
};

export const hire = async (visit: Visit<'/leads/:id'>, fields: Fields) => {
  const { actor, parameters } = visit;
  const { id } = parameters;
  const text = (name: string) => fields.text(name) || undefined;
  const client = text('client') ?? (await leadRecord(actor, id)).contactId;
  const parts = {
    title: text('title'),
    practiceAreaId: text('practiceAreaId'),
    practiceAreaStageColumnId: text('practiceAreaStageColumnId'),
    openDate: text('openDate'),
    solDate: text('solDate'),
    clientContactIds: [...new Set([client, ...fields.all('clientContactIds')])],
    team: teamIn(fields),
  };
  const said = Object.entries(parts).filter(([, value]) => value !== undefined);
  await mustMeanDate(visit, fields);
  const body = checked(newMatter, Object.fromEntries(said));
  const matter = await hireLead(actor, id, body, text('matterTypeId'));
  const path = visit.may('matters:read') ? `/matters/${matter.id}` : `/leads/${id}`;
  const undo = { action: `/leads/${id}/undo-hire`, fields: [] };
  return saying(path, `Hired: ${matter.publicId}.`, undo);
};

/**
 * Throws `Refusal` invalid_request if the area expects a limitation date, and none is said; or if it is past, which a
 * wrong year makes of it.
 */
const mustMeanDate = async ({ actor, session }: Visit, fields: Fields) => {
  const day = fields.text('solDate') ?? '';
  const isPast = isCalendarDate(day) && day < todayIn(session.timeZone);
  if (isPast && !fields.has('datePast')) throw invalidField('solDate', pastRule);
  if (day || fields.has('noDateYet')) return;
  const areas = await allPracticeAreas(actor);
  const area = areas.find(({ id }) => id === fields.text('practiceAreaId'));
  if (area?.expectsLimitationDate) throw invalidField('solDate', expectedRule);
};
