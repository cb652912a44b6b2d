import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { calendarEvent } from '../calendar/table.ts';
import { contact, type Email, type Phone } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { note } from '../notes/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { TextSource } from '../search-text/table.ts';
import { task } from '../tasks/table.ts';
import type { FoundRow } from './wire.ts';

/** What the application shows of a record that was found. */
export type Details = {
  type: FoundRow['type'];
  id: string;
  /** A lead's or a matter's. */
  number: string | null;
  /** A lead that has lost its contact has none. */
  name: string | null;
  area: string | null;
  stage: string | null;
  /** A lead's or a matter's. */
  status: string | null;
  /** A contact's and a lead's. */
  emails: Email[] | null;
  phones: Phone[] | null;
  /** The contact, the lead's contact, the matter's primary client. */
  personId: string | null;
};

type Ids = { ids: string[] };

/** What is shown of these records. The caller has found them for the reader. */
export const detailsOf = async (reader: Reader, ids: string[]): Promise<Map<string, Details>> => {
  if (ids.length === 0) return new Map();
  const rows = await reader.run(details, { firmId: reader.firmId, ids });
  return new Map(rows.map((row) => [row.type + row.id, row]));
};

const details = statement(
  ({ firmId, ids }: Given<{ firmId: string } & Ids>) =>
    sql<Details>`${detailsAmong(firmId, () => sql`${ids}::uuid[]`)}`,
);

/**
 * The details of the records of each type with these ids, as part of a statement. (An id may be a contact's and
 * a matter's: matters of one client that were stored in bulk.)
 */
export const detailsAmong = (
  firmId: Placeholder,
  idsOf: (type: Details['type']) => SQL,
): SQL => sql`
    select 'CONTACT' as type, ${contact.id}, null as number, ${contact.name}, null as area, null as stage, null as status,
      ${contact.emails}, ${contact.phones}, ${contact.id} as "personId"
    from ${contact} where ${contact.firmId} = ${firmId} and ${contact.id} = any(${idsOf('CONTACT')})
    union all
    select 'LEAD', lead.id, lead.number, contact.name, practice_area.name, lead_stage.name, lead.status,
      contact.emails, contact.phones, contact.id
    from ${lead}
    join lead_stage on lead_stage.firm_id = ${firmId} and lead_stage.id = lead.lead_stage_id
    left join practice_area on practice_area.firm_id = ${firmId} and practice_area.id = lead.practice_area_id
    left join ${contact} on contact.firm_id = ${firmId} and contact.id = lead.contact_id
      and contact.deleted_at is null
    where lead.firm_id = ${firmId} and lead.id = any(${idsOf('LEAD')})
    union all
    select 'MATTER', matter.id, matter.number, matter.title, practice_area.name, stage.name, matter.status, null, null,
      (select contact_id from matter_client where matter_client.firm_id = ${firmId}
        and matter_client.matter_id = matter.id and is_primary limit 1)
    from ${matter}
    join practice_area on practice_area.firm_id = ${firmId} and practice_area.id = matter.practice_area_id
    join stage on stage.firm_id = ${firmId} and stage.id = matter.stage_id
    where matter.firm_id = ${firmId} and matter.id = any(${idsOf('MATTER')})`;

/**
 * The beginnings of the texts of each source with these ids, as they were written; none of a note that was
 * deleted meanwhile. A part of a statement.
 */
export const textsAmong = (firmId: Placeholder, idsOf: (source: TextSource) => SQL): SQL => sql`
    select ${note.id}, ${note.text} from ${note}
    where ${note.firmId} = ${firmId} and ${note.id} = any(${idsOf('note')}) and ${note.deletedAt} is null
    union all
    select ${task.id}, ${task.title} from ${task}
    where ${task.firmId} = ${firmId} and ${task.id} = any(${idsOf('task')})
    union all
    select ${calendarEvent.id}, ${calendarEvent.title} from ${calendarEvent}
    where ${calendarEvent.firmId} = ${firmId} and ${calendarEvent.id} = any(${idsOf('event')})
    union all
    select ${matter.id}, left(${matter.description}, 20000) from ${matter}
    where ${matter.firmId} = ${firmId} and ${matter.id} = any(${idsOf('description')})
      and ${matter.description} is not null`;
