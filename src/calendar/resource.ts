import { subjectParameters } from '../about/subject.ts';
import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import { createEvent, listEventsAbout, readOneEvent, removeEvent, updateEvent } from './sent.ts';
import { calendarEvent } from './table.ts';
import { eventChange, eventRow, examples, newEvent } from './wire.ts';

export const calendarEvents = resource({
  name: 'calendar-events',
  noun: 'calendar event',
  description:
    'Events of matters, and of leads until they are hired: then they go to the matter. With hours (startsAt) or of whole days (startDate). A delete cancels an event and tells its guests. The scope needs the permission of the record that the event is about.',
  shapes: { row: eventRow, full: eventRow, create: newEvent, update: eventChange },
  listParameters: subjectParameters,
  examples,
  includes: { rrule: {} },
  told: { table: calendarEvent, as: { firstDay: 'startDate', lastDay: 'endDate' } },
  refusals: { list: ['not_found'], create: ['not_found', 'conflict'], update: [] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listEventsAbout,
  read: readOneEvent,
  create: createEvent,
  update: updateEvent,
  remove: removeEvent,
});
