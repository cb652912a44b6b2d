import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';

/** A deleted matter. `deletedBy` null: the administrator. */
type DeletedMatter = {
  id: string;
  number: string;
  title: string;
  deletedAt: Date;
  deletedBy: string | null;
  /** The key it was deleted through, if through one. */
  keyName: string | null;
};

/** A page of the firm's deleted matters, deleted last first; and how many there are. */
export const listDeletedMatters = async (reader: Reader, page: Page) => {
  const { firmId } = reader;
  const [rows, counted] = await Promise.all([
    reader.run(deletedMatters, { firmId, ...page }),
    reader.first(countDeleted, { firmId }),
  ]);
  return {
    rows: rows.map((row) => ({ ...row, deletedAt: new Date(row.deletedAt) })),
    total: Number(counted?.count ?? 0),
  };
};

const deletedMatters = statement(
  ({ firmId, limit, offset }: Given<{ firmId: string } & Page>) => sql<DeletedMatter>`
    select matter.id::text as id, matter.number, matter.title,
      matter.deleted_at as "deletedAt", member.name as "deletedBy", api_key.name as "keyName"
    from (
      select * from matter where firm_id = ${firmId}::uuid and deleted_at is not null
      order by deleted_at desc, id desc limit ${limit} offset ${offset}
    ) matter
    left join lateral (
      select member_id, key_id from audit_entry
      where firm_id = ${firmId}::uuid and record_id = matter.id and action = 'delete'
      order by id desc limit 1
    ) entry on true
    left join member on member.firm_id = matter.firm_id and member.id = entry.member_id
    left join api_key on api_key.firm_id = matter.firm_id and api_key.id = entry.key_id
    order by matter.deleted_at desc, matter.id desc`,
);

const countDeleted = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ count: string }>`
    select count(*) as count from matter
    where firm_id = ${firmId}::uuid and deleted_at is not null`,
);
