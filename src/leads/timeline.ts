import { type SQL, sql } from 'drizzle-orm';
import type { Changes } from '../audit/table.ts';
import { isId } from '../base/columns.ts';
import { calendarEvent, eventSeries } from '../calendar/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { keepingPlansUnless } from '../record/kept-plans.ts';
import { task } from '../tasks/table.ts';
import { canSeeEntry } from '../visibility/entries.ts';
import { canSeeContact, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** One line of a timeline: what one request did to the record and its parts. */
export type TimelineLine = {
  requestId: string;
  at: Date;
  /** Who did it; null is the administrator. */
  memberName: string | null;
  /** The API key it came through, if through one. */
  keyName: string | null;
  entries: {
    action: 'create' | 'update' | 'delete';
    recordKind: string;
    recordId: string;
    changes: Changes;
  }[];
};

/** A timeline, newest line first; whether there are older lines; and names for the ids in it. */
export type Timeline = {
  lines: TimelineLine[];
  isCut: boolean;
  names: ReadonlyMap<string, string>;
};

/**
 * What happened to these records, one line for each request, the newest `max` of them, in two
 * statements; in one, if all names in it are `known`, because the page has read them. The caller has
 * checked that the reader sees the records and what is known. A contact's name is given
 * only to those who see the contact, and what a merge wrote on it only to those who see whom it told
 * of. Changes of more than 64 KiB are left out of their line.
 */
export const timelineOf = async (
  actor: Actor,
  recordIds: string[],
  max: number,
  known: Iterable<Named> = [],
): Promise<Timeline> => {
  const isShort = recordIds.length <= few.records && max <= few.lines;
  const reader = keepingPlansUnless(isShort, actor);
  const entries = reader.seesPrivate ? everyEntryOf : entriesOf;
  const rows = await reader.run(entries, { ...viewerOf(reader), ids: recordIds, max: max + 1 });
  const lines = new Map<string, TimelineLine>();
  for (const { requestId, at, memberName, keyName, ...entry } of rows) {
    const line = lines.get(requestId);
    if (line) line.entries.push(entry);
    else {
      const author = { requestId, at: new Date(at), memberName, keyName };
      lines.set(requestId, { ...author, entries: [entry] });
    }
  }
  const shown = [...lines.values()].slice(0, max);
  const named = new Map([...known].map(({ id, name }) => [id, name]));
  const ids = new Set(shown.flatMap(({ entries }) => entries.flatMap(idsIn)));
  const others = await namesAmong(
    reader,
    [...ids].filter((id) => !named.has(id)),
  );
  return { lines: shown, isCut: lines.size > max, names: new Map([...named, ...others]) };
};

/** The history of so few records, and so few lines of it, costs as little as any short statement. */
const few = { records: 50, lines: 50 };

/** A record or a choice of the firm by its id, and how the reader sees it called. */
type Named = { id: string; name: string };

/** The names of these records, by id; of contacts only those that the reader may see. */
export const namesAmong = async (
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (ids.length === 0) return new Map();
  const named = await reader.run(namesOf, { ...viewerOf(reader), ids: [...ids] });
  return new Map(named.map(({ id, name }) => [id, name]));
};

type EntryRow = Omit<TimelineLine, 'at' | 'entries'> &
  TimelineLine['entries'][number] & { at: string };

type EntriesOf = Given<Viewer & { ids: string[]; max: number }>;

const entriesOf = shortStatement((given: EntriesOf) => entriesThat(canSeeEntry(given), given));

// For those who see everything, Postgres would prepare each part of the condition all the same.
const everyEntryOf = shortStatement((given: EntriesOf) => entriesThat(sql`true`, given));

const entriesThat = (areSeen: SQL, given: EntriesOf) => sql<EntryRow>`
    with line as (
      select request_id, max(id) as last from audit_entry
      where firm_id = ${given.firmId}::uuid and record_id = any(${given.ids}::uuid[])
      group by request_id order by last desc limit ${given.max}::int)
    select line.request_id as "requestId", entry.at, entry.action,
      entry.record_kind as "recordKind", entry.record_id::text as "recordId", member.name as "memberName", api_key.name as "keyName",
      case when octet_length(entry.changes::text) > 65536 then '{}' else entry.changes end as changes
    from line
    join audit_entry entry on entry.firm_id = ${given.firmId}::uuid
      and entry.record_id = any(${given.ids}::uuid[]) and entry.request_id = line.request_id and ${areSeen}
    left join member on member.firm_id = entry.firm_id and member.id = entry.member_id
    left join api_key on api_key.firm_id = entry.firm_id and api_key.id = entry.key_id
    order by line.last desc, entry.id`;

/** Every id that an entry's changes name, at any depth. */
const idsIn = ({ changes, recordKind, recordId }: TimelineLine['entries'][number]): string[] => {
  // A lead has no name of its own.
  const found: string[] = recordKind === 'lead' ? [] : [recordId];
  const look = (value: unknown) => {
    if (typeof value === 'string') {
      if (isId(value)) found.push(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) look(inner);
    }
  };
  look(changes);
  return found;
};

// Practice areas, stages, types, reasons and members keep their names when they are gone.
const namesOf = shortStatement(
  (given: Given<Viewer & { ids: string[] }>) => sql<{ id: string; name: string }>`
    with asked as (select unnest(${given.ids}::uuid[]) as id)
    select id::text as id, name from lead_stage where firm_id = ${given.firmId} and id in (select id from asked)
    union all select id::text, name from stage where firm_id = ${given.firmId} and id in (select id from asked)
    union all select id::text, name from matter_type where firm_id = ${given.firmId} and id in (select id from asked)
    union all select ${task.id}::text, ${task.title} from ${task} where ${task.firmId} = ${given.firmId} and ${task.id} in (select id from asked)
    union all select ${calendarEvent.id}::text, ${calendarEvent.title} from ${calendarEvent} where ${calendarEvent.firmId} = ${given.firmId} and ${calendarEvent.id} in (select id from asked)
    union all select ${eventSeries.id}::text, ${eventSeries.title} from ${eventSeries} where ${eventSeries.firmId} = ${given.firmId} and ${eventSeries.id} in (select id from asked)
    union all select id::text, name from practice_area where firm_id = ${given.firmId} and id in (select id from asked)
    union all select id::text, name from not_hired_reason where firm_id = ${given.firmId} and id in (select id from asked)
    union all select id::text, name from member where firm_id = ${given.firmId} and id in (select id from asked)
    union all select ${matter.id}::text, ${matter.number} from ${matter} where ${matter.firmId} = ${given.firmId} and ${matter.id} in (select id from asked)
    union all select id::text, name from contact
      where firm_id = ${given.firmId} and id in (select id from asked) and deleted_at is null and ${canSeeContact(given)}`,
);
