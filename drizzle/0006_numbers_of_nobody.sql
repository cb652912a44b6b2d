-- As before, but for numbers that no cluster counts to in any time: an entry that bears one was
-- tampered with. Nothing continues behind it, and `audit verify` gets to name it.
create or replace function newest_transaction_number() returns bigint language sql stable return (
  with recursive one as (
    (select firm_id from audit_entry order by firm_id limit 1)
    union all
    select (select entry.firm_id from audit_entry entry where entry.firm_id > one.firm_id
      order by entry.firm_id limit 1) from one where one.firm_id is not null
  )
  select coalesce(max(last.xid::text::bigint), 0) from one
  cross join lateral (select entry.xid from audit_entry entry
    where entry.firm_id = one.firm_id and entry.xid < '4611686018427387904'::xid8
    order by entry.xid desc, entry.id desc limit 1) as last
);
