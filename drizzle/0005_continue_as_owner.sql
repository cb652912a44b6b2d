-- As before, for an owner who is no superuser too: the log's owner may not change it, and up to
-- Postgres 16 `lock table` takes that right. To say anew what a column's default is waits for the
-- same writers, and takes only the owner's right.
create or replace function continue_transaction_numbers() returns void language plpgsql as $$
declare
  belongs boolean;
  needed bigint;
begin
  select newest_transaction_number()
    < pg_snapshot_xmax(pg_current_snapshot())::text::bigint + transaction_offset() into belongs;
  if belongs then
    return;
  end if;
  alter table audit_entry alter column xid set default transaction_number();
  select newest_transaction_number() - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1
    into needed;
  execute format('create or replace function transaction_offset() returns bigint
    language sql stable return %s::bigint', needed);
end $$;
