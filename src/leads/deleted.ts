import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** A deleted lead. `deletedBy` null: the administrator. */
type DeletedLead = {
  id: string;
  number: string;
  contactName: string | null;
  isPrivate: boolean;
  deletedAt: Date;
  deletedBy: string | null;
  /** The key it was deleted through, if through one. */
  keyName: string | null;
};

/** A page of the deleted leads that the reader may see, deleted last first; and how many there are. */
export const listDeletedLeads = async (reader: Reader, page: Page) => {
  const sight = viewerOf(reader);
  const [rows, counted] = await Promise.all([
    reader.run(deletedLeads, { ...sight, ...page }),
    reader.first(countDeleted, sight),
  ]);
  return {
    rows: rows.map((row) => ({ ...row, deletedAt: new Date(row.deletedAt) })),
    total: Number(counted?.count ?? 0),
  };
};

const deletedLeads = statement(
  (given: Given<Viewer & Page>) => sql<DeletedLead>`
    select lead.id::text as id, lead.number, contact.name as "contactName",
      lead.is_private as "isPrivate", lead.deleted_at as "deletedAt",
      member.name as "deletedBy", api_key.name as "keyName"
    from (
      select * from lead where firm_id = ${given.firmId}::uuid and deleted_at is not null and ${canSeeLead(given)}
      order by deleted_at desc, id desc limit ${given.limit} offset ${given.offset}
    ) lead
    left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
    left join lateral (
      select member_id, key_id from audit_entry
      where firm_id = ${given.firmId}::uuid and record_id = lead.id and action = 'delete'
      order by id desc limit 1
    ) entry on true
    left join member on member.firm_id = lead.firm_id and member.id = entry.member_id
    left join api_key on api_key.firm_id = lead.firm_id and api_key.id = entry.key_id
    order by lead.deleted_at desc, lead.id desc`,
);

const countDeleted = statement(
  (given: Given<Viewer>) => sql<{ count: string }>`
    select count(*) as count from lead
    where firm_id = ${given.firmId}::uuid and deleted_at is not null and ${canSeeLead(given)}`,
);
