/** @jsxImportSource preact */
import { eventsAbout } from '../../calendar/list.ts';
import { contactOfLead } from '../../contacts/contact.ts';
import type { ContactFull } from '../../contacts/wire.ts';
import { whyNoUndo } from '../../hiring/hire.ts';
import { type LeadRecord, leadRecord, partsOfLead } from '../../leads/record.ts';
import { timelineOf } from '../../leads/timeline.ts';
import { notesAbout } from '../../notes/note.ts';
import { runsOf } from '../../search/runs.ts';
import { tasksAbout } from '../../tasks/list.ts';
import { type LeadChoices, leadPageChoicesOf } from '../../views/choices.ts';
import { EventsPanel } from '../calendar/panel.tsx';
import { likeContact } from '../contacts/merge.tsx';
import { namesInValues } from '../custom-fields.tsx';
import { LeftOut } from '../deleted-record.tsx';
import { Dialog } from '../dialog.tsx';
import { Choice, Form, type Option, TextArea } from '../form.tsx';
import { optionsOf } from '../list.tsx';
import { counted } from '../numbers.ts';
import { Panel } from '../page-parts.tsx';
import { rememberedByAddress } from '../remembered.ts';
import { Stages } from '../stages.tsx';
import { TasksPanel } from '../tasks/rows.tsx';
import { linesIn, NotesAndTimeline } from '../timeline.tsx';
import { Value, Values } from '../values.tsx';
import type { Shown, Visit } from '../visit.ts';
import { leadFields } from './fields.tsx';
import { Hire } from './hire.tsx';
import { sameCaseOf } from './known.tsx';
import { ContactPanel, MayBeSame } from './lead-contact.tsx';
import { Details, type Person } from './lead-details.tsx';
import { Head } from './lead-head.tsx';
import { Outcome } from './lead-outcome.tsx';
import { durationWords } from './words.tsx';

/** Reads all that the page needs, in two steps: first at once, then what depends on the lead. */
const readAll = async (visit: Visit, id: string) => {
  const { actor, may, query, session } = visit;
  const mayContacts = may('contacts:read');
  const reading = leadPageChoicesOf(actor);
  const [lead, contact, parts, tasks, events, choices, runs] = await Promise.all([
    leadRecord(actor, id, reading),
    mayContacts ? contactOfLead(actor, id, reading) : undefined,
    partsOfLead(actor, id, { alsoHired: may('matters:read') }),
    tasksAbout(actor, { about: 'lead', recordId: id }),
    eventsAbout(actor, { about: 'lead', recordId: id }),
    reading,
    runsOf(actor),
  ]);
  const all = mayContacts ? [...parts, lead.contactId] : parts;
  const [timeline, people, notes, names] = await Promise.all([
    timelineOf(actor, all, linesIn(query), namesIn(choices, contact)),
    contact ? likeContact(actor, contact, { timeZone: session.timeZone, runs }) : [],
    notesAbout(actor, id),
    namesInValues(visit, lead),
  ]);
  return {
    lead,
    notes,
    tasks,
    events,
    choices,
    contact,
    timeline,
    names,
    people,
  };
};

/** What the page has read already of what the history names. */
const namesIn = (
  { areas, leadStages, members, notHiredReasons }: LeadChoices,
  contact: ContactFull | undefined,
) => [...areas, ...leadStages, ...members, ...notHiredReasons, ...(contact ? [contact] : [])];

/** A lead's page: its details, what can be done with it, and what happened to it. */
export const showLead = async (visit: Visit<'/leads/:id'>): Promise<Shown> => {
  const { actor, may, parameters, session } = visit;
  const { id } = parameters;
  const rights = {
    write: may('leads:write'),
    hire: may('leads:write') && may('matters:write'),
  };
  const read = await readAll(visit, id);
  const { lead } = read;
  const mayEdit = rights.write && lead.contact !== null;
  const self = { id: session.member.id, seesPrivate: actor.seesPrivate };
  const now = new Date();
  const fields = new Map(
    [...lead.defined, ...read.choices.fieldsOfContacts].map(({ id, name, type }) => [
      id,
      { name, type },
    ]),
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
          stages={read.choices.leadStages}
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
          />
          <div class="stack">
            <Details
              lead={lead}
              mayWrite={mayEdit}
              choices={read.choices}
              members={membersFor(read.choices.members, lead)}
              self={self}
              names={read.names}
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
          defined={read.choices.fieldsOfContacts}
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
        <Hire lead={lead} choices={read.choices} people={read.people} self={self} />
      )}
      {rights.write && lead.status !== 'HIRED' && (
        <NotHired leadId={lead.id} reasons={optionsOf(read.choices.notHiredReasons)} />
      )}
    </>
  );
};

type NotHiredProps = { leadId: string; reasons: readonly Option[] };

/** Why a lead was not hired: one of the firm's reasons, and an optional note. */
const NotHired = rememberedByAddress(({ leadId, reasons }: NotHiredProps) => (
  <Dialog id="not-hired" title="Not hired" class="slim">
    <Form action={`/leads/${leadId}/not-hired`} save="Not hired" draft={`lead:${leadId}:not-hired`}>
      <Choice name="reasonId" label="Reason" options={reasons} none="Choose a reason" />
      <TextArea name="note" label="Note" required={false} rows={3} />
    </Form>
  </Dialog>
));

/** Active members, and those who are assigned already. */
const membersFor = (members: readonly Person[], { assignees }: LeadRecord) => [
  ...members,
  ...assignees.filter(({ id }) => members.every((one) => one.id !== id)),
];

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
