-- Blocks are counted in two lengths, short ones and the long ones that these make up.
delete from register_block;
--> statement-breakpoint
ALTER TABLE "register_block" DROP CONSTRAINT "register_block_firm_id_kind_block_pk";--> statement-breakpoint
ALTER TABLE "register_block" ADD COLUMN "length" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "register_block" ADD CONSTRAINT "register_block_firm_id_kind_length_block_pk" PRIMARY KEY("firm_id","kind","length","block");--> statement-breakpoint
insert into register_block (firm_id, kind, length, block, live, live_private)
select firm_id, kind, length, ordinal / length, count(*), count(*) filter (where is_private)
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
) live_record, unnest('{500,25000}'::int[]) length
group by firm_id, kind, length, ordinal / length;
