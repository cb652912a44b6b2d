import { sql } from 'drizzle-orm';
import { type EntryFilter, listAuditEntries } from '../audit/entry.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Sight, seesContact, seesLead, sightOf } from './sight.ts';

/**
 * The audit entries that a reader may read, oldest first. Entries about a lead or a contact that
 * they may not see, deleted or not, are left out.
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
    select id::text as id from lead
    where firm_id = ${given.firmId} and id = any(${given.ids}::uuid[]) and ${seesLead(given)} is not true
    union all
    select id::text from contact
    where firm_id = ${given.firmId} and id = any(${given.ids}::uuid[]) and ${seesContact(given)} is not true`,
);
