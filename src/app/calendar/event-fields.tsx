/** @jsxImportSource preact */

import { checkDay, dayIn, isCalendarDate } from '../../base/calendar-date.ts';
import { allChecked } from '../../base/checked.ts';
import { type Repeats, rruleAsked } from '../../base/recurrence.ts';
import { invalidField, Refusal } from '../../base/refusal.ts';
import { isRequired } from '../../base/rule.ts';
import { shortText } from '../../base/short-text.ts';
import { momentAt, type When } from '../../calendar/event.ts';
import { guestsFrom } from '../../calendar/guests.ts';
import type { EventLine } from '../../calendar/list.ts';
import { countedFrom, type Which } from '../../calendar/series.ts';
import type { Reader } from '../../record/actor.ts';
import { pickedName } from '../away.ts';
import { Check, Checks, Choices } from '../choices.tsx';
import { useField } from '../field.tsx';
import { type Fields, originalName } from '../fields.ts';
import { Choice, Day, Form, Hour, Text, TextArea } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { optionsOf, withChosen } from '../list.tsx';
import { MatterField, type MatterPick } from '../matter-field.tsx';
import { timeIn, zoneWords } from '../moments.tsx';
import { changeFrom, controlsOf, textsOf } from '../records/field.tsx';
import { repeatFields } from '../repeats.tsx';
import type { Visit } from '../visit.ts';

type Person = {
  id: string;
  name: string;
  email: string;
  deactivatedAt: Date | null;
  awayUntil?: string | null;
};

/** Who can be ticked as invited: the active members, and those who are invited already. */
const colleaguesFor = (event: EventLine | undefined, members: readonly Person[]) => {
  const invited = event?.guests.map(({ email }) => email) ?? [];
  return members.filter(
    ({ email, deactivatedAt }) => deactivatedAt === null || invited.includes(email),
  );
};

type Named = { id: string; name: string };

/** The values of an event's fields, as its form shows and sends them. */
export const textsOfEvent = (
  event: EventLine,
  members: readonly Person[],
  timeZone: string,
): Record<string, string> => {
  const { title, kind, firstDay, startsAt, endsAt, guests } = event;
  const isWhole = firstDay !== null;
  const day = firstDay ?? dayIn(startsAt, timeZone);
  const lastDay = event.lastDay ?? (endsAt ? dayIn(endsAt, timeZone) : '');
  const hour = (at: Date | null) => (at && !isWhole ? timeIn(at, timeZone) : '');
  const invited = guests.map(({ email }) => email);
  const colleagues = colleaguesFor(event, members).map(({ email }) => email);
  return {
    title,
    kindId: kind?.id ?? '',
    day,
    isWhole: isWhole ? 'on' : '',
    begins: hour(startsAt),
    ends: hour(endsAt),
    lastDay: lastDay === day ? '' : lastDay,
    ...textsOf(repeatFields, event),
    colleagues: colleagues.filter((email) => invited.includes(email)).join('\n'),
    guests: invited.filter((email) => !colleagues.includes(email)).join('\n'),
  };
};

const whichOptions: readonly { value: Which; name: string; hint?: string }[] = [
  { value: 'this', name: 'This event alone' },
  {
    value: 'following',
    name: 'This and all that follow',
    hint: 'Later events that were changed separately stay as they are. The others are cancelled, and new events replace them.',
  },
];

type EventFormProps = Omit<Parameters<typeof Form>[0], 'children'> & {
  event?: EventLine;
  pick?: MatterPick;
  members: readonly Person[];
  /** The firm's kinds of events. */
  kinds: readonly Named[];
  /** Whether invitations go out by mail. */
  isMailed: boolean;
  /** The day of a new event, and its hours if they are known. */
  day: string;
  hours?: { begins: string; ends: string } | undefined;
};

export const EventForm = ({
  event,
  pick,
  members,
  kinds,
  isMailed,
  day,
  hours,
  ...form
}: EventFormProps) => {
  const frame = useFrame();
  const { timeZone } = frame;
  const self = (frame.visit as Visit).session.member;
  // Who adds an event takes part, unless they say otherwise: an event of nobody is on nobody's calendar.
  const held: Record<string, string> = event
    ? textsOfEvent(event, members, timeZone)
    : { day, ...hours, colleagues: self.email };
  const colleagues = colleaguesFor(event, members);
  const choices = withChosen(kinds, event?.kind);
  const nameOf = (email: string) => colleagues.find((one) => one.email === email)?.name ?? email;
  const names = (emails: string) => emails.split('\n').map(nameOf).join(', ');
  return (
    <Form {...form}>
      <Text name="title" label="Title" value={held.title} required first={!event} />
      {pick && <MatterField name="matter" label="Matter" pick={pick} />}
      {choices.length > 0 && (
        <Choice
          name="kindId"
          label="Kind"
          value={held.kindId}
          none="No kind"
          options={optionsOf(choices)}
        />
      )}
      <Day name="day" label="Day" value={held.day} required />
      <div>
        <Check name="isWhole" label="All day" checked={held.isWhole === 'on'} />
        <Began
          name="isWhole"
          label="All day"
          held={held.isWhole}
          say={(on) => (on ? 'ticked' : 'not ticked')}
        />
      </div>
      <div class="row fields">
        <Hour
          name="begins"
          label="Starts"
          ask="Enter the time it starts, or tick “All day”."
          value={held.begins}
        />
        <Hour name="ends" label="Ends" value={held.ends} required={false} />
      </div>
      <p class="muted">Times are {zoneWords(timeZone)}.</p>
      <Day
        name="lastDay"
        label="Ends on"
        hint="Only if the event takes several days."
        value={held.lastDay}
        required={false}
      />
      {controlsOf(repeatFields, {}, held)}
      <Checks name="colleagues" label="Colleagues invited">
        <div class="checks">
          {colleagues.map((one) => (
            <Check
              name="colleagues"
              value={one.email}
              label={pickedName(one, frame, self.id)}
              checked={held.colleagues?.split('\n').includes(one.email) ?? false}
            />
          ))}
        </div>
        <Began
          name="colleagues"
          label="Colleagues invited"
          held={held.colleagues}
          say={(emails) => (emails ? names(emails) : 'nobody')}
        />
      </Checks>
      <TextArea
        name="guests"
        label="Others invited"
        hint={
          isMailed
            ? 'Email addresses, one per line. Each guest gets an invitation by mail, with the title, the time and the firm’s name. So does each colleague who gets mail about events.'
            : 'Email addresses, one per line. For your records. No invitation is sent.'
        }
        value={held.guests ?? ''}
        rows={3}
        required={false}
      />
      {event?.rrule && (
        <Choices name="which" label="What changes" value="this" options={whichOptions} />
      )}
    </Form>
  );
};

