/** @jsxImportSource preact */
import { dayIn } from '../base/calendar-date.ts';
import type { Timeline, TimelineLine } from '../leads/timeline.ts';
import { longestNote, type Note } from '../notes/note.ts';
import { Asks } from './asks.tsx';
import { Opens } from './dialog.tsx';
import { Form, TextArea } from './form.tsx';
import { useFrame } from './frame.tsx';
import { describeChange } from './history.ts';
import type { HistoryContext } from './history-words.ts';
import { Icon } from './icon.tsx';
import { addressWith } from './list.tsx';
import { Moment } from './moments.tsx';
import { SaveOrUndo } from './values.tsx';

/** How many lines a timeline shows first, and how many more each time. */
const linesAtOnce = 50;

/** How many lines the address asks for. */
export const linesIn = (query: URLSearchParams): number => {
  const text = query.get('lines') ?? '';
  const asked = /^\d{1,4}$/.test(text) ? Number(text) : linesAtOnce;
  return Math.min(1_000, Math.max(linesAtOnce, asked));
};

/** The lead that a matter came from. The matter's timeline shows its notes, to read only. */
type Origin = { path: string; number: string; notes: readonly Note[] };

type TimelineProps = {
  /** The record's address; its notes are sent there. */
  path: string;
  timeline: Timeline;
  notes: readonly Note[];
  /** The firm's custom fields, by their ids. */
  fields: HistoryContext['fields'];
  mayWrite: boolean;
  self: { id: string; seesPrivate: boolean };
  origin?: Origin | undefined;
};

type Item = { at: Date } & ({ line: TimelineLine } | { note: Note; isOfOrigin: boolean });

/** What happened to a record and its parts, and the notes about it, newest first. */
export const NotesAndTimeline = (props: TimelineProps) => {
  const { path, timeline, notes, fields, mayWrite, self, origin } = props;
  const { visit, timeZone, formats, now } = useFrame();
  const context = { names: timeline.names, fields, timeZone, formats, today: dayIn(now, timeZone) };
  const oldest = timeline.isCut ? timeline.lines.at(-1)?.at : undefined;
  const noteItem = (isOfOrigin: boolean) => (note: Note) => ({
    at: note.createdAt,
    note,
    isOfOrigin,
  });
  const items: Item[] = [
    ...timeline.lines.map((line) => ({ at: line.at, line })),
    ...notes.map(noteItem(false)),
    ...(origin?.notes ?? []).map(noteItem(true)),
  ]
    .filter(({ at }) => !oldest || at >= oldest)
    .sort((a, b) => b.at.getTime() - a.at.getTime());
  const more = String(linesIn(visit.query) + linesAtOnce);
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline" class="part">
        Notes and timeline
      </h2>
      {mayWrite && <Compose path={path} />}
      <ol class="timeline">
        {items.map((item) =>
          'note' in item ? (
            <NoteItem
              path={path}
              note={item.note}
              self={self}
              mayWrite={mayWrite && !item.isOfOrigin}
              origin={item.isOfOrigin ? origin : undefined}
            />
          ) : (
            <LineItem line={item.line} context={context} origin={origin} />
          ),
        )}
      </ol>
      {timeline.isCut && (
        <a class="button" href={addressWith(path, visit.query, { lines: more })}>
          Show more
        </a>
      )}
    </section>
  );
};

const Compose = ({ path }: { path: string }) => (
  <Form action={`${path}/notes`} draft={`${path}:note`} class="compose" within="note">
    <TextArea name="text" label="Note" placeholder="Write a note" rows={3} />
    <div class="row end">
      <button class="button">Save note</button>
    </div>
  </Form>
);

type LineProps = { line: TimelineLine; context: HistoryContext; origin: Origin | undefined };

