/** @jsxImportSource preact */
import { checkDay, dayIn, isCalendarDate } from '../../base/calendar-date.ts';
import { invalidField, notFound } from '../../base/refusal.ts';
import { addEvent, cancelEvent, changeEvent, momentAt, type When } from '../../calendar/event.ts';
import { type EventLine, readEvent } from '../../calendar/list.ts';
import { listMembers } from '../../firm/member.ts';
import type { Actor } from '../../record/actor.ts';
import { Check } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Act, Day, Form, Hour, Text, TextArea } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Title } from '../list.tsx';
import { MatterField, type MatterPick, matterPick, pickedMatter } from '../matter-field.tsx';
import { clockTime, dayInFull } from '../moments.tsx';
import { once } from '../once.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { eventWhen } from './when.ts';

type Person = { id: string; name: string; email: string; deactivatedAt: Date | null };

type EventFieldsProps = {
  event?: EventLine;
  pick?: MatterPick;
  members: readonly Person[];
  day: string;
};

/** The fields of an event. */
const EventFields = ({ event, pick, members, day }: EventFieldsProps) => {
  const { timeZone } = useFrame();
  const isWhole = event?.firstDay != null;
  const hour = (at: Date | null | undefined) => (at && !isWhole ? clockTime(at, timeZone) : '');
  const invited = event?.guests.map(({ email }) => email) ?? [];
  const colleagues = members.filter(
    ({ email, deactivatedAt }) => deactivatedAt === null || invited.includes(email),
  );
  const known = new Set(colleagues.map(({ email }) => email));
  const lastOf = event && (event.lastDay ?? (event.endsAt && dayIn(event.endsAt, timeZone)));
  return (
    <>
      <Text name="title" label="What it is" value={event?.title ?? ''} required first={!event} />
      {pick && <MatterField pick={pick} />}
      <Day name="day" label="Day" value={day} required />
      <Check name="isWhole" label="Whole day" checked={isWhole} />
      <div class="row fields">
        <Hour name="begins" label="Begins" value={hour(event?.startsAt)} />
        <Hour name="ends" label="Ends" value={hour(event?.endsAt)} />
      </div>
      <p class="muted">Hours are those of {timeZone}. Leave them empty for a whole day.</p>
      <Day
        name="lastDay"
        label="Last day"
        hint="If it takes several days."
        value={lastOf === day ? '' : (lastOf ?? '')}
        required={false}
      />
      <fieldset>
        <legend>Colleagues invited</legend>
        <div class="checks">
          {colleagues.map(({ name, email }) => (
            <Check name="colleagues" value={email} label={name} checked={invited.includes(email)} />
          ))}
        </div>
      </fieldset>
      <TextArea
        name="guests"
        label="Others invited"
        hint="Email addresses, one a line. They are stored; nothing is sent to them."
        value={invited.filter((email) => !known.has(email)).join('\n')}
        rows={3}
        required={false}
      />
    </>
  );
};

/** The event's time in a form. Throws `Refusal` for a day or an hour that is missing or wrong. */
const whenIn = async (actor: Actor, fields: Fields): Promise<When> => {
  const day = fields.text('day') ?? '';
  const lastDay = fields.text('lastDay') || day;
  checkDay('day', day);
  checkDay('lastDay', lastDay);
  if (lastDay < day) throw invalidField('lastDay', 'must not be before the first day');
  if (fields.has('isWhole')) return { firstDay: day, lastDay };
  const [begins, ends] = [fields.text('begins') ?? '', fields.text('ends') ?? ''];
  if (begins === '') throw invalidField('begins', 'is required, unless it takes the whole day');
  const startsAt = await momentAt(actor, day, begins);
  const endsAt = ends === '' ? null : await momentAt(actor, lastDay, ends);
  if (endsAt && endsAt < startsAt) throw invalidField('ends', 'must not be before it begins');
  return { startsAt, endsAt };
};

