CREATE TABLE "calendar_feed" (
	"firm_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "calendar_feed_firm_id_member_id_pk" PRIMARY KEY("firm_id","member_id"),
	CONSTRAINT "calendar_feed_of_firm" UNIQUE("firm_id","digest")
);
--> statement-breakpoint
CREATE TABLE "data_import" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"kind" text NOT NULL,
	"member_id" uuid NOT NULL,
	"file_name" text NOT NULL,
	"content" text,
	"mapping" jsonb NOT NULL,
	"counts" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"imported_at" timestamp (3) with time zone,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "data_import_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "imported_row" (
	"firm_id" uuid NOT NULL,
	"import_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"record_id" uuid,
	"refusal" text,
	CONSTRAINT "imported_row_firm_id_import_id_row_pk" PRIMARY KEY("firm_id","import_id","row")
);
--> statement-breakpoint
CREATE TABLE "matter_move" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"matter_id" uuid NOT NULL,
	"from_stage_id" uuid NOT NULL,
	"to_stage_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "matter_move_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "contact_merge" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"kept_id" uuid NOT NULL,
	"merged_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"before" jsonb NOT NULL,
	"moved" jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "contact_merge_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "first_day" date;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "last_day" date;--> statement-breakpoint
ALTER TABLE "matter" ADD COLUMN "limitation_met_on" date;--> statement-breakpoint
ALTER TABLE "matter" ADD COLUMN "limitation_met_by_id" uuid;--> statement-breakpoint
ALTER TABLE "matter" ADD COLUMN "matter_type_id" uuid;--> statement-breakpoint
ALTER TABLE "matter" ADD COLUMN "former_number" text;--> statement-breakpoint
ALTER TABLE "practice_area" ADD COLUMN "expects_limitation_date" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "due_on" date;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "assignee_id" uuid;--> statement-breakpoint
ALTER TABLE "calendar_feed" ADD CONSTRAINT "calendar_feed_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_import" ADD CONSTRAINT "data_import_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_import" ADD CONSTRAINT "data_import_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imported_row" ADD CONSTRAINT "imported_row_import" FOREIGN KEY ("firm_id","import_id") REFERENCES "public"."data_import"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_move" ADD CONSTRAINT "matter_move_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_move" ADD CONSTRAINT "matter_move_from" FOREIGN KEY ("firm_id","from_stage_id") REFERENCES "public"."stage"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_move" ADD CONSTRAINT "matter_move_to" FOREIGN KEY ("firm_id","to_stage_id") REFERENCES "public"."stage"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_merge" ADD CONSTRAINT "contact_merge_kept" FOREIGN KEY ("firm_id","kept_id") REFERENCES "public"."contact"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_merge" ADD CONSTRAINT "contact_merge_merged" FOREIGN KEY ("firm_id","merged_id") REFERENCES "public"."contact"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_merge" ADD CONSTRAINT "contact_merge_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "calendar_feed_digest" ON "calendar_feed" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "imported_row_record" ON "imported_row" USING btree ("firm_id","record_id");--> statement-breakpoint
CREATE INDEX "matter_move_of_matter" ON "matter_move" USING btree ("firm_id","matter_id","at");--> statement-breakpoint
CREATE INDEX "contact_merge_kept" ON "contact_merge" USING btree ("firm_id","kept_id");--> statement-breakpoint
CREATE INDEX "contact_merge_merged" ON "contact_merge" USING btree ("firm_id","merged_id");--> statement-breakpoint
ALTER TABLE "matter_type" ADD CONSTRAINT "matter_type_in_area" UNIQUE("firm_id","practice_area_id","id");--> statement-breakpoint
ALTER TABLE "matter" ADD CONSTRAINT "matter_type_of_matter" FOREIGN KEY ("firm_id","practice_area_id","matter_type_id") REFERENCES "public"."matter_type"("firm_id","practice_area_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter" ADD CONSTRAINT "matter_limitation_met_by" FOREIGN KEY ("firm_id","limitation_met_by_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_assignee" FOREIGN KEY ("firm_id","assignee_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "calendar_event_start" ON "calendar_event" USING btree ("firm_id","starts_at");--> statement-breakpoint
CREATE INDEX "event_guest_member" ON "event_guest" USING btree ("firm_id","member_id","event_id");--> statement-breakpoint
CREATE INDEX "matter_limitation" ON "matter" USING btree ("firm_id","sol_date") WHERE deleted_at is null and limitation_met_on is null and sol_date is not null;--> statement-breakpoint
CREATE INDEX "matter_counts" ON "matter" USING btree ("firm_id","status","practice_area_id","stage_id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "task_open" ON "task" USING btree ("firm_id","assignee_id","due_on") WHERE done_at is null and cancelled_at is null;
--> statement-breakpoint
-- The way of the matters that are there already, as the audit log has it.
insert into matter_move (firm_id, id, matter_id, from_stage_id, to_stage_id, at)
select entry.firm_id, gen_random_uuid(), matter.id, stage_before.id, stage_after.id, entry.at
from audit_entry entry
join matter on matter.firm_id = entry.firm_id and matter.id = entry.record_id
join stage stage_before on stage_before.firm_id = entry.firm_id
  and stage_before.id::text = entry.changes #>> '{stageId,before}'
join stage stage_after on stage_after.firm_id = entry.firm_id
  and stage_after.id::text = entry.changes #>> '{stageId,after}'
where entry.record_kind = 'matter' and entry.action = 'update';
