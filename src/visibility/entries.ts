import { type SQL, sql } from 'drizzle-orm';
import { type EntryFilter, listAuditEntries } from '../audit/entry.ts';
import { calendarEvent, eventSeries } from '../calendar/table.ts';
import { contact } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { contactMerge } from '../merging/table.ts';
import { note } from '../notes/table.ts';
import { forCluster } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import {
  canSeeContact,
  canSeeLead,
  type Viewer,
  type ViewerColumns,
  viewerOf,
} from './visibility.ts';

/**
 * The audit entries that a reader may read, oldest first. Entries about a lead or a contact that
 * they may not see, deleted or not, and about notes, tasks and events on it are left out.
 */
export const entriesSeen = async (reader: Reader, filter: EntryFilter = {}) => {
  const entries = await listAuditEntries(reader, filter);
  if (reader.seesPrivate) return entries;
  const hidden = await reader.run(hiddenAmong, {
    ...viewerOf(reader),
    ids: entries.map(({ recordId }) => recordId),
    times: entries.map(({ at }) => new Date(at).toISOString()),
  });
  const isHidden = new Set(hidden.map(({ nth }) => nth));
  return entries.filter((_, at) => !isHidden.has(at + 1));
};

const hiddenAmong = statement(
  (given: Given<Viewer & { ids: string[]; times: string[] }>) => sql<{ nth: number }>`
    select entry.nth::float8 as nth
    from unnest(${given.ids}::uuid[], ${given.times}::timestamptz[]) with ordinality
      as entry (record_id, at, nth)
    where not (${seesRecord(given)} and ${isOfNoSecretMerge(given)})`,
);

/** Whether the row of audit entries called `entry` is one that they may read. */
export const canSeeEntry = (by: Given<Viewer>): SQL => sql`(${by.seesPrivate}
  or (${seesRecord(by)} and ${isOfNoSecretMerge(by)}))`;

/**
 * What was written on a contact while another one was merged into it contains the other's names and
 * addresses. If the merge was undone, it is for those who see the other.
 */
const isOfNoSecretMerge = (by: ViewerColumns): SQL => sql`not exists (
    select from ${contactMerge} join ${contact} on ${contact.firmId} = ${contactMerge.firmId}
      and ${contact.id} = ${contactMerge.mergedId}
    where ${contactMerge.firmId} = ${by.firmId} and ${contactMerge.keptId} = entry.record_id
      and ${contactMerge.undoneAt} is not null
      and entry.at between ${contactMerge.at} and ${contactMerge.undoneAt}
      and ${canSeeContact(by)} is not true)`;

// Ids are of one kind only, so it does not matter which kind the entry names.
const seesRecord = (by: ViewerColumns): SQL => sql`(not exists (
    select from ${lead} where ${lead.firmId} = ${by.firmId} and ${lead.id} = entry.record_id
      and ${canSeeLead(by)} is not true)
  and not exists (
    select from ${contact} where ${contact.firmId} = ${by.firmId} and ${contact.id} = entry.record_id
      and ${canSeeContact(by)} is not true)
  and not exists (
    select from ${note} join ${lead} on ${lead.firmId} = ${note.firmId} and ${lead.id} = ${note.recordId}
    where ${note.firmId} = ${by.firmId} and ${note.id} = entry.record_id and ${canSeeLead(by)} is not true)
  and not exists (
    select from ${note} join ${contact} on ${contact.firmId} = ${note.firmId} and ${contact.id} = ${note.recordId}
    where ${note.firmId} = ${by.firmId} and ${note.id} = entry.record_id and ${canSeeContact(by)} is not true)
  and ${sql.join(
    [task, calendarEvent, eventSeries].map(
      (part) => sql`not exists (
    select from ${part} join ${lead} on ${lead.firmId} = ${part.firmId} and ${lead.id} = ${part.leadId}
    where ${part.firmId} = ${by.firmId} and ${part.id} = entry.record_id and ${part.matterId} is null
      and ${canSeeLead(by)} is not true)`,
    ),
    sql` and `,
  )})`;

/** Who waits to hear of changes: members of a firm, and those of them who are owners. */
type Waiting = { memberIds: string[]; ownerIds: string[] };

/**
 * The kinds of record that the entries since one are about, for all (`memberId` null) or, where a record
 * is private, for each of these members who sees it. That something became private, or whose it is, is
 * for all: their pages must lose it. Looks at the first 500 entries.
 */
export const kindsChanged = async (
  runs: Runs,
  asked: { firmId: string; since: string } & Waiting,
): Promise<{ kind: string; memberId: string | null }[]> => runs.run(kindsSince, asked);

const firmOfEntry = ({ firmId }: Given<'firmId'>) =>
  forCluster(sql`entry.firm_id`, sql`${firmId}::uuid`);

const kindsSince = statement(
  (given: Given<{ firmId: string; since: string } & Waiting>) => sql<{
    kind: string;
    memberId: string | null;
  }>`
    with entry as (
      select distinct firm_id, record_kind, record_id,
        action = 'update' and changes ?| '{isPrivate,assignees}' as is_for_all
      from (
        select firm_id, record_kind, record_id, action, changes from audit_entry
        where firm_id = ${given.firmId}::uuid and id > ${given.since}::bigint order by id limit 500
      ) as recent
    ), seen as (
      select entry.*, is_for_all or ${seesRecord({
        firmId: firmOfEntry(given),
        memberId: sql`null::uuid`,
        seesPrivate: sql`false`,
      })} as is_open from entry
    )
    select distinct record_kind as kind, null::text as "memberId" from seen where is_open
    union
    select entry.record_kind, waiting.id::text
    from seen as entry
    cross join unnest(${given.memberIds}::uuid[]) as waiting (id)
    where not entry.is_open and ${seesRecord({
      firmId: firmOfEntry(given),
      memberId: sql`waiting.id`,
      seesPrivate: sql`waiting.id = any (${given.ownerIds}::uuid[])`,
    })}`,
);
