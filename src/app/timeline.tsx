/** @jsxImportSource preact */

import { written } from '../base/numbers.ts';
import { capitalised } from '../base/wording.ts';
import type { Permission } from '../firm/permissions.ts';
import type { Timeline, TimelineLine } from '../leads/timeline.ts';
import { longestNote, type Note } from '../notes/note.ts';
import type { notesOn } from '../notes/verbs.ts';
import { Asks } from './asks.tsx';
import type { RecordPath } from './deleted-record.tsx';
import { Opens } from './dialog.tsx';
import type { Fields } from './fields.ts';
import { Form, TextArea } from './form.tsx';
import { useFrame } from './frame.tsx';
import { describeChange } from './history.ts';
import type { HistoryContext } from './history-words.ts';
import { Icon } from './icon.tsx';
import { addressWith } from './list.tsx';
import { Moment } from './moments.tsx';
import { SaveOrUndo } from './values.tsx';
import { form, type Page, type ShownPage, type Visit } from './visit.ts';

/** How many lines a timeline shows first, and how many more each time. */
const linesAtOnce = 50;

/** How many lines the address asks for. */
export const linesIn = (query: URLSearchParams): number => {
  const text = query.get('lines') ?? '';
  const asked = /^\d{1,4}$/.test(text) ? Number(text) : linesAtOnce;
  return Math.min(1_000, Math.max(linesAtOnce, asked));
};

/**
 * Another record whose history stands in the timeline, and whose notes may, to read only: the lead that
 * a matter came from, a contact's leads and matters.
 */
export type Told = { id: string; path: string; words: string };

type TimelineProps = {
  /** The record's address; its notes are sent there. */
  path: string;
  timeline: Timeline;
  /** Those about the record, and about the others. */
  notes: readonly Note[];
  /** The firm's custom fields, by their ids. */
  fields: HistoryContext['fields'];
  mayWrite: boolean;
  others?: readonly Told[];
};

type Item = { at: Date } & ({ line: TimelineLine } | { note: Note });

/** What happened to a record and its parts, and the notes about it, newest first. */
export const NotesAndTimeline = (props: TimelineProps) => {
  const { path, timeline, notes, fields, mayWrite, others = [] } = props;
  const { visit, timeZone, formats, today } = useFrame();
  const { session, actor } = visit as Visit;
  const self = { id: session.member.id, seesPrivate: actor.seesPrivate };
  const context = { names: timeline.names, fields, timeZone, formats, today };
  const oldest = timeline.isCut ? timeline.lines.at(-1)?.at : undefined;
  const otherOf = new Map(others.map((one) => [one.id, one]));
  const madeAt = new Map(timeline.lines.flatMap(makingIn));
  // At the same moment a note stands above the line: the sort keeps their order.
  const items: Item[] = [
    ...notes.map((note) => ({ at: lastOf(note.createdAt, madeAt.get(note.recordId)), note })),
    ...timeline.lines.map((line) => ({ at: line.at, line })),
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
              mayWrite={mayWrite && !otherOf.has(item.note.recordId)}
              other={otherOf.get(item.note.recordId)}
            />
          ) : (
            <LineItem line={item.line} context={context} others={otherOf} />
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

/** What a line made, and when: a note that a record was made with has a moment just before that of its line. */
const makingIn = ({ at, entries }: TimelineLine) =>
  entries.flatMap(({ action, recordId }) => (action === 'create' ? [[recordId, at] as const] : []));

const lastOf = (at: Date, other = at) => (other > at ? other : at);

const Compose = ({ path }: { path: string }) => (
  <Form action={`${path}/notes`} draft={`${path}:note`} class="compose" within="note">
    <TextArea name="text" label="Note" placeholder="Write a note" rows={3} />
    <div class="row end">
      <a class="button quiet" href={`/calls/new?about=${path}`} data-script="in-dialog">
        <Icon name="phone" />
        Note a call
      </a>
      <button class="button">Save note</button>
    </div>
  </Form>
);

type LineProps = {
  line: TimelineLine;
  context: HistoryContext;
  others: ReadonlyMap<string, Told>;
};

const LineItem = ({ line, context, others }: LineProps) => {
  const { keyName, memberName } = line;
  const { icon, sentences } = describeChange(line.entries, { ...context, through: keyName });
  if (sentences.length === 0) return null;
  const ids = [...new Set(line.entries.map(({ recordId }) => recordId))];
  const told = ids.flatMap((id) => others.get(id) ?? []);
  // A hire makes the matter whose page this is.
  const isOwn = line.entries.some(
    ({ recordId, recordKind }) => recordKind === 'matter' && !others.has(recordId),
  );
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
          capitalised(words)
        )}
        {told.length > 0 && (
          <>
            {isOwn ? ' from ' : ' ('}
            {told.map((one, at) => (
              <>
                {at > 0 && ', '}
                <Of record={one} />
              </>
            ))}
            {!isOwn && ')'}
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

const Of = ({ record: { path, words } }: { record: Told }) => (
  <a class="nowrap" href={path}>
    {words}
  </a>
);

type NoteProps = Pick<TimelineProps, 'path' | 'mayWrite'> & {
  note: Note;
  self: { id: string; seesPrivate: boolean };
  other: Told | undefined;
};

const NoteItem = ({ path, note, self, mayWrite, other }: NoteProps) => {
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
            {other && (
              <>
                {', about '}
                <Of record={other} />
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
      <summary class="value" id={`edit-${note.id}`}>
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
            note.text.length > longestNote - 1_000
              ? `At most ${written(longestNote)} characters`
              : undefined
          }
        />
        <SaveOrUndo save="Save note" />
      </Form>
    </details>
  );
};

/** The forms of the notes on a record's page, `record`: to write, to change and to delete one. */
export const noteForms = (
  record: ShownPage<RecordPath>,
  write: Permission,
  notes: ReturnType<typeof notesOn>,
): Page[] => {
  const { path } = record;
  const back = (id: string) => path.replace(':id', id);
  const text = (fields: Fields) => fields.raw('text') ?? '';
  const add = async ({ actor, parameters: { id } }: Visit<RecordPath>, fields: Fields) => {
    await notes.add(actor, id, text(fields));
    return back(id);
  };
  const change = async ({ actor, parameters }: Visit<NotePath>, fields: Fields) => {
    const { id, noteId } = parameters;
    await notes.change(actor, id, noteId, text(fields));
    return back(id);
  };
  const remove = async ({ actor, parameters }: Visit<NotePath>) => {
    const { id, noteId } = parameters;
    await notes.remove(actor, id, noteId);
    return back(id);
  };
  return [
    form(`${path}/notes` as const, write, add, record, {
      once: true,
      said: 'Note added to {title}.',
    }),
    form(`${path}/notes/:noteId` as const, write, change, record, { said: 'Note changed.' }),
    form(`${path}/notes/:noteId/delete` as const, write, remove, record, { said: 'Note deleted.' }),
  ];
};

type NotePath = `${RecordPath}/notes/:noteId`;
