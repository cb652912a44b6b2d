import { getTableName, sql } from 'drizzle-orm';
import { shareLookups } from '../base/shared-lookup.ts';
import { calendarEvent } from '../calendar/table.ts';
import { note } from '../notes/table.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { stage } from '../practice-areas/table.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import { canSeeEntry } from '../visibility/entries.ts';
import { aboutOf } from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import { type Source, tell } from './told.ts';
import type { Event } from './wire.ts';

/** What a reader is told of. */
export type Interest = {
  /** The kinds of record that they may read. */
  sources: readonly Source[];
  /** What the notes, tasks and calendar events may be about that they may read. */
  subjects: readonly ('lead' | 'matter')[];
  /** Only these types; undefined is all. */
  types: ReadonlySet<string> | undefined;
};

/** A part of the log: the events in it, the seal of each, and after which seal it ends. */
export type Part = { events: Event[]; seals: bigint[]; end: bigint };

// A window of the log is read at once. Where little in it is for the reader, several are.
const windowSize = 500n;
const maxWindows = 10;

/**
 * The events after a seal, in the order of the log, up to the seal `last`: at most `limit`, of at most
 * 5,000 entries. What the reader may not see now is left out, whenever it happened.
 */
export const readEvents = async (
  windows: Windows,
  reader: Reader,
  interest: Interest,
  { after, last, limit }: { after: bigint; last: bigint; limit: number },
): Promise<Part> => {
  const events: Event[] = [];
  const seals: bigint[] = [];
  let end = after;
  for (let read = 0; read < maxWindows && end < last; read += 1) {
    const until = end + windowSize < last ? end + windowSize : last;
    for (const row of await windows(askedOf(reader, interest, end, until))) {
      const event = eventOf(interest, row);
      if (!event) continue;
      const seal = BigInt(row.number);
      events.push(event);
      seals.push(seal);
      if (events.length === limit) return { events, seals, end: seal };
    }
    end = until;
  }
  return { events, seals, end };
};

const askedOf = (
  reader: Reader,
  { sources, subjects }: Interest,
  after: bigint,
  until: bigint,
): Asked => ({
  ...viewerOf(reader),
  kinds: sources.flatMap(({ kind }) => (kind === 'practice_area' ? [kind, 'stage'] : [kind])),
  subjects: [...subjects],
  after: String(after),
  until: String(until),
});

/** Reads windows of the log. Who asks for the same at the same moment shares one answer. */
export const openWindows = (database: Database) => {
  const read = shareLookups((key) => database.run(entriesBetween, JSON.parse(key) as Asked));
  return (asked: Asked) => read(JSON.stringify(asked));
};

type Windows = ReturnType<typeof openWindows>;

type Row = {
  number: string;
  hash: string;
  at: number;
  action: 'create' | 'update' | 'delete';
  kind: string;
  recordId: string;
  isOfStage: boolean;
  requestId: string;
  keyId: string | null;
  idempotencyKey: string | null;
  changed: string[] | null;
  status: string | null;
  isCancelled: boolean;
};

const eventOf = ({ sources, types }: Interest, row: Row): Event | undefined => {
  const source = sources.find(({ kind }) => kind === row.kind);
  if (!source) return undefined;
  const { type, changed } = tell(source, row);
  if (types && !types.has(type)) return undefined;
  return {
    id: `evt_${row.hash.slice(0, 24)}`,
    type,
    timestamp: new Date(row.at).toISOString(),
    data: { id: row.recordId, resource: source.resource, changed },
    request: row.keyId === null ? null : { id: row.requestId, idempotencyKey: row.idempotencyKey },
  };
};

type Asked = Viewer & { kinds: string[]; subjects: string[]; after: string; until: string };

/** Whether an entry of such a table is about a record of the kinds that they may read. */
const isOfSubjects = (part: typeof task | typeof calendarEvent, given: Given<Asked>) => sql`(
  entry.record_kind <> ${sql.raw(`'${getTableName(part)}'`)} or exists (
    select from ${part} where ${part.firmId} = ${given.firmId}::uuid and ${part.id} = entry.record_id
      and ${aboutOf(part)} = any(${given.subjects}::text[])))`;

// A stage is a part of its practice area.
const entriesBetween = statement(
  (given: Given<Asked>) => sql<Row>`
    select seal.seal_number::text as number, seal.hash,
      (extract(epoch from entry.at) * 1000)::float8 as at, entry.action,
      case entry.record_kind when 'stage' then 'practice_area' else entry.record_kind end as kind,
      coalesce(part.practice_area_id, entry.record_id)::text as "recordId",
      entry.record_kind = 'stage' as "isOfStage",
      entry.request_id as "requestId", entry.key_id::text as "keyId",
      entry.idempotency_key as "idempotencyKey",
      case entry.action when 'update' then (select json_agg(field) from jsonb_object_keys(entry.changes) as field) end as changed,
      case entry.action when 'update' then entry.changes -> 'status' ->> 'after' end as status,
      entry.action = 'update' and entry.changes -> 'cancelledAt' ->> 'after' is not null as "isCancelled"
    from audit_seal seal
    join audit_entry entry on entry.firm_id = ${given.firmId}::uuid and entry.id = seal.entry_id
    left join ${stage} part on entry.record_kind = 'stage'
      and part.firm_id = ${given.firmId}::uuid and part.id = entry.record_id
    where seal.firm_id = ${given.firmId}::uuid
      and seal.seal_number > ${given.after}::bigint and seal.seal_number <= ${given.until}::bigint
      and entry.record_kind = any(${given.kinds}::text[])
      and (entry.record_kind <> 'note' or exists (
        select from ${note} where ${note.firmId} = ${given.firmId}::uuid
          and ${note.id} = entry.record_id and ${note.about} = any(${given.subjects}::text[])))
      and ${isOfSubjects(task, given)} and ${isOfSubjects(calendarEvent, given)}
      and ${canSeeEntry(given)}
    order by seal.seal_number`,
);
