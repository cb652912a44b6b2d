ALTER TABLE "matter" ADD COLUMN "client_name" text;--> statement-breakpoint
ALTER TABLE "matter" ADD COLUMN "first_attorney_id" uuid;--> statement-breakpoint
-- What a matter is sorted by: the name of its primary client, deleted or not, and the first of its
-- responsible attorneys.
create function sorted_client(of_firm uuid, of_matter uuid) returns text language sql stable as $$
  select lower(left(contact.name, 100)) from matter_client part
  join contact on contact.firm_id = part.firm_id and contact.id = part.contact_id
  where part.firm_id = of_firm and part.matter_id = of_matter and part.is_primary
  order by part.position limit 1
$$;
--> statement-breakpoint
create function sorted_attorney(of_firm uuid, of_matter uuid) returns uuid language sql stable as $$
  select member_id from matter_team
  where firm_id = of_firm and matter_id = of_matter and role = 'RESPONSIBLE_ATTORNEY'
  order by position limit 1
$$;
--> statement-breakpoint
update matter set client_name = sorted_client(firm_id, id), first_attorney_id = sorted_attorney(firm_id, id);
--> statement-breakpoint
-- A matter follows every change of its clients, its team and their names.
create function keep_client_name() returns trigger language plpgsql as $$
declare
  part matter_client := coalesce(new, old);
begin
  update matter set client_name = sorted_client(firm_id, id)
  where firm_id = part.firm_id and id = part.matter_id
    and client_name is distinct from sorted_client(firm_id, id);
  return null;
end $$;
--> statement-breakpoint
create trigger matter_client_kept after insert or update or delete on matter_client for each row
  execute function keep_client_name();
--> statement-breakpoint
create function keep_first_attorney() returns trigger language plpgsql as $$
declare
  part matter_team := coalesce(new, old);
begin
  update matter set first_attorney_id = sorted_attorney(firm_id, id)
  where firm_id = part.firm_id and id = part.matter_id
    and first_attorney_id is distinct from sorted_attorney(firm_id, id);
  return null;
end $$;
--> statement-breakpoint
create trigger matter_team_kept after insert or update or delete on matter_team for each row
  execute function keep_first_attorney();
--> statement-breakpoint
-- Matters are locked first and in order, as by tell_leads_and_matters.
create function keep_client_names() returns trigger language plpgsql as $$
begin
  perform from matter where firm_id = new.firm_id and id in (
    select matter_id from matter_client where firm_id = new.firm_id and contact_id = new.id)
  order by id for no key update;
  update matter set client_name = sorted_client(firm_id, id)
  where firm_id = new.firm_id and id in (
    select matter_id from matter_client
    where firm_id = new.firm_id and contact_id = new.id and is_primary);
  return null;
end $$;
--> statement-breakpoint
create trigger contact_renamed after update of name on contact for each row
  when (lower(left(old.name, 100)) <> lower(left(new.name, 100))) execute function keep_client_names();
--> statement-breakpoint
CREATE INDEX "matter_overview" ON "matter" USING btree ("firm_id","ordinal","id","status","practice_area_id","stage_id","matter_type_id","first_attorney_id","open_date","close_date","sol_date","limitation_met_on") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_title" ON "matter" USING btree ("firm_id",lower(left("title", 100)),"ordinal") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_client" ON "matter" USING btree ("firm_id","client_name","ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_client_down" ON "matter" USING btree ("firm_id","client_name" DESC NULLS LAST,"ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_team_member" ON "matter_team" USING btree ("firm_id","member_id","role","matter_id");