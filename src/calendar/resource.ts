import { subjectParameters } from '../about/subject.ts';
import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import { createEvent, listEventsAbout, readOneEvent, removeEvent, updateEvent } from './sent.ts';
import { calendarEvent } from './table.ts';
import { eventChange, eventRow, examples, newEvent } from './wire.ts';

export const calendarEvents = resource({
  name: 'calendar-events',
  noun: 'calendar event',
  description:
    'Events of matters, with hours (startsAt) or of whole days (startDate). A delete cancels an event and tells its guests. The list is of one matter; a lead has no events. The scopes need the permissions matters:read and matters:write.',
  shapes: { row: eventRow, full: eventRow, create: newEvent, update: eventChange },
  listParameters: subjectParameters,
  examples,
  told: { table: calendarEvent, as: { firstDay: 'startDate', lastDay: 'endDate' } },
  refusals: { list: ['not_found'], create: ['not_found'], update: [] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listEventsAbout,
  read: readOneEvent,
  create: createEvent,
  update: updateEvent,
  remove: removeEvent,
});
