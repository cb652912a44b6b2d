CREATE TABLE "lead_move" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"from_stage_id" uuid NOT NULL,
	"to_stage_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "lead_move_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "not_hired_reason" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "not_hired_reason_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "note" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"about" text NOT NULL,
	"record_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "note_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "saved_view" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"list" text NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"member_id" uuid NOT NULL,
	"is_shared" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "saved_view_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "time_zone" text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "source_field_id" uuid;--> statement-breakpoint
ALTER TABLE "lead" ADD COLUMN "decided_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "lead" ADD COLUMN "not_hired_reason_id" uuid;--> statement-breakpoint
ALTER TABLE "lead" ADD COLUMN "matter_id" uuid;--> statement-breakpoint
ALTER TABLE "lead_move" ADD CONSTRAINT "lead_move_lead" FOREIGN KEY ("firm_id","lead_id") REFERENCES "public"."lead"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_move" ADD CONSTRAINT "lead_move_from" FOREIGN KEY ("firm_id","from_stage_id") REFERENCES "public"."lead_stage"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_move" ADD CONSTRAINT "lead_move_to" FOREIGN KEY ("firm_id","to_stage_id") REFERENCES "public"."lead_stage"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "not_hired_reason" ADD CONSTRAINT "not_hired_reason_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "note" ADD CONSTRAINT "note_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lead_move_of_lead" ON "lead_move" USING btree ("firm_id","lead_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "not_hired_reason_name" ON "not_hired_reason" USING btree ("firm_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "note_of_record" ON "note" USING btree ("firm_id","record_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_view_name" ON "saved_view" USING btree ("firm_id","list","member_id","name");--> statement-breakpoint
ALTER TABLE "lead" ADD CONSTRAINT "lead_not_hired_reason" FOREIGN KEY ("firm_id","not_hired_reason_id") REFERENCES "public"."not_hired_reason"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lead_board" ON "lead" USING btree ("firm_id","status","lead_stage_id","ordinal");--> statement-breakpoint
CREATE INDEX "lead_of_matter" ON "lead" USING btree ("firm_id","matter_id") WHERE matter_id is not null;--> statement-breakpoint
-- A matter belongs to a lead of its own firm. Matters stand above leads in the order of floors, so
-- the schema in TypeScript cannot say it.
ALTER TABLE "lead" ADD CONSTRAINT "lead_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id");
--> statement-breakpoint
-- The way of the leads that are there already, as the audit log has it.
insert into lead_move (firm_id, id, lead_id, from_stage_id, to_stage_id, at)
select entry.firm_id, gen_random_uuid(), lead.id, stage_before.id, stage_after.id, entry.at
from audit_entry entry
join lead on lead.firm_id = entry.firm_id and lead.id = entry.record_id
join lead_stage stage_before on stage_before.firm_id = entry.firm_id
  and stage_before.id::text = entry.changes #>> '{leadStageId,before}'
join lead_stage stage_after on stage_after.firm_id = entry.firm_id
  and stage_after.id::text = entry.changes #>> '{leadStageId,after}'
where entry.record_kind = 'lead' and entry.action = 'update';
--> statement-breakpoint
-- A first list of reasons for the firms that are there already; each changes it in its settings.
insert into not_hired_reason (firm_id, id, name, position, created_at)
select firm.id, gen_random_uuid(), reason.name, reason.position - 1, moment()
from firm, unnest(array['Could not be reached', 'Chose another firm', 'Outside our practice',
  'Conflict of interest', 'Fees', 'No case', 'Duplicate', 'Other'])
  with ordinality as reason(name, position);
