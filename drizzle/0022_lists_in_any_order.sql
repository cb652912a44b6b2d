-- What a list asks the index of custom fields for, hashed together with the firm: each text that a
-- record's fields hold; and of a day also its month, its year, and the first digits of that (`dayKeys`).
create function field_keys(firm uuid, fields jsonb) returns bigint[]
  language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  seed bigint := uuid_hash_extended(firm, 0);
  field text;
  value jsonb;
  held text;
  part int;
  keys bigint[] := '{}';
begin
  if fields = '{}' then
    return keys;
  end if;
  for field, value in select * from jsonb_each(fields) loop
    continue when jsonb_typeof(value) <> 'string';
    held := value #>> '{}';
    keys := keys || hashtextextended(field || '=' || held, seed);
    continue when held !~ '^\d{4}-\d\d-\d\d$';
    foreach part in array '{1,2,3,4,7}'::int[] loop
      keys := keys || hashtextextended(field || '~' || left(held, part), seed);
    end loop;
  end loop;
  return keys;
end $$;
--> statement-breakpoint
DROP INDEX "matter_of_stage";--> statement-breakpoint
DROP INDEX "matter_overview";--> statement-breakpoint
DROP INDEX "matter_by_client_down";--> statement-breakpoint
DROP INDEX "matter_by_title";--> statement-breakpoint
CREATE INDEX "matter_by_status" ON "matter" USING btree ("firm_id","status","ordinal") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_area" ON "matter" USING btree ("firm_id","practice_area_id","ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_stage" ON "matter" USING btree ("firm_id","stage_id","ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_type" ON "matter" USING btree ("firm_id","matter_type_id","ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_attorney" ON "matter" USING btree ("firm_id","first_attorney_id","ordinal","id","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_limitation" ON "matter" USING btree ("firm_id","sol_date","ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_limitation_met" ON "matter" USING btree ("firm_id","ordinal") WHERE deleted_at is null and limitation_met_on is not null;--> statement-breakpoint
CREATE INDEX "matter_by_opening" ON "matter" USING btree ("firm_id","open_date","ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_closing" ON "matter" USING btree ("firm_id","close_date","ordinal","status") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_field" ON "matter" USING gin (field_keys("firm_id", "custom_fields")) WITH (gin_pending_list_limit=128) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_by_title" ON "matter" USING btree ("firm_id",lower(left("title", 100)),"ordinal","status","title") WHERE deleted_at is null;