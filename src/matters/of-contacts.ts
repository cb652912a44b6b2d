import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** How many leads and matters a contact has, among those the reader may see. */
type ContactCounts = { leads: number; matters: number };

/** The counts of several contacts, by their ids; a contact without any is left out. */
export const countOfContacts = async (
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ContactCounts>> => {
  if (ids.length === 0) return new Map();
  const rows = await reader.run(countsOf, { ...viewerOf(reader), ids: [...ids] });
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
};

const countsOf = statement(
  (given: Given<Viewer & { ids: string[] }>) => sql<ContactCounts & { id: string }>`
    select asked.id::text as id,
      (select count(*)::int from lead where lead.firm_id = ${given.firmId}::uuid
        and lead.contact_id = asked.id and lead.deleted_at is null and ${canSeeLead(given)}) as leads,
      (select count(*)::int from matter_client
        join matter on matter.firm_id = matter_client.firm_id and matter.id = matter_client.matter_id
        where matter_client.firm_id = ${given.firmId}::uuid and matter_client.contact_id = asked.id
          and matter.deleted_at is null) as matters
    from unnest(${given.ids}::uuid[]) as asked (id)`,
);

/** A lead or matter as a contact's page names it. */
export type OfContact = {
  id: string;
  number: string;
  title: string;
  status: string;
  stageName: string;
};

const max = 100;

/** The leads of a contact that the reader may see, newest first. */
export const leadsOfContact = (reader: Reader, id: string): Promise<OfContact[]> =>
  reader.run(leadsOf, { ...viewerOf(reader), id });

const leadsOf = statement(
  (given: Given<Viewer & { id: string }>) => sql<OfContact>`
    select lead.id::text as id, lead.number, coalesce(practice_area.name, 'No area') as title,
      lead.status, lead_stage.name as "stageName"
    from lead
    join lead_stage on lead_stage.firm_id = lead.firm_id and lead_stage.id = lead.lead_stage_id
    left join practice_area on practice_area.firm_id = lead.firm_id
      and practice_area.id = lead.practice_area_id
    where lead.firm_id = ${given.firmId}::uuid and lead.contact_id = ${given.id}::uuid
      and lead.deleted_at is null and ${canSeeLead(given)}
    order by lead.ordinal desc limit ${sql.raw(String(max))}`,
);

/** The matters that a contact is a client of, newest first. */
export const mattersOfContact = (reader: Reader, id: string): Promise<OfContact[]> =>
  reader.run(mattersOf, { firmId: reader.firmId, id });

const mattersOf = statement(
  ({ firmId, id }: Given<{ firmId: string; id: string }>) => sql<OfContact>`
    select matter.id::text as id, matter.number, matter.title, matter.status,
      stage.name as "stageName"
    from matter_client
    join matter on matter.firm_id = matter_client.firm_id and matter.id = matter_client.matter_id
    join stage on stage.firm_id = matter.firm_id and stage.id = matter.stage_id
    where matter_client.firm_id = ${firmId}::uuid and matter_client.contact_id = ${id}::uuid
      and matter.deleted_at is null
    order by matter.ordinal desc limit ${sql.raw(String(max))}`,
);