type BeganProps = {
  name: string;
  label: string;
  held: string | undefined;
  say(text: string): string;
};

/** What boxes held when the edit began; and what they hold now, if somebody else changed them. */
const Began = ({ name, label, held, say }: BeganProps) => {
  const { id, startedFrom, fault } = useField({ name, label }, held);
  return (
    <>
      {startedFrom !== undefined && (
        <input type="hidden" name={originalName(name)} value={startedFrom} />
      )}
      {fault?.now !== undefined && (
        <div class="theirs" id={`${id}-fault`}>
          <p>
            {fault.by?.name ?? 'Somebody else'} changed this to <b>{say(fault.now)}</b>. Your choice
            is ticked here: save again to use it.
          </p>
        </div>
      )}
    </>
  );
};

/** The event's time in a form. Throws `Refusal` with each day and hour that is missing or wrong. */
const whenIn = async (reader: Reader, fields: Fields): Promise<When> => {
  const day = fields.text('day') ?? '';
  const lastDay = fields.text('lastDay') || day;
  const isWhole = Boolean(fields.text('isWhole'));
  const [begins, ends] = [fields.text('begins') ?? '', fields.text('ends') ?? ''];
  await allChecked(
    () => checkDay('day', day),
    () => {
      if (begins === '' && !isWhole) {
        throw invalidField('begins', isRequired(', unless the event takes all day'));
      }
    },
    () => {
      if (lastDay === day) return;
      checkDay('lastDay', lastDay);
      if (lastDay < day) throw invalidField('lastDay', 'must not be before the first day');
    },
  );
  if (isWhole) return { firstDay: day, lastDay };
  const startsAt = await momentAt(reader, day, begins);
  const endsAt = ends === '' ? null : await momentAt(reader, lastDay, ends);
  if (endsAt && endsAt < startsAt)
    throw invalidField('ends', 'must not be before the start, unless “Ends on” has a later day');
  return { startsAt, endsAt };
};

/** What a form says of an event. Throws one `Refusal` with all that is missing or wrong. */
export const detailsIn = async (reader: Reader, fields: Fields) => {
  const guests = guestsIn(fields);
  const often = changeFrom(repeatFields, fields);
  const [title, when] = await allChecked(
    () => shortText('title', fields.text('title') ?? ''),
    () => whenIn(reader, fields),
    () => checkRepeats(fields, often),
    () => guestsFrom(guests),
  );
  return { title, when, often, guests, ...kindIn(fields) };
};

/** Throws `Refusal` for a rule that its event cannot have. One event of a series that is changed alone keeps the rule. */
const checkRepeats = (fields: Fields, often: Repeats) => {
  if (!fields.has('repeats') || fields.text('which') === 'this') return;
  const day = fields.text('day');
  // A wrong day has its own fault: then only what depends on no day is looked at.
  rruleAsked(often, countedFrom({ firstDay: isCalendarDate(day) ? day : '0001-01-01' }));
};

/** The kind that a form asks for; undefined if it has no field for it. */
const kindIn = (fields: Fields): { kindId?: string | null } => {
  const kindId = fields.text('kindId');
  return kindId === undefined ? {} : { kindId: kindId || null };
};

/** The addresses of all who are invited in a form. */
const guestsIn = (fields: Fields) => [
  ...fields.all('colleagues'),
  ...(fields.text('guests') ?? '').split(/[\s,;]+/).filter(Boolean),
];

/** Throws it again. What is wrong with a colleague is said at the box that has them, though both send `guests`. */
export const atItsBox = (fields: Fields) => (error: unknown) => {
  if (!(error instanceof Refusal)) throw error;
  const ticked = fields.all('colleagues').length;
  const faults = error.faults.map((fault) => {
    const place = /^guests\[(\d+)\]$/.exec(fault.field)?.[1];
    return place && Number(place) < ticked ? { ...fault, field: 'colleagues' } : fault;
  });
  throw new Refusal(error.code, error.message, error.headers, faults);
};
