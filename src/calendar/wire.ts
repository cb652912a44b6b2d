import { t } from 'elysia';
import { longestRule } from '../base/recurrence.ts';
import {
  answerOf,
  bodyOf,
  calendarDate,
  filledText,
  idOut,
  idText,
  momentIn,
  momentText,
  nameOut,
  nullable,
  published,
  text,
  textOut,
} from '../base/shapes.ts';
import { longestName } from '../base/short-text.ts';
import { longestAddress } from '../firm/member.ts';

/** How many guests a caller of the API may invite to an event. */
const maxGuests = 100;

export const eventRow = answerOf('CalendarEvent', {
  id: idOut(),
  leadId: nullable(idOut()),
  matterId: nullable(idOut()),
  title: nameOut(),
  startsAt: nullable(momentText()),
  endsAt: nullable(momentText()),
  startDate: nullable(calendarDate('The first day of an event of whole days.')),
  endDate: nullable(calendarDate('Its last day.')),
  guests: t.Array(textOut(longestAddress), {
    description: 'Email addresses, in lower case.',
    ...published({ maxItems: 10_000 }),
  }),
  rrule: t.Optional(
    nullable(
      textOut(
        longestRule,
        'Only with `include=rrule`: how often it repeats. Each event that was made of the rule has it, so nothing is to be counted from it.',
      ),
    ),
  ),
  createdAt: momentText(),
  updatedAt: momentText(),
});

const timeIn = () => ({
  startsAt: t.Optional(nullable(momentIn('For an event with hours.'))),
  endsAt: t.Optional(nullable(momentIn())),
  startDate: t.Optional(
    nullable(calendarDate('For an event of whole days, in place of startsAt.')),
  ),
  endDate: t.Optional(nullable(calendarDate('The same day when left out.'))),
});

const guest = () => ({ ...text(longestAddress), format: 'email' });

const guestsIn = () =>
  t.Optional(
    t.Array(guest(), {
      maxItems: maxGuests,
      description: 'Email addresses of colleagues, who are told, and of others.',
    }),
  );

export const newEvent = bodyOf('NewCalendarEvent', {
  leadId: t.Optional(
    idText(
      'The lead that it is about; or send matterId. When it is hired, the event goes to its matter.',
    ),
  ),
  matterId: t.Optional(idText('The matter that it is about; or send leadId.')),
  title: filledText(longestName),
  ...timeIn(),
  guests: guestsIn(),
});

export const eventChange = bodyOf('CalendarEventChange', {
  title: t.Optional(filledText(longestName)),
  ...timeIn(),
  guests: guestsIn(),
});

export type EventRow = typeof eventRow.static;
export type NewEvent = typeof newEvent.static;
export type EventChange = typeof eventChange.static;

/** For the API description. */
export const examples = {
  create: {
    matterId: '019f0000-0000-7000-8000-000000000006',
    title: 'Hearing',
    startsAt: '2026-04-02T09:30:00.000Z',
    endsAt: '2026-04-02T11:00:00.000Z',
    guests: ['zoe@quill.example'],
  } satisfies NewEvent,
  update: { startDate: '2026-04-03' } satisfies EventChange,
  full: {
    id: '019f0000-0000-7000-8000-000000000010',
    leadId: null,
    matterId: '019f0000-0000-7000-8000-000000000006',
    title: 'Hearing',
    startsAt: '2026-04-02T09:30:00.000Z',
    endsAt: '2026-04-02T11:00:00.000Z',
    startDate: null,
    endDate: null,
    guests: ['zoe@quill.example'],
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
  } satisfies EventRow,
};
