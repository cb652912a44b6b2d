import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type EntryFilter, listAuditEntries } from '../audit/entry.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Looker, type Sight, seesContact, seesLead, sightOf } from './sight.ts';

/**
 * The audit entries that a reader may read, oldest first. Entries about a lead or a contact that
 * they may not see, deleted or not, and about notes on it are left out.
 */
export const entriesSeen = async (reader: Reader, filter: EntryFilter = {}) => {
  const entries = await listAuditEntries(reader, filter);
  if (reader.seesPrivate) return entries;
  const ids = [...new Set(entries.map((entry) => entry.recordId))];
  const hidden = await reader.run(hiddenAmong, { ...sightOf(reader), ids });
  const isHidden = new Set(hidden.map(({ id }) => id));
  return entries.filter((entry) => !isHidden.has(entry.recordId));
};

const hiddenAmong = statement(
  (given: Given<Sight & { ids: string[] }>) => sql<{ id: string }>`
    select entry.record_id::text as id
    from unnest(${given.ids}::uuid[]) as entry (record_id)
    where not ${seesRecord(given, given.firmId)}`,
);

/** Whether the row of audit entries called `entry` is one that they may read. */
export const seesEntry = (by: Given<Sight>): SQL =>
  sql`(${by.seesPrivate} or ${seesRecord(by, sql`entry.firm_id`)})`;

// Ids are of one kind only, so it does not matter which kind the entry names.
const seesRecord = (by: Looker, firmId: SQLWrapper | Placeholder): SQL => sql`(not exists (
    select from lead where lead.firm_id = ${firmId} and lead.id = entry.record_id
      and ${seesLead(by)} is not true)
  and not exists (
    select from contact where contact.firm_id = ${firmId} and contact.id = entry.record_id
      and ${seesContact(by)} is not true)
  and not exists (
    select from note join lead on lead.firm_id = note.firm_id and lead.id = note.record_id
    where note.firm_id = ${firmId} and note.id = entry.record_id and ${seesLead(by)} is not true))`;
