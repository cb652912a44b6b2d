/** @jsxImportSource preact */
import { ICalCalendar, ICalEventStatus } from 'ical-generator';
import { linesAbout } from '../../audit/of-records.ts';
import { hours, oneLine, wholeDays } from '../../base/ics.ts';
import { type EventLine, everyEventOfMatter } from '../../calendar/list.ts';
import { readContact } from '../../contacts/contact.ts';
import type { ContactFull } from '../../contacts/wire.ts';
import { recordExport } from '../../firm/exported.ts';
import { usualFormats } from '../../firm/formats.ts';
import { type MatterRecord, matterRecord } from '../../matters/record.ts';
import { type Note, notesAbout } from '../../notes/note.ts';
import { everyTaskOfMatter, type TaskLine } from '../../tasks/list.ts';
import { documentText } from '../answers.tsx';
import { customFields } from '../custom-fields.tsx';
import { csvText } from '../export.tsx';
import { dayAndTime, dayInFull } from '../moments.tsx';
import { valueIn } from '../records/field.tsx';
import { type Kind, wordsOf } from '../records/kinds.tsx';
import { repeatsWords } from '../repeats.tsx';
import type { Visit } from '../visit.ts';
import { type Matter, matterFields, roleNames, statusNames } from './fields.tsx';

