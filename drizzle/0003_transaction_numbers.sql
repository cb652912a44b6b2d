-- Audit entries are numbered by their transactions, and sealed in that order. A database that was
-- moved to another cluster finds that cluster's counter where it happens to be: what is added to it
-- here makes the numbers continue behind those that came along. Not immutable, so that statements
-- planned before notice a change.
create function transaction_offset() returns bigint language sql stable return 0::bigint;
--> statement-breakpoint
-- The number of the transaction under way.
create function transaction_number() returns xid8 language sql stable
  return (pg_current_xact_id()::text::bigint + transaction_offset())::text::xid8;
--> statement-breakpoint
-- All transactions with lower numbers are finished.
create function transaction_horizon() returns xid8 language sql stable
  return (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + transaction_offset())::text::xid8;
--> statement-breakpoint
ALTER TABLE "audit_entry" ALTER COLUMN "xid" SET DEFAULT transaction_number();
--> statement-breakpoint
-- The highest number in the audit log: from firm to firm along the index, and of each its last.
create function newest_transaction_number() returns bigint language sql stable return (
  with recursive one as (
    (select firm_id from audit_entry order by firm_id limit 1)
    union all
    select (select entry.firm_id from audit_entry entry where entry.firm_id > one.firm_id
      order by entry.firm_id limit 1) from one where one.firm_id is not null
  )
  select coalesce(max(last.xid::text::bigint), 0) from one
  cross join lateral (select entry.xid from audit_entry entry where entry.firm_id = one.firm_id
    order by entry.xid desc, entry.id desc limit 1) as last
);
--> statement-breakpoint
-- Called at every start. Entries of this cluster's own are always below its counter; where others
-- are there, numbers continue behind them. The lock waits for all who have written an entry and
-- not ended, so that none with a lower number can appear once those after it are sealed.
create function continue_transaction_numbers() returns void language plpgsql as $$
declare
  belongs boolean;
  needed bigint;
begin
  select newest_transaction_number()
    < pg_snapshot_xmax(pg_current_snapshot())::text::bigint + transaction_offset() into belongs;
  if belongs then
    return;
  end if;
  lock table audit_entry in share row exclusive mode;
  select newest_transaction_number() - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1
    into needed;
  execute format('create or replace function transaction_offset() returns bigint
    language sql stable return %s::bigint', needed);
end $$;
