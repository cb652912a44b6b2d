-- A block of a register is a run of 500 ordinals; before it was one of 2,000.
delete from register_block;
--> statement-breakpoint
insert into register_block (firm_id, kind, block, live, live_private)
select firm_id, kind, ordinal / 500, count(*), count(*) filter (where is_private)
from (
  select firm_id, 'contact' as kind, ordinal, false as is_private from contact where deleted_at is null
  union all
  select firm_id, 'lead', ordinal, is_private from lead where deleted_at is null
  union all
  select firm_id, 'matter', ordinal, false from matter where deleted_at is null
  union all
  select firm_id, 'practice_area', ordinal, false from practice_area where deleted_at is null
  union all
  select firm_id, 'matter_type', ordinal, false from matter_type where deleted_at is null
) live_record
group by firm_id, kind, ordinal / 500;