const guestsIn = (fields: Fields) => [
  ...fields.all('colleagues'),
  ...(fields.text('guests') ?? '').split(/[\s,;]+/).filter(Boolean),
];

const showNew = async (visit: Visit): Promise<Shown> => {
  const { actor, query, session } = visit;
  const [pick, members] = await Promise.all([matterPick(visit), listMembers(actor)]);
  const of = query.get('matter');
  const asked = query.get('day') ?? '';
  return {
    title: 'New event',
    place: '/calendar',
    main: (
      <div class="prose">
        <Title title="New event" />
        <Form
          action={of ? `/calendar/new?matter=${of}` : '/calendar/new'}
          save="Add event"
          cancel={of ? `/matters/${of}` : '/calendar'}
          draft={`event:${of ?? 'new'}`}
          once
        >
          <EventFields
            pick={pick}
            members={members}
            day={isCalendarDate(asked) ? asked : dayIn(new Date(), session.timeZone)}
          />
        </Form>
      </div>
    ),
  };
};

const add = async (visit: Visit, fields: Fields) => {
  const { actor } = visit;
  const matterId = await pickedMatter(visit, fields);
  const when = await whenIn(actor, fields);
  const title = fields.text('title') ?? '';
  await addEvent(actor, { matterId, title, guests: guestsIn(fields), ...when });
  if (visit.query.get('matter')) return `/matters/${matterId}`;
  return `/calendar?day=${fields.text('day')}`;
};

const showEvent = async (visit: Visit<'/calendar/:id'>): Promise<Shown> => {
  const { actor, parameters, may, session } = visit;
  const [event, members] = await Promise.all([readEvent(actor, parameters.id), listMembers(actor)]);
  if (!event) throw notFound();
  const { id, title, matter, cancelledAt } = event;
  const mayChange = may('matters:write') && cancelledAt === null;
  const day = event.firstDay ?? dayIn(event.startsAt, session.timeZone);
  return {
    title,
    place: '/calendar',
    follows: ['calendar_event'],
    main: (
      <div class="prose">
        <nav class="crumbs" aria-label="Where this is">
          <a href={`/calendar?day=${day}`}>Calendar</a>
          <Icon name="chevron-right" />
          <a href={`/matters/${matter.id}`}>{matter.number}</a>
        </nav>
        <Title
          title={title}
          facts={
            <>
              {cancelledAt && <span class="tag">Cancelled</span>}
              <span>{eventWhen(event, session.timeZone, dayInFull)}</span>
              <span>{matter.title}</span>
            </>
          }
        >
          {mayChange && <Act action={`/calendar/${id}/cancel`}>Cancel event</Act>}
        </Title>
        {mayChange ? (
          <Form action={`/calendar/${id}`} save="Save" cancel={`/calendar?day=${day}`}>
            <EventFields event={event} members={members} day={day} />
          </Form>
        ) : (
          <p>
            Invited: {event.guests.map(({ name, email }) => name ?? email).join(', ') || 'nobody'}.
          </p>
        )}
      </div>
    ),
  };
};

const change = async ({ actor, parameters }: Visit<'/calendar/:id'>, fields: Fields) => {
  const when = await whenIn(actor, fields);
  const title = fields.text('title') ?? '';
  await changeEvent(actor, parameters.id, { title, guests: guestsIn(fields), when });
  return `/calendar/${parameters.id}`;
};

const cancel = async ({ actor, parameters }: Visit<'/calendar/:id/cancel'>) => {
  await cancelEvent(actor, parameters.id);
  return `/calendar/${parameters.id}`;
};

export const eventPages: Page[] = [
  page('/calendar/new', 'matters:write', showNew),
  form('/calendar/new', 'matters:write', once(add), showNew),
  page('/calendar/:id', 'matters:read', showEvent),
  form('/calendar/:id', 'matters:write', change, showEvent),
  form('/calendar/:id/cancel', 'matters:write', cancel, showEvent),
];
