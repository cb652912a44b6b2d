/** The typical server's search: parts of words, by the trigram indexes there are. */
import { sql } from 'drizzle-orm';

export const search = async (db, { firmId }, { q, limit, offset }) => {
  const parts = q
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const matches = (column) =>
    sql.join(
      parts.map((part) => sql`${column} like ${part}`),
      sql` and `,
    );
  const { rows } = await db.execute(sql`
    with hits as (
      select id, name, created_at from contact
      where firm_id = ${firmId} and deleted_at is null and ${matches(sql`findable_by`)}
    ), found as (
      select 'CONTACT' as type, id, null as number, name as title, created_at from hits
      union
      select 'LEAD', lead.id, lead.number, hits.name, lead.created_at from hits
      join lead on lead.firm_id = ${firmId} and lead.contact_id = hits.id and lead.deleted_at is null
      union
      select 'LEAD', lead.id, lead.number, contact.name, lead.created_at from lead
      join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
      where lead.firm_id = ${firmId} and lead.deleted_at is null and ${matches(sql`lead.findable_by`)}
      union
      select 'MATTER', matter.id, matter.number, matter.title, matter.created_at from hits
      join matter_client on matter_client.firm_id = ${firmId} and matter_client.contact_id = hits.id
      join matter on matter.firm_id = ${firmId} and matter.id = matter_client.matter_id
        and matter.deleted_at is null
      union
      select 'MATTER', id, number, title, created_at from matter
      where firm_id = ${firmId} and deleted_at is null and ${matches(sql`findable_by`)}
    )
    select *, count(*) over () as total from found
    order by created_at desc limit ${limit} offset ${offset}`);
  const data = rows.map(({ type, id, number, title }) => ({ type, id, publicId: number, title }));
  return { data, pagination: { limit, offset, total: Number(rows[0]?.total ?? 0) } };
};
