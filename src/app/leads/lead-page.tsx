/** @jsxImportSource preact */
import { eventsAbout } from '../../calendar/list.ts';
import { readContact } from '../../contacts/contact.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { listMembers } from '../../firm/member.ts';
import { whyNoUndo } from '../../hiring/hire.ts';
import { type LeadRecord, leadRecord, partsOfLead } from '../../leads/record.ts';
import { timelineOf } from '../../leads/timeline.ts';
import { allMatterTypes } from '../../matter-types/matter-type.ts';
import { notesAbout } from '../../notes/note.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import type { Actor } from '../../record/actor.ts';
import { tasksAbout } from '../../tasks/list.ts';
import { leadChoicesOf } from '../../views/choices.ts';
import { EventsPanel } from '../calendar/panel.tsx';
import { likeContact } from '../contacts/merge.tsx';
import { LeftOut } from '../left-out.tsx';
import { optionsOf, Panel } from '../list.tsx';
import { namesInValues } from '../named-values.ts';
import { counted } from '../numbers.ts';
import { Stages } from '../stages.tsx';
import { TasksPanel } from '../tasks/panel.tsx';
import { linesIn, NotesAndTimeline } from '../timeline.tsx';
import { Value, Values } from '../values.tsx';
import type { Shown, Visit } from '../visit.ts';
import { leadFields } from './fields.tsx';
import { Hire } from './hire.tsx';
import { ContactPanel, MayBeSame } from './lead-contact.tsx';
import { Details } from './lead-details.tsx';
import { Head } from './lead-head.tsx';
import { Outcome } from './lead-outcome.tsx';
import { NotHired } from './not-hired.tsx';
import { sameCaseOf } from './same-case.tsx';
import { durationWords } from './words.tsx';

/** Reads all that the page needs, in two steps: first at once, then what depends on the lead. */
const readAll = async (visit: Visit, id: string) => {
  const { actor, may, query } = visit;
  const mayContacts = may('contacts:read');
  const [
    lead,
    notes,
    parts,
    tasks,
    events,
    areas,
    types,
    members,
    choices,
    contactFields,
    matterFields,
  ] = await Promise.all([
    leadRecord(actor, id),
    notesAbout(actor, id),
    partsOfLead(actor, id, { alsoHired: may('matters:read') }),
    tasksAbout(actor, { about: 'lead', recordId: id }),
    eventsAbout(actor, { about: 'lead', recordId: id }),
    allPracticeAreas(actor),
    allMatterTypes(actor),
    listMembers(actor),
    leadChoicesOf(actor),
    customFieldsOn(actor, 'CONTACT'),
    customFieldsOn(actor, 'MATTER'),
  ]);
  const contactId = mayContacts ? lead.contact?.id : undefined;
  const [[contact, people], timeline, nameOf] = await Promise.all([
    contactId ? contactWithLike(actor, contactId) : ([undefined, []] as const),
    timelineOf(actor, mayContacts ? [...parts, lead.contactId] : parts, linesIn(query)),
    namesInValues(visit, lead),
  ]);
  return {
    lead,
    notes,
    tasks,
    events,
    areas: areas.map((area) => ({
      ...area,
      types: types.filter(({ practiceAreaId }) => practiceAreaId === area.id),
    })),
    members,
    choices,
    contactFields,
    matterFields,
    contact,
    timeline,
    nameOf,
    people,
  };
};

const contactWithLike = async (actor: Actor, id: string) => {
  const contact = await readContact(actor, id);
  return [contact, await likeContact(actor, contact)] as const;
};