/** A matter as a ZIP file: a page, tables, a calendar, JSON, and its part of the audit log. */
export const giveBundle = async (visit: Visit<'/matters/:id/bundle'>): Promise<Response> => {
  const { actor, parameters, may, session } = visit;
  const { id } = parameters;
  const matter = await matterRecord(actor, id);
  const [tasks, events, notes] = await Promise.all([
    everyTaskOfMatter(actor, id),
    everyEventOfMatter(actor, id),
    notesAbout(actor, id),
  ]);
  const ids = may('contacts:read') ? matter.clients.map(({ contactId }) => contactId) : [];
  // A client's contact may have been deleted.
  const found = await Promise.all(ids.map((one) => readContact(actor, one).catch(() => null)));
  const contacts = found.filter((one) => one !== null);
  const { firmName: firm, timeZone } = session;
  const bundle = { firm, timeZone, matter, tasks, events, notes, contacts };
  const about = [id, ...[...tasks, ...events, ...notes].map((part) => part.id)];
  const audit = await linesAbout(actor, actor.firmId, about);
  await recordExport(actor, { what: 'matter', address: `/matters/${id}`, rows: 1 });
  const name = `${matter.publicId} ${matter.title}`.replaceAll(/[^\p{L}\p{N} ._-]+/gu, '_');
  // Only now: it loads parts of the runtime that a start of the server should not wait for.
  const { zipSync } = await import('fflate');
  return new Response(zipSync(files(bundle, audit)), {
    headers: {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="matter.zip"; filename*=UTF-8''${encodeURIComponent(name.slice(0, 120))}.zip`,
    },
  });
};

const files = (bundle: Bundle, audit: string): Record<string, Uint8Array> => {
  const { matter, tasks, events, notes, contacts } = bundle;
  const hour = (moment: Date | null) => moment?.toISOString() ?? '';
  // Without a today, a last day has its year: the same rule gives the same words every year.
  const repeats = (rrule: string | null) =>
    rrule ? repeatsWords(rrule, '', { formats: usualFormats }) : '';
  const texts = {
    'index.html': bundlePage(bundle),
    'matter.json': `${JSON.stringify({ matter, contacts, tasks, events, notes }, null, 2)}\n`,
    'dates.ics': calendarOf(bundle),
    'clients.csv': csvText(
      ['Name', 'Primary', 'Billed', 'Emails', 'Phones'],
      matter.clients.map(({ contactId, name, isPrimary, isBillRecipient }) => {
        const contact = contacts.find(({ id }) => id === contactId);
        const emails = contact?.emails.map(({ address }) => address) ?? [];
        const phones = contact?.phones.map(({ number }) => number) ?? [];
        return [name, yes(isPrimary), yes(isBillRecipient), emails.join('; '), phones.join('; ')];
      }),
    ),
    'team.csv': csvText(
      ['Name', 'Role', 'Share in %'],
      matter.team.map(({ name, role, allocation }) => [name, roleNames[role], String(allocation)]),
    ),
    'tasks.csv': csvText(
      ['Task', 'Due', 'Repeats', 'Assigned to', 'Done at', 'Cancelled at'],
      tasks.map((task) => [
        ...[task.title, task.dueOn ?? '', repeats(task.rrule)],
        ...[task.assignee?.name ?? '', hour(task.doneAt), hour(task.cancelledAt)],
      ]),
    ),
    'events.csv': csvText(
      ['Event', 'Kind', 'Starts', 'Ends', 'Repeats', 'Guests', 'Cancelled at'],
      events.map((event) => [
        event.title,
        event.kind?.name ?? '',
        event.firstDay ?? hour(event.startsAt),
        event.lastDay ?? hour(event.endsAt),
        repeats(event.rrule),
        event.guests.map(({ email }) => email).join('; '),
        hour(event.cancelledAt),
      ]),
    ),
    'notes.csv': csvText(
      ['Written', 'By', 'Note'],
      notes.map(({ createdAt, memberName, text }) => [hour(createdAt), memberName, text]),
    ),
    'audit.jsonl': audit,
    'audit.txt': howToCheck,
  };
  const encoder = new TextEncoder();
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, encoder.encode(text)]),
  );
};

const yes = (is: boolean) => (is ? 'yes' : '');

const howToCheck = `audit.jsonl contains the entries of the firm's audit log about this matter, one on each line.

"entry" is the text that was sealed. Do not change a single character of it.
"seal" has the entry's number in the firm's whole log, the hash before it, and its own hash.
SHA-256 of the 64 digits of "before", followed by the entry's text, is "hash" in 64 digits.
An entry of the last few seconds may have no seal yet.

The last line is the end of the whole log when this file was written: the number and hash of its last
seal, and the signature over them by the key of the server. The firm can show with its own log that
each seal here is the one of that number, up to this end.
`;

const calendarOf = ({ firm, matter, events, tasks }: Bundle): string => {
  const calendar = new ICalCalendar({
    name: oneLine(`${firm}: ${matter.title}`),
    prodId: '//Matterhorn//Matter//EN',
  });
  // Not the time of the export, so the same matter gives the same file.
  const stamp = new Date(matter.updatedAt);
  const day = (kind: string, id: string, first: string, last: string, summary: string) =>
    calendar.createEvent({
      ...wholeDays(first, last),
      id: `${kind}-${id}@matterhorn`,
      summary: oneLine(summary),
      stamp,
    });
  if (matter.solDate) {
    day('limitation', matter.id, matter.solDate, matter.solDate, `Limitation: ${matter.title}`);
  }
  const cancelled = ICalEventStatus.CANCELLED;
  for (const { id, title, dueOn, cancelledAt } of tasks) {
    if (!dueOn) continue;
    const made = day('task', id, dueOn, dueOn, `Task: ${title}`);
    if (cancelledAt) made.status(cancelled);
  }
  for (const { id, title, firstDay, lastDay, startsAt, endsAt, cancelledAt } of events) {
    const known = { id: `event-${id}@matterhorn`, summary: oneLine(title), stamp };
    const made = firstDay
      ? day('event', id, firstDay, lastDay ?? firstDay, title)
      : calendar.createEvent({ ...hours(startsAt, endsAt), ...known });
    if (cancelledAt) made.status(cancelled);
  }
  return calendar.toString();
};

/** Everything that belongs to a matter's export. */
type Bundle = {
  firm: string;
  timeZone: string;
  matter: MatterRecord;
  tasks: TaskLine[];
  events: EventLine[];
  notes: Note[];
  contacts: ContactFull[];
};

const look = `body{font:16px/24px system-ui,sans-serif;max-width:720px;margin:32px auto;padding:0 16px;color:#1b2027}
h1{font-size:26px;line-height:32px}h2{font-size:20px;margin-top:32px}dt,th{color:#565f6c;font-weight:400;text-align:left}
dd{margin:0 0 8px}table{border-collapse:collapse;width:100%}td,th{padding:4px 8px 4px 0;vertical-align:top;border-bottom:1px solid #dfe3e8}
.as-written{white-space:pre-wrap;overflow-wrap:anywhere}`;

/** The page to read, without a script. */
const bundlePage = (bundle: Bundle): string => {
  const { firm, timeZone, matter, notes } = bundle;
  const moment = (at: Date) => dayAndTime(at, { timeZone, formats: usualFormats });
  return documentText(
    <html lang="en-GB">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${matter.publicId} ${matter.title}`}</title>
        <style>{look}</style>
      </head>
      <body>
        <h1>{matter.title}</h1>
        <p>
          Matter {matter.publicId} of {firm}, as of {moment(new Date())} ({timeZone}).
        </p>
        <Facts matter={matter} />
        {matter.description && (
          <>
            <h2>{matterFields.description.label}</h2>
            <p class="as-written">{matter.description}</p>
          </>
        )}
        <Tables bundle={bundle} moment={moment} />
        {notes.length > 0 && <h2>Notes</h2>}
        {notes.map((note) => (
          <>
            <p>
              {note.memberName}, {moment(note.createdAt)}
            </p>
            <p class="as-written">{note.text}</p>
          </>
        ))}
        <h2>The other files</h2>
        <p>
          matter.json contains the whole matter, for programs. The CSV files are for spreadsheets,
          and dates.ics is for calendars. audit.jsonl contains the entries of the audit log about
          this matter. audit.txt says how to check them.
        </p>
      </body>
    </html>,
  );
};

const day = (text: string | null) =>
  text === null ? '–' : dayInFull(text, { formats: usualFormats });

const { status, area, type, stage, former, opened, closed, limitation } = matterFields;

const Facts = ({ matter }: { matter: MatterRecord }) => (
  <dl>
    <Fact name={status.label} of={statusNames[matter.status]} />
    <Fact name={area.label} of={matter.practiceArea?.name} />
    <Fact name={type.label} of={matter.type?.name} />
    <Fact name={stage.label} of={matter.stage?.name} />
    <Fact name={former.label} of={matter.formerNumber} />
    <Fact name={opened.label} of={day(matter.openDate)} />
    <Fact name={closed.label} of={day(matter.closeDate)} />
    <Fact name={limitation.label} of={day(matter.solDate)} />
    {Object.values(customFields<Matter>(matter.defined)).map(({ label, kind, edit }) => (
      <Fact name={label} of={wordsOf(kind as Kind, edit && valueIn<Matter>(edit, matter), {})} />
    ))}
  </dl>
);

const Fact = ({ name, of }: { name: string; of: string | null | undefined }) =>
  of ? (
    <>
      <dt>{name}</dt>
      <dd>{of}</dd>
    </>
  ) : null;

type TablesProps = { bundle: Bundle; moment(at: Date): string };

const Tables = ({ bundle: { matter, tasks, events }, moment }: TablesProps) => (
  <>
    <Lines
      title="Clients"
      heads={['Name', 'Role']}
      rows={matter.clients.map((one) => [one.name, one.isPrimary ? 'Primary' : ''])}
    />
    <Lines
      title="Team"
      heads={['Name', 'Role']}
      rows={matter.team.map((one) => [one.name, roleNames[one.role]])}
    />
    <Lines
      title="Tasks"
      heads={['Task', 'Due', 'Assigned to', 'State']}
      rows={tasks.map((one) => [
        ...[one.title, day(one.dueOn), one.assignee?.name ?? ''],
        one.doneAt ? 'Done' : one.cancelledAt ? 'Cancelled' : 'Open',
      ])}
    />
    <Lines
      title="Events"
      heads={['Event', 'When', 'State']}
      rows={events.map((one) => [
        one.title,
        one.firstDay ? day(one.firstDay) : moment(one.startsAt),
        one.cancelledAt ? 'Cancelled' : '',
      ])}
    />
  </>
);

type LinesProps = { title: string; heads: string[]; rows: string[][] };

const Lines = ({ title, heads, rows }: LinesProps) =>
  rows.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <table>
        <tr>
          {heads.map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
        {rows.map((row) => (
          <tr>
            {row.map((cell) => (
              <td>{cell}</td>
            ))}
          </tr>
        ))}
      </table>
    </>
  );
