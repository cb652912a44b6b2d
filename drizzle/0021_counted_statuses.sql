CREATE TABLE "register_status" (
	"firm_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"live" integer NOT NULL,
	"live_private" integer NOT NULL,
	CONSTRAINT "register_status_firm_id_kind_status_pk" PRIMARY KEY("firm_id","kind","status")
);
--> statement-breakpoint
-- A lead or matter that is ACTIVE before and after is counted by the register alone.
create function count_lead_status() returns trigger language plpgsql as $$
begin
  insert into register_status as standing (firm_id, kind, status, live, live_private)
  select coalesce(new.firm_id, old.firm_id), 'lead', status, sum(step), sum(step * is_private::int)
  from (values (old.status, old.is_private, old.deleted_at, -1),
    (new.status, new.is_private, new.deleted_at, 1)) part (status, is_private, deleted_at, step)
  where status <> 'ACTIVE' and deleted_at is null group by status order by status
  on conflict (firm_id, kind, status) do update set live = standing.live + excluded.live,
    live_private = standing.live_private + excluded.live_private;
  return null;
end $$;
--> statement-breakpoint
create trigger lead_status_counted after insert on lead for each row
  when (new.status <> 'ACTIVE') execute function count_lead_status();
--> statement-breakpoint
create trigger lead_status_recounted after update of status, is_private, deleted_at on lead for each row
  when ((old.status, old.is_private, old.deleted_at is null)
    is distinct from (new.status, new.is_private, new.deleted_at is null))
  execute function count_lead_status();
--> statement-breakpoint
create trigger lead_status_uncounted after delete on lead for each row
  when (old.status <> 'ACTIVE') execute function count_lead_status();
--> statement-breakpoint
create function count_matter_status() returns trigger language plpgsql as $$
begin
  insert into register_status as standing (firm_id, kind, status, live, live_private)
  select coalesce(new.firm_id, old.firm_id), 'matter', status, sum(step), 0
  from (values (old.status, old.deleted_at, -1), (new.status, new.deleted_at, 1))
    part (status, deleted_at, step)
  where status <> 'ACTIVE' and deleted_at is null group by status order by status
  on conflict (firm_id, kind, status) do update set live = standing.live + excluded.live;
  return null;
end $$;
--> statement-breakpoint
create trigger matter_status_counted after insert on matter for each row
  when (new.status <> 'ACTIVE') execute function count_matter_status();
--> statement-breakpoint
create trigger matter_status_recounted after update of status, deleted_at on matter for each row
  when ((old.status, old.deleted_at is null) is distinct from (new.status, new.deleted_at is null))
  execute function count_matter_status();
--> statement-breakpoint
create trigger matter_status_uncounted after delete on matter for each row
  when (old.status <> 'ACTIVE') execute function count_matter_status();
--> statement-breakpoint
-- The triggers keep others from writing until the commit, so nothing is counted twice.
insert into register_status (firm_id, kind, status, live, live_private)
select firm_id, 'lead', status, count(*), count(*) filter (where is_private)
from lead where deleted_at is null and status <> 'ACTIVE' group by 1, 3
union all
select firm_id, 'matter', status, count(*), 0
from matter where deleted_at is null and status <> 'ACTIVE' group by 1, 3;
--> statement-breakpoint
-- In plpgsql, these are planned once for a connection, and not at each call.
create or replace function sorted_client(of_firm uuid, of_matter uuid) returns text
language plpgsql stable as $$
begin
  return (select lower(left(contact.name, 100)) from matter_client part
    join contact on contact.firm_id = part.firm_id and contact.id = part.contact_id
    where part.firm_id = of_firm and part.matter_id = of_matter and part.is_primary
    order by part.position limit 1);
end $$;
--> statement-breakpoint
create or replace function sorted_attorney(of_firm uuid, of_matter uuid) returns uuid
language plpgsql stable as $$
begin
  return (select member_id from matter_team
    where firm_id = of_firm and matter_id = of_matter and role = 'RESPONSIBLE_ATTORNEY'
    order by position limit 1);
end $$;
--> statement-breakpoint
create or replace function keep_client_name() returns trigger language plpgsql as $$
declare
  part matter_client := coalesce(new, old);
  kept text := sorted_client(part.firm_id, part.matter_id);
begin
  update matter set client_name = kept
  where firm_id = part.firm_id and id = part.matter_id and client_name is distinct from kept;
  return null;
end $$;
--> statement-breakpoint
create or replace function keep_first_attorney() returns trigger language plpgsql as $$
declare
  part matter_team := coalesce(new, old);
  kept uuid := sorted_attorney(part.firm_id, part.matter_id);
begin
  update matter set first_attorney_id = kept
  where firm_id = part.firm_id and id = part.matter_id and first_attorney_id is distinct from kept;
  return null;
end $$;