/** A lead's page: its details, what can be done with it, and what happened to it. */
export const showLead = async (visit: Visit<'/leads/:id'>): Promise<Shown> => {
  const { actor, may, parameters, session } = visit;
  const { id } = parameters;
  const read = await readAll(visit, id);
  const { lead } = read;
  const rights = {
    write: may('leads:write'),
    hire: may('leads:write') && may('matters:write'),
  };
  const mayEdit = rights.write && lead.contact !== null;
  const self = { id: session.member.id, seesPrivate: actor.seesPrivate };
  const now = new Date();
  const fields = new Map(
    [...lead.defined, ...read.contactFields].map(({ id, name, type }) => [id, { name, type }]),
  );
  const whyNot =
    lead.status === 'HIRED' && rights.hire
      ? await whyNoUndo(actor, { ...lead, matterId: lead.matter?.id ?? null }, now)
      : undefined;
  return {
    title: lead.contact?.name ?? `Lead ${lead.publicId}`,
    place: '/leads',
    record: `Lead ${lead.publicId}`,
    follows: ['lead', 'contact', 'note', 'task', 'calendar_event'],
    work: rights.write ? 'note' : undefined,
    main: (
      <>
        <LeftOut />
        {await sameCaseOf(visit, read.contact)}
        <Head lead={lead} contact={read.contact} rights={rights} />
        <Outcome lead={lead} mayUndo={rights.hire} whyNot={whyNot} mayRead={may('matters:read')} />
        <Stages
          action={`/leads/${id}`}
          noun="lead"
          field="leadStageColumnId"
          stages={lead.stages}
          stageId={lead.leadStageColumnId ?? ''}
          mayWrite={mayEdit && lead.status === 'ACTIVE'}
        />
        <div class="beside in-three">
          <Whose read={read} visit={visit} />
          <NotesAndTimeline
            path={`/leads/${id}`}
            timeline={read.timeline}
            notes={read.notes}
            fields={fields}
            mayWrite={rights.write}
            self={self}
          />
          <div class="stack">
            <Details
              lead={lead}
              mayWrite={mayEdit}
              choices={read.choices}
              members={membersFor(read.members, lead)}
              self={self}
              nameOf={read.nameOf}
            />
            <Waiting lead={lead} now={now} />
          </div>
        </div>
        <Decisions read={read} rights={rights} self={self.id} />
      </>
    ),
  };
};

type ReadLead = Awaited<ReturnType<typeof readAll>>;

/** What is to be done and what happens for the lead, and whose it is: its contact, and people who may be the same. */
const Whose = ({ read, visit }: { read: ReadLead; visit: Visit }) => {
  const { lead, contact } = read;
  const { may } = visit;
  const of = { about: 'lead', id: lead.id } as const;
  return (
    <div class="stack">
      {lead.status !== 'HIRED' && (
        <>
          <TasksPanel
            of={of}
            tasks={read.tasks}
            mayAdd={may('leads:write')}
            isArchived={lead.status === 'ARCHIVE'}
          />
          <EventsPanel of={of} events={read.events} mayAdd={may('leads:write')} />
        </>
      )}
      {contact && (
        <ContactPanel
          leadId={lead.id}
          contact={contact}
          defined={read.contactFields}
          mayWrite={may('contacts:write')}
        />
      )}
      <MayBeSame
        people={read.people}
        contactId={lead.contactId}
        may={{ leads: true, matters: may('matters:read'), merge: may('contacts:write') }}
      />
    </div>
  );
};

type DecisionsProps = {
  read: ReadLead;
  rights: { write: boolean; hire: boolean };
  self: string;
};

const Decisions = ({ read, rights, self }: DecisionsProps) => {
  const { lead } = read;
  return (
    <>
      {rights.hire && lead.status === 'ACTIVE' && lead.contact && (
        <Hire
          lead={lead}
          areas={read.areas}
          members={read.members.filter(({ deactivatedAt }) => !deactivatedAt)}
          people={read.people}
          ofMatters={read.matterFields}
          self={self}
        />
      )}
      {rights.write && lead.status !== 'HIRED' && (
        <NotHired leadId={lead.id} reasons={optionsOf(read.choices.notHiredReasons)} />
      )}
    </>
  );
};

type Members = Awaited<ReturnType<typeof listMembers>>;

/** Active members, and those who are assigned already. */
const membersFor = (members: Members, lead: LeadRecord) =>
  members.filter(
    ({ id, deactivatedAt }) => !deactivatedAt || lead.assignees.some((one) => one.id === id),
  );

const Waiting = ({ lead, now }: { lead: LeadRecord; now: Date }) => {
  const created = new Date(lead.createdAt);
  const until = lead.decidedAt ?? now;
  return (
    <Panel id="waiting" title="Waiting">
      <div class="body">
        <Values>
          <Value
            label={leadFields.touched.label}
            none="Not yet"
            shown={lead.firstTouchAt && spanWords(lead.firstTouchAt.getTime() - created.getTime())}
          />
          <Value label="In this stage" shown={durationWords(lead.inStageSince, until)} />
          <Value label="Total" shown={durationWords(created, until)} />
        </Values>
      </div>
    </Panel>
  );
};

/** A span of time in words: `11 h 17 min`, `3 days`. */
const spanWords = (milliseconds: number): string => {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  if (minutes < 1) return 'At once';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return counted(Math.floor(minutes / 1_440), 'day');
};