const LineItem = ({ line, context, origin }: LineProps) => {
  const { keyName, memberName } = line;
  const { icon, sentences } = describeChange(line.entries, { ...context, through: keyName });
  if (sentences.length === 0) return null;
  const kinds = line.entries.map(({ recordKind }) => recordKind);
  const isOfOrigin = origin && kinds.includes('lead');
  const isOnlyOrigin = isOfOrigin && !kinds.includes('matter');
  const words = sentences.join(', and ');
  const member = memberName ?? 'The administrator';
  const subject = cameIn(line) ? undefined : (keyName ?? member);
  return (
    <li>
      <span class="dot">
        <Icon name={icon} />
      </span>
      <div>
        {subject ? (
          <>
            <b>{subject}</b> {words}
          </>
        ) : (
          words.charAt(0).toUpperCase() + words.slice(1)
        )}
        {isOfOrigin && (
          <>
            {isOnlyOrigin ? ' (' : ' from '}
            <FromLead origin={origin} />
            {isOnlyOrigin && ')'}
          </>
        )}
        {subject && keyName !== null && <span class="muted"> with a key of {member}</span>}{' '}
        <span class="when">
          · <Moment at={line.at.toISOString()} withTime />
        </span>
      </div>
    </li>
  );
};

/** A lead that a program brought in is told without a doer: nobody in the firm did it. */
const cameIn = ({ keyName, entries }: TimelineLine) =>
  keyName !== null &&
  entries.some(({ action, recordKind }) => action === 'create' && recordKind === 'lead');

const FromLead = ({ origin: { path, number } }: { origin: Origin }) => (
  <a class="nowrap" href={path}>
    lead {number}
  </a>
);

type NoteProps = Pick<TimelineProps, 'path' | 'self' | 'mayWrite' | 'origin'> & { note: Note };

const NoteItem = ({ path, note, self, mayWrite, origin }: NoteProps) => {
  const isOwn = note.memberId === self.id;
  const action = `${path}/notes/${note.id}`;
  const wasChanged = note.updatedAt.getTime() !== note.createdAt.getTime();
  return (
    <li id={`note-${note.id}`}>
      <span class="dot">
        <Icon name="message-square" />
      </span>
      <div class="note">
        <header>
          <b>{note.memberName}</b>
          <span class="when">
            <Moment at={note.createdAt.toISOString()} withTime />
            {wasChanged && ', changed'}
            {origin && (
              <>
                {', about '}
                <FromLead origin={origin} />
              </>
            )}
          </span>
          {mayWrite && (isOwn || self.seesPrivate) && <DeleteNote note={note} action={action} />}
        </header>
        {mayWrite && isOwn ? (
          <EditNote note={note} action={action} />
        ) : (
          <NoteText text={note.text} />
        )}
      </div>
    </li>
  );
};

const DeleteNote = ({ note, action }: { note: Note; action: string }) => {
  const id = `delete-${note.id}`;
  return (
    <>
      <Opens dialog={id} class="button quiet small icon-only">
        <Icon name="trash-2" />
        <span class="hide">Delete this note</span>
      </Opens>
      <Asks id={id} title="Delete this note?" action={`${action}/delete`} verb="Delete" isEnd>
        <p>A deleted note cannot be restored.</p>
      </Asks>
    </>
  );
};

const NoteText = ({ text }: { text: string }) => <p class="as-written">{text}</p>;

const EditNote = ({ note, action }: { note: Note; action: string }) => {
  const { refused } = useFrame().visit;
  return (
    <details class="edit stays" data-script="edit" open={refused?.action === action}>
      <summary class="value">
        <span class="hide">Edit note: </span>
        <span class="as-written">{note.text}</span>
        <Icon name="pencil" />
      </summary>
      <Form action={action} class="in-place" within={note.id} draft={`note:${note.id}`}>
        <TextArea
          name="text"
          label="Note"
          value={note.text}
          rows={Math.min(16, 3 + Math.floor(note.text.length / 80))}
          hint={
            note.text.length > longestNote - 1_000 ? `At most ${longestNote} characters` : undefined
          }
        />
        <SaveOrUndo save="Save note" />
      </Form>
    </details>
  );
};
