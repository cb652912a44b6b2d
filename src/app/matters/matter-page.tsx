/** @jsxImportSource preact */
import { eventsAbout } from '../../calendar/list.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { ruledDatesOf, waitingIn } from '../../date-rules/confirming.ts';
import { readFirm } from '../../firm/firm.ts';
import { listMembers } from '../../firm/member.ts';
import { timelineOf } from '../../leads/timeline.ts';
import { daysOffBefore } from '../../limitation/reminders.ts';
import { reachOfClients } from '../../matters/people.ts';
import { type MatterRecord, matterRecord, partsOfMatter } from '../../matters/record.ts';
import { impactOf } from '../../matters/status.ts';
import { notesAbout } from '../../notes/note.ts';
import { noteOpened, receiptsOf } from '../../receipts/receipt.ts';
import { tasksAbout } from '../../tasks/list.ts';
import { matterChoicesOf } from '../../views/choices.ts';
import { EventsPanel } from '../calendar/panel.tsx';
import { Confirmations } from '../confirmations.tsx';
import { namesInValues } from '../custom-fields.tsx';
import { isAsked, Receipts } from '../receipts.tsx';
import { Stages } from '../stages.tsx';
import { TasksPanel } from '../tasks/rows.tsx';
import { linesIn, NotesAndTimeline } from '../timeline.tsx';
import { page, type Shown, type Visit } from '../visit.ts';
import { Clients } from './clients.tsx';
import { Dates } from './dates.tsx';
import { Description, Details } from './details.tsx';
import { Head } from './head.tsx';
import { MovedTriggers } from './moved.tsx';
import { Team } from './team.tsx';

/** Reads everything that the page needs: first the matter, then what depends on it. */
const readAll = async (visit: Visit, id: string) => {
  const { actor, may, query } = visit;
  const mayWrite = may('matters:write');
  const [matter, parts, notes, choices, members, leadFields, reach, tasks, events, receipts, firm] =
    await Promise.all([
      matterRecord(actor, id),
      partsOfMatter(actor, id),
      notesAbout(actor, id),
      matterChoicesOf(actor),
      listMembers(actor),
      customFieldsOn(actor, 'LEAD'),
      may('contacts:read') ? reachOfClients(actor, id) : undefined,
      tasksAbout(actor, { about: 'matter', recordId: id }),
      eventsAbout(actor, { about: 'matter', recordId: id }),
      receiptsOf(actor, id),
      readFirm(actor),
    ]);
  const lead = may('leads:read') ? matter.lead : null;
  const [timeline, leadNotes, impacts, names, daysOff, ruled] = await Promise.all([
    timelineOf(actor, lead ? [...parts, lead.id] : parts, linesIn(query)),
    lead ? notesAbout(actor, lead.id) : [],
    mayWrite ? impactsOf(actor, id) : undefined,
    namesInValues(visit, matter),
    daysOffBefore(actor, firm.reminders, matter.solDate),
    ruledDatesOf(actor, id),
  ]);
  const others = lead
    ? [{ id: lead.id, path: `/leads/${lead.id}`, words: `lead ${lead.number}` }]
    : [];
  return {
    matter,
    notes: [...notes, ...leadNotes],
    choices,
    members,
    leadFields,
    reach,
    tasks,
    events,
    receipts,
    reminders: firm.reminders,
    daysOff,
    ruled,
    timeline,
    others,
    impacts,
    names,
  };
};

const impactsOf = async (actor: Visit['actor'], id: string) => {
  const [archive, remove] = await Promise.all([
    impactOf(actor, id, 'matter.archived'),
    impactOf(actor, id, 'matter.deleted'),
  ]);
  return { archive, delete: remove };
};

/** A matter's page: its details, what can be done with it, and what happened to it. */
const showMatter = async (visit: Visit<'/matters/:id'>): Promise<Shown> => {
  const { actor, may, parameters, request } = visit;
  const { id } = parameters;
  const read = await readAll(visit, id);
  const { matter, receipts } = read;
  // A page that renews itself may have nobody in front of it.
  if (!request.headers.has('x-member')) noteOpened(actor, id, receipts);
  const path = `/matters/${id}`;
  const mayWrite = may('matters:write');
  const waiting = waitingIn(read.ruled.confirmations);
  const fields = new Map(
    [...matter.defined, ...read.leadFields].map((one) => [one.id, { ...one }]),
  );
  return {
    title: matter.title,
    record: `Matter ${matter.publicId}`,
    follows: [
      'matter',
      'note',
      'task',
      'calendar_event',
      'contact',
      'receipt',
      'ruled_date',
      'date_rule',
    ],
    work: mayWrite ? 'note' : undefined,
    main: (
      <>
        <Head matter={matter} impacts={read.impacts} />
        <Stages
          action={path}
          noun="matter"
          field="practiceAreaStageColumnId"
          stages={matter.stages}
          stageId={matter.stage?.id ?? ''}
          mayWrite={mayWrite && matter.status !== 'ARCHIVE'}
        />
        <div class="stack">
          <MovedTriggers matterId={id} moved={mayWrite ? read.ruled.moved : []} />
          <Confirmations dates={read.ruled.confirmations} />
          <Dates
            matter={matter}
            mayWrite={mayWrite}
            reminders={read.reminders}
            daysOff={read.daysOff}
            isAsked={isAsked(receipts, actor)}
          />
          <Receipts lines={receipts} about="limitation" isEscalated />
          <div class="beside record">
            <div class="stack">
              <Clients matter={matter} reach={read.reach} mayWrite={mayWrite} />
              <TasksPanel
                of={{ about: 'matter', id }}
                tasks={read.tasks}
                mayAdd={mayWrite}
                isArchived={matter.status === 'ARCHIVE'}
                waiting={waiting}
              />
              <EventsPanel
                of={{ about: 'matter', id }}
                events={read.events}
                mayAdd={mayWrite}
                waiting={waiting}
              />
              <Description matter={matter} mayWrite={mayWrite} />
              <NotesAndTimeline
                path={path}
                timeline={read.timeline}
                notes={read.notes}
                fields={fields}
                mayWrite={mayWrite}
                others={read.others}
              />
            </div>
            <div class="stack">
              {/* The description has a panel of its own, and may be long. */}
              <Details
                matter={{ ...matter, description: null }}
                mayWrite={mayWrite}
                names={read.names}
                choices={read.choices}
              />
              <Team
                matter={matter}
                members={membersFor(read.members, matter)}
                mayWrite={mayWrite}
              />
            </div>
          </div>
        </div>
      </>
    ),
  };
};

type Members = Awaited<ReturnType<typeof listMembers>>;

/** Active members, and those who are on the team already. */
const membersFor = (members: Members, { team }: MatterRecord) =>
  members.filter(
    ({ id, deactivatedAt }) => !deactivatedAt || team.some(({ memberId }) => memberId === id),
  );

/** The page of a matter. Its forms are in `pages.ts` and `date-pages.ts`. */
export const matterPage = page('/matters/:id', 'matters:read', showMatter);
