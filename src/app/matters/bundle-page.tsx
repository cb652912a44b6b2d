/** @jsxImportSource preact */
import type { EventLine } from '../../calendar/list.ts';
import type { ContactFull } from '../../contacts/wire.ts';
import { usualFormats } from '../../firm/formats.ts';
import type { MatterRecord } from '../../matters/record.ts';
import type { Note } from '../../notes/note.ts';
import type { TaskLine } from '../../tasks/list.ts';
import { documentText } from '../answers.tsx';
import { customFields } from '../custom-fields.tsx';
import { dayAndTime, dayInFull } from '../moments.tsx';
import { valueIn } from '../records/field.tsx';
import { type Kind, wordsOf } from '../records/kinds.tsx';
import { type Matter, matterFields } from './fields.tsx';
import { roleNames, statusNames } from './words.ts';

/** Everything that belongs to a matter's export. */
export type Bundle = {
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
export const bundlePage = (bundle: Bundle): string => {
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
          matter.json has all of it for programs, the CSV files for spreadsheets, dates.ics for
          calendars. audit.jsonl is what the audit log says of this matter; audit.txt says how to
          check it.
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
