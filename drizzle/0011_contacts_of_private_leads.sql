ALTER TABLE "contact" ADD COLUMN "is_private" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Contacts that came with a private lead, and are no clients, are hidden with it from now on.
update contact set is_private = true
from lead
where lead.firm_id = contact.firm_id and lead.contact_id = contact.id and lead.is_private
  and not exists (select from matter_client
    where matter_client.firm_id = contact.firm_id and matter_client.contact_id = contact.id);
--> statement-breakpoint
update register set live_private = hidden.count
from (select firm_id, count(*) as count from contact
  where is_private and deleted_at is null group by firm_id) hidden
where register.firm_id = hidden.firm_id and register.kind = 'contact';
--> statement-breakpoint
update register_block set live_private = hidden.count
from (select firm_id, length, ordinal / length as block, count(*) as count
  from contact, unnest('{500,25000}'::int[]) length
  where is_private and deleted_at is null group by firm_id, length, ordinal / length) hidden
where register_block.firm_id = hidden.firm_id and register_block.kind = 'contact'
  and register_block.length = hidden.length and register_block.block = hidden.block;
