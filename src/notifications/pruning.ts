import { type SQL, sql } from 'drizzle-orm';
import { acrossFirms, forCluster } from '../postgres/citus/forms.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { prune, pruneBatch } from '../record/pruning.ts';

const batch = sql.raw(String(pruneBatch));
const longAgo = sql.raw(`moment() - interval '1 year'`);

// The registers of a spread database's nodes tell which firms can be asked now.
const firms = statement(
  () =>
    forCluster(
      sql`select id::text as "firmId" from firm`,
      sql`select firm_id::text as "firmId" from register where kind = 'lead'${acrossFirms(sql`firm_id`)}`,
    ) as SQL<{ firmId: string }>,
);

// Member by member along the index. What another notification replaced is never read. It goes a
// year after it was raised.
const removeRead = statement(
  ({ firmId }: Given<'firmId'>) => sql`
    delete from notification where firm_id = ${firmId}::uuid and id in (
      select old.id from member
      cross join lateral (
        select id from notification
        where notification.firm_id = ${firmId}::uuid and notification.member_id = member.id
          and raised_at <= ${longAgo} and (read_at <= ${longAgo} or replaced_by_id is not null)
        order by raised_at limit ${batch}
      ) as old
      where member.firm_id = ${firmId}::uuid
      limit ${batch})
    returning 1`,
);

/** Removes notifications a year after they were read. Unread ones stay. */
export const notificationPruning = {
  kind: 'prune_notifications',
  everySeconds: 3_600,
  work: prune({ firms, remove: removeRead }),
};
