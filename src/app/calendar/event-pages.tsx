/** @jsxImportSource preact */

import { dayIn, isCalendarDate, todayIn } from '../../base/calendar-date.ts';
import { allChecked } from '../../base/checked.ts';
import { written } from '../../base/numbers.ts';
import { notFound, oneOf } from '../../base/refusal.ts';
import { cancelEvent } from '../../calendar/event.ts';
import { eventKindList } from '../../calendar/kinds.ts';
import { readEvent } from '../../calendar/list.ts';
import {
  addRepeating,
  cancelFollowing,
  changeRepeating,
  type Which,
  whichOnes,
} from '../../calendar/series.ts';
import { confirmationOf } from '../../date-rules/confirming.ts';
import { listMembers } from '../../firm/member.ts';
import { isMailing } from '../../mail/account.ts';
import {
  acknowledgeDate,
  acknowledgeFollowing,
  asksOfFollowing,
  noteOpened,
  receiptsOf,
} from '../../receipts/receipt.ts';
import { isEscalated } from '../../receipts/work.ts';
import type { Reader } from '../../record/actor.ts';
import {
  changesOf,
  mayMakeAbout,
  mustRead,
  namedBy,
  pathOfRecord,
  readsDates,
  recordIn,
  writers,
} from '../about.ts';
import { cameFrom } from '../address.ts';
import { Asks } from '../asks.tsx';
import { ConfirmationOf } from '../confirmations.tsx';
import { Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { addressWith } from '../list.tsx';
import { matterPick, pickedRecord } from '../matter-field.tsx';
import { dayInFull } from '../moments.tsx';
import { Crumbs, Title } from '../page-parts.tsx';
import { HaveIt, isAsked, Receipts } from '../receipts.tsx';
import { everyWords, Repeats } from '../repeats.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type Undo, type Visit } from '../visit.ts';
import { eventWhen } from './entries.tsx';
import { atItsBox, detailsIn, EventForm, textsOfEvent } from './event-fields.tsx';

const showNew = async (visit: Visit): Promise<Shown> => {
  const { actor, query, session } = visit;
  const [pick, members, kinds, isMailed] = await Promise.all([
    matterPick(visit),
    listMembers(actor),
    eventKindList.all(actor),
    isMailing(actor),
  ]);
  const of = recordIn(query);
  const asked = query.get('day') ?? '';
  const back = calendarAt(query, asked);
  return {
    title: 'New event',
    place: '/calendar',
    work: 'form',
    main: (
      <div class="prose">
        <Title title="New event" />
        <EventForm
          action={addressWith('/calendar/new', query, { day: null, begins: null })}
          save="Add event"
          cancel={of ? pathOfRecord(of) : back}
          draft={`event:${of?.id ?? 'new'}`}
          makes="event"
          pick={pick}
          members={members}
          kinds={kinds}
          isMailed={isMailed}
          day={isCalendarDate(asked) ? asked : todayIn(session.timeZone)}
          hours={hoursIn(query)}
        />
      </div>
    ),
  };
};

/** The hours that the address of a new event asks for: one hour from `09:00`. */
const hoursIn = (query: URLSearchParams) => {
  const [begins, hour] = /^([01]\d|2[0-3]):00$/.exec(query.get('begins') ?? '') ?? [];
  if (!begins) return undefined;
  const next = Number(hour) + 1;
  return { begins, ends: next > 23 ? '' : `${String(next).padStart(2, '0')}:00` };
};

/** The calendar that somebody came from, on a day. */
const calendarAt = (query: URLSearchParams, day: string) =>
  addressWith('/calendar', query, { day: day || null, begins: null, matter: null, lead: null });

const add = async (visit: Visit, fields: Fields) => {
  const { actor } = visit;
  const of = recordIn(visit.query);
  const [record, { when, often, ...details }] = await allChecked(
    () => pickedRecord(visit, fields),
    () => detailsIn(actor, fields),
  );
  const made = { ...namedBy(record), ...details, ...when, ...often };
  const { id } = await addRepeating(actor, made).catch(atItsBox(fields));
  const { title } = details;
  const back = of ? pathOfRecord(of) : calendarAt(visit.query, fields.text('day') ?? '');
  const { repeats } = often;
  const words = repeats
    ? `Events added: ${title}, ${everyWords(repeats)}.`
    : `Event added: ${title}.`;
  const undo: Undo = {
    action: `/calendar/${id}/cancel`,
    fields: repeats ? Object.entries(allThatFollow.fields) : [],
  };
  return saying(back, words, undo);
};

const showEvent = async (visit: Visit<'/calendar/:id'>): Promise<Shown> => {
  const { actor, parameters, may, request, session } = visit;
  const [found, members, kinds, isMailed, receipts] = await Promise.all([
    readEvent(actor, parameters.id),
    listMembers(actor),
    eventKindList.all(actor),
    isMailing(actor),
    receiptsOf(actor, parameters.id),
  ]);
  const event = mustRead(found, visit);
  // A page that renews itself may have nobody in front of it.
  if (!request.headers.has('x-member')) noteOpened(actor, parameters.id, receipts);
  const { id, title, record, cancelledAt } = event;
  const mayChange = may(`${record.about}s:write`) && cancelledAt === null;
  const day = event.firstDay ?? dayIn(event.startsAt, session.timeZone);
  const isAskedOf = isAsked(receipts, actor);
  const [escalates, isFollowed, confirmation] = await Promise.all([
    isEscalated(actor, 'event', day),
    isAskedOf && event.seriesId !== null && asksOfFollowing(actor, id),
    record.about === 'matter' ? confirmationOf(actor, record.id, id) : undefined,
  ]);
  return {
    title,
    place: '/calendar',
    follows: [
      'calendar_event',
      'matter',
      'lead',
      'receipt',
      'ruled_date',
      'date_rule',
      'event_kind',
    ],
    main: (
      <div class="prose">
        <Crumbs
          path={`/calendar?day=${day}`}
          name="Calendar"
          here={record.number}
          to={pathOfRecord(record)}
        />
        <Title
          title={title}
          facts={
            <>
              {cancelledAt && <span class="tag">Cancelled</span>}
              {event.kind && <span class="tag">{event.kind.name}</span>}
              <span>{eventWhen(event, session, (one) => dayInFull(one, session))}</span>
              <span>{record.title}</span>
              {event.rrule && <Repeats rrule={event.rrule} />}
            </>
          }
        >
          {isAskedOf && <HaveIt of={{ about: 'event', recordId: id, day, isFollowed }} />}
          {mayChange && <Opens dialog="cancel">Cancel event</Opens>}
        </Title>
        {mayChange && (
          <Asks
            id="cancel"
            title="Cancel this event?"
            action={`/calendar/${id}/cancel`}
            verb="Cancel event"
            back="Keep event"
            isEnd
            {...(event.rrule && { verb: 'This event alone', also: allThatFollow })}
          >
            <p>{title}</p>
            <p class="muted">
              {event.rrule
                ? 'If you cancel all that follow too, events that were changed separately stay. Everyone invited is told. A cancelled event cannot be restored.'
                : 'Everyone invited is told. A cancelled event cannot be restored.'}
            </p>
          </Asks>
        )}
        <ConfirmationOf date={confirmation} />
        {mayChange ? (
          <EventForm
            action={`/calendar/${id}`}
            save="Save"
            cancel={`/calendar?day=${day}`}
            event={event}
            members={members}
            kinds={kinds}
            isMailed={isMailed}
            day={day}
          />
        ) : (
          <p>
            Invited: {event.guests.map(({ name, email }) => name ?? email).join(', ') || 'nobody'}.
          </p>
        )}
        <Receipts lines={receipts} about="event" isEscalated={escalates} />
      </div>
    ),
  };
};

const acknowledge = async (visit: Visit<'/calendar/:id/acknowledged'>, fields: Fields) => {
  const { actor, request, session } = visit;
  const { id } = visit.parameters;
  const event = mustRead(await readEvent(actor, id), visit);
  const day = fields.text('day') ?? '';
  let later = 0;
  if (whichIn(fields) === 'following') later = await acknowledgeFollowing(actor, id, day);
  else await acknowledgeDate(actor, id, day);
  const others = later === 0 ? '' : `, and the ${later === 1 ? 'one' : written(later)} after it`;
  const words = `You have the event ${event.title}, ${dayInFull(day, session)}${others}.`;
  return saying(cameFrom(request, `/calendar/${id}`), words);
};

const textsNow = async (reader: Reader, { parameters, session }: Visit<'/calendar/:id'>) => {
  const [event, members] = await Promise.all([
    readEvent(reader, parameters.id),
    listMembers(reader),
  ]);
  if (!event) throw notFound();
  return textsOfEvent(event, members, session.timeZone);
};

const change = async ({ actor, parameters }: Visit<'/calendar/:id'>, fields: Fields) => {
  const { often, ...details } = await detailsIn(actor, fields);
  const changed = { ...details, ...often, which: whichIn(fields) };
  await changeRepeating(actor, parameters.id, changed).catch(atItsBox(fields));
  return `/calendar/${parameters.id}`;
};

const allThatFollow = {
  verb: 'This and all that follow',
  fields: { which: 'following' satisfies Which },
};

/** Which events a form is about: this one, if it does not say. Throws `Refusal` invalid_request. */
const whichIn = (fields: Fields): Which =>
  oneOf('which', whichOnes, fields.text('which') || 'this');

const cancel = async (visit: Visit<'/calendar/:id/cancel'>, fields: Fields) => {
  const { actor, parameters } = visit;
  const { title } = mustRead(await readEvent(actor, parameters.id), visit);
  const isOne = whichIn(fields) === 'this';
  await (isOne ? cancelEvent : cancelFollowing)(actor, parameters.id);
  // Undo of the event that was added is on another page than its own.
  const words = isOne ? `Event cancelled: ${title}.` : `Cancelled with all that follow: ${title}.`;
  return saying(`/calendar/${parameters.id}`, words);
};

const mayChangeIt = changesOf(readEvent);

const newPage = page('/calendar/new', writers, showNew, { also: mayMakeAbout });
const eventPage = page('/calendar/:id', readsDates, showEvent);

export const eventPages: Page[] = [
  newPage,
  form('/calendar/new', writers, add, newPage, { once: true, also: mayMakeAbout }),
  eventPage,
  form('/calendar/:id', writers, change, eventPage, {
    also: mayChangeIt,
    guard: textsNow,
    said: 'Event changed: {title}.',
  }),
  form('/calendar/:id/acknowledged', readsDates, acknowledge, eventPage),
  form('/calendar/:id/cancel', writers, cancel, eventPage, { also: mayChangeIt }),
];
