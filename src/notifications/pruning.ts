import { sql } from 'drizzle-orm';
import { statement } from '../postgres/statement.ts';
import { prune, pruneBatch } from '../record/pruning.ts';

const batch = sql.raw(String(pruneBatch));
const longAgo = sql.raw(`moment() - interval '1 year'`);

// What a burst's notification replaced is never read. It goes a year after it was raised.
const removeRead = statement(
  () => sql`
    delete from notification where (firm_id, id) in (
      select old.firm_id, old.id from member
      cross join lateral (
        select firm_id, id from notification
        where notification.firm_id = member.firm_id and notification.member_id = member.id
          and raised_at <= ${longAgo} and (read_at <= ${longAgo} or replaced_by_id is not null)
        order by raised_at limit ${batch} for update skip locked
      ) as old
      limit ${batch})
    returning 1`,
);

/** Removes notifications a year after they were read. Unread ones stay. */
export const notificationPruning = {
  kind: 'prune_notifications',
  everySeconds: 3_600,
  work: prune(removeRead),
};
