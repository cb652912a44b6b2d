CREATE TABLE "api_key" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"family_id" uuid NOT NULL,
	"name" text NOT NULL,
	"start" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "api_key_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "api_key_digest" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "calendar_event" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"matter_id" uuid NOT NULL,
	"title" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"cancelled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "calendar_event_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "event_guest" (
	"firm_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"email" text NOT NULL,
	"member_id" uuid,
	CONSTRAINT "event_guest_firm_id_event_id_email_pk" PRIMARY KEY("firm_id","event_id","email")
);
--> statement-breakpoint
CREATE TABLE "contact" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"ordinal" bigint NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"prefix" text,
	"first_name" text,
	"middle_name" text,
	"last_name" text,
	"suffix" text,
	"nickname" text,
	"company_name" text,
	"trade_name" text,
	"company_type" text,
	"emails" jsonb NOT NULL,
	"phones" jsonb NOT NULL,
	"custom_fields" jsonb NOT NULL,
	"findable_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "contact_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "contact_emails_list" CHECK (jsonb_typeof(emails) = 'array'),
	CONSTRAINT "contact_phones_list" CHECK (jsonb_typeof(phones) = 'array'),
	CONSTRAINT "contact_custom_fields_object" CHECK (jsonb_typeof(custom_fields) = 'object')
);
--> statement-breakpoint
CREATE TABLE "custom_field" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"applies_to" text NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"options" text[] NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "custom_field_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "custom_field_name" UNIQUE("firm_id","applies_to","name")
);
--> statement-breakpoint
CREATE TABLE "firm" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "firm_name" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "member" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"role_id" uuid NOT NULL,
	"muted_kinds" text[] NOT NULL,
	"deactivated_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "member_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "member_email" UNIQUE("firm_id","email")
);
--> statement-breakpoint
CREATE TABLE "role" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"permissions" text[] NOT NULL,
	"holds_all" boolean NOT NULL,
	CONSTRAINT "role_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "role_name" UNIQUE("firm_id","name")
);
--> statement-breakpoint
CREATE TABLE "job" (
	"firm_id" uuid NOT NULL,
	"id" bigserial NOT NULL,
	"kind" text NOT NULL,
	"dedupe_key" text NOT NULL,
	"ref" uuid,
	"payload" jsonb NOT NULL,
	"run_at" timestamp (3) with time zone NOT NULL,
	"starts" smallint DEFAULT 0 NOT NULL,
	"failures" smallint DEFAULT 0 NOT NULL,
	"last_error" text,
	"dead_at" timestamp (3) with time zone,
	CONSTRAINT "job_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "job_dedupe_key" UNIQUE("firm_id","dedupe_key"),
	CONSTRAINT "job_payload_object" CHECK (jsonb_typeof(payload) = 'object')
);
--> statement-breakpoint
CREATE TABLE "lead" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"ordinal" bigint NOT NULL,
	"number" text NOT NULL,
	"status" text NOT NULL,
	"value" text,
	"is_private" boolean NOT NULL,
	"lead_stage_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"practice_area_id" uuid,
	"custom_fields" jsonb NOT NULL,
	"findable_by" text NOT NULL,
	"came_through_api" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "lead_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "lead_number" UNIQUE("firm_id","number"),
	CONSTRAINT "lead_custom_fields_object" CHECK (jsonb_typeof(custom_fields) = 'object')
);
--> statement-breakpoint
CREATE TABLE "lead_assignee" (
	"firm_id" uuid NOT NULL,
	"lead_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	CONSTRAINT "lead_assignee_firm_id_lead_id_member_id_pk" PRIMARY KEY("firm_id","lead_id","member_id")
);
--> statement-breakpoint
CREATE TABLE "lead_stage" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "lead_stage_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "lead_stage_name" UNIQUE("firm_id","name")
);
--> statement-breakpoint
CREATE TABLE "matter_type" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"ordinal" bigint NOT NULL,
	"practice_area_id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "matter_type_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "matter" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"ordinal" bigint NOT NULL,
	"number" text NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"status" text NOT NULL,
	"open_date" date NOT NULL,
	"close_date" date,
	"sol_date" date,
	"practice_area_id" uuid NOT NULL,
	"stage_id" uuid NOT NULL,
	"custom_fields" jsonb NOT NULL,
	"findable_by" text NOT NULL,
	"times_archived" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "matter_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "matter_number" UNIQUE("firm_id","number"),
	CONSTRAINT "matter_custom_fields_object" CHECK (jsonb_typeof(custom_fields) = 'object')
);
--> statement-breakpoint
CREATE TABLE "matter_client" (
	"firm_id" uuid NOT NULL,
	"matter_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"contact_id" uuid NOT NULL,
	"is_primary" boolean NOT NULL,
	"is_bill_recipient" boolean NOT NULL,
	CONSTRAINT "matter_client_firm_id_matter_id_position_pk" PRIMARY KEY("firm_id","matter_id","position"),
	CONSTRAINT "matter_client_once" UNIQUE("firm_id","matter_id","contact_id")
);
--> statement-breakpoint
CREATE TABLE "matter_team" (
	"firm_id" uuid NOT NULL,
	"matter_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"member_id" uuid NOT NULL,
	"role" text NOT NULL,
	"allocation" double precision NOT NULL,
	CONSTRAINT "matter_team_firm_id_matter_id_position_pk" PRIMARY KEY("firm_id","matter_id","position"),
	CONSTRAINT "matter_team_once" UNIQUE("firm_id","matter_id","member_id","role")
);
--> statement-breakpoint
CREATE TABLE "notification" (
	"firm_id" uuid NOT NULL,
	"id" bigserial NOT NULL,
	"member_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"cause" text NOT NULL,
	"record_id" uuid,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"count" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"raised_at" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"first_at" timestamp (3) with time zone,
	"last_at" timestamp (3) with time zone,
	"replaced_by_id" bigint,
	CONSTRAINT "notification_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "notification_cause" UNIQUE("firm_id","member_id","kind","cause")
);
--> statement-breakpoint
CREATE TABLE "practice_area" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"ordinal" bigint NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "practice_area_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "stage" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"practice_area_id" uuid NOT NULL,
	"name" text NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "stage_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "stage_in_area" UNIQUE("firm_id","practice_area_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_entry" (
	"firm_id" uuid NOT NULL,
	"id" bigserial NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"action" text NOT NULL,
	"record_kind" text NOT NULL,
	"record_id" uuid NOT NULL,
	"member_id" uuid,
	"key_id" uuid,
	"request_id" text NOT NULL,
	"changes" jsonb NOT NULL,
	CONSTRAINT "audit_entry_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_seal" (
	"firm_id" uuid NOT NULL,
	"seal_number" bigint NOT NULL,
	"entry_id" bigint NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_seal_firm_id_seal_number_pk" PRIMARY KEY("firm_id","seal_number"),
	CONSTRAINT "audit_seal_entry" UNIQUE("firm_id","entry_id")
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"firm_id" uuid NOT NULL,
	"key_family_id" uuid NOT NULL,
	"idempotency_key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"answer" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_firm_id_key_family_id_idempotency_key_pk" PRIMARY KEY("firm_id","key_family_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "known_word" (
	"firm_id" uuid NOT NULL,
	"word" text NOT NULL,
	"misspellings" text[] NOT NULL,
	CONSTRAINT "known_word_firm_id_word_pk" PRIMARY KEY("firm_id","word")
);
--> statement-breakpoint
CREATE TABLE "register" (
	"firm_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"live" integer DEFAULT 0 NOT NULL,
	"live_private" integer DEFAULT 0 NOT NULL,
	"last_ordinal" bigint DEFAULT 0 NOT NULL,
	"last_at" timestamp (3) with time zone,
	"number_format" text,
	"last_number" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "register_firm_id_kind_pk" PRIMARY KEY("firm_id","kind")
);
--> statement-breakpoint
CREATE TABLE "register_block" (
	"firm_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"block" integer NOT NULL,
	"live" integer NOT NULL,
	"live_private" integer NOT NULL,
	CONSTRAINT "register_block_firm_id_kind_block_pk" PRIMARY KEY("firm_id","kind","block")
);
--> statement-breakpoint
CREATE TABLE "task" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"matter_id" uuid NOT NULL,
	"title" text NOT NULL,
	"done_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "task_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_guest" ADD CONSTRAINT "event_guest_event" FOREIGN KEY ("firm_id","event_id") REFERENCES "public"."calendar_event"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_guest" ADD CONSTRAINT "event_guest_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact" ADD CONSTRAINT "contact_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_field" ADD CONSTRAINT "custom_field_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member" ADD CONSTRAINT "member_role" FOREIGN KEY ("firm_id","role_id") REFERENCES "public"."role"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role" ADD CONSTRAINT "role_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead" ADD CONSTRAINT "lead_stage_of_lead" FOREIGN KEY ("firm_id","lead_stage_id") REFERENCES "public"."lead_stage"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead" ADD CONSTRAINT "lead_contact" FOREIGN KEY ("firm_id","contact_id") REFERENCES "public"."contact"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead" ADD CONSTRAINT "lead_practice_area" FOREIGN KEY ("firm_id","practice_area_id") REFERENCES "public"."practice_area"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_assignee" ADD CONSTRAINT "lead_assignee_lead" FOREIGN KEY ("firm_id","lead_id") REFERENCES "public"."lead"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_assignee" ADD CONSTRAINT "lead_assignee_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lead_stage" ADD CONSTRAINT "lead_stage_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_type" ADD CONSTRAINT "matter_type_practice_area" FOREIGN KEY ("firm_id","practice_area_id") REFERENCES "public"."practice_area"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter" ADD CONSTRAINT "matter_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter" ADD CONSTRAINT "matter_stage" FOREIGN KEY ("firm_id","practice_area_id","stage_id") REFERENCES "public"."stage"("firm_id","practice_area_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_client" ADD CONSTRAINT "matter_client_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_client" ADD CONSTRAINT "matter_client_contact" FOREIGN KEY ("firm_id","contact_id") REFERENCES "public"."contact"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_team" ADD CONSTRAINT "matter_team_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matter_team" ADD CONSTRAINT "matter_team_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification" ADD CONSTRAINT "notification_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "practice_area" ADD CONSTRAINT "practice_area_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stage" ADD CONSTRAINT "stage_practice_area" FOREIGN KEY ("firm_id","practice_area_id") REFERENCES "public"."practice_area"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_key_member" ON "api_key" USING btree ("firm_id","member_id");--> statement-breakpoint
CREATE INDEX "calendar_event_of_matter" ON "calendar_event" USING btree ("firm_id","matter_id","starts_at");--> statement-breakpoint
CREATE INDEX "contact_list" ON "contact" USING btree ("firm_id","ordinal");--> statement-breakpoint
CREATE INDEX "contact_search" ON "contact" USING gin ("firm_id",("ordinal" / 5000),"findable_by" gin_trgm_ops) WITH (gin_pending_list_limit=256) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "job_due" ON "job" USING btree ("run_at","id") WHERE dead_at is null;--> statement-breakpoint
CREATE INDEX "lead_list" ON "lead" USING btree ("firm_id","ordinal");--> statement-breakpoint
CREATE INDEX "lead_recent" ON "lead" USING btree ("firm_id","created_at");--> statement-breakpoint
CREATE INDEX "lead_search" ON "lead" USING gin ("firm_id",("ordinal" / 5000),"findable_by" gin_trgm_ops) WITH (gin_pending_list_limit=256) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "lead_of_contact" ON "lead" USING btree ("firm_id","contact_id");--> statement-breakpoint
CREATE INDEX "lead_assignee_member" ON "lead_assignee" USING btree ("firm_id","member_id","lead_id");--> statement-breakpoint
CREATE INDEX "matter_type_list" ON "matter_type" USING btree ("firm_id","practice_area_id","ordinal");--> statement-breakpoint
CREATE INDEX "matter_list" ON "matter" USING btree ("firm_id","ordinal");--> statement-breakpoint
CREATE INDEX "matter_of_stage" ON "matter" USING btree ("firm_id","stage_id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_search" ON "matter" USING gin ("firm_id",("ordinal" / 5000),"findable_by" gin_trgm_ops) WITH (gin_pending_list_limit=256) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_client_contact" ON "matter_client" USING btree ("firm_id","contact_id");--> statement-breakpoint
CREATE INDEX "notification_inbox" ON "notification" USING btree ("firm_id","member_id","raised_at");--> statement-breakpoint
CREATE INDEX "notification_burst" ON "notification" USING btree ("firm_id","member_id","last_at") WHERE kind = 'lead.burst';--> statement-breakpoint
CREATE INDEX "notification_record" ON "notification" USING btree ("firm_id","record_id");--> statement-breakpoint
CREATE INDEX "practice_area_list" ON "practice_area" USING btree ("firm_id","ordinal");--> statement-breakpoint
CREATE INDEX "stage_of_area" ON "stage" USING btree ("firm_id","practice_area_id","position");--> statement-breakpoint
CREATE INDEX "audit_entry_order" ON "audit_entry" USING btree ("firm_id","xid","id");--> statement-breakpoint
CREATE INDEX "audit_entry_record" ON "audit_entry" USING btree ("firm_id","record_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_age" ON "idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "known_word_misspelled" ON "known_word" USING gin ("firm_id","misspellings");--> statement-breakpoint
CREATE INDEX "task_of_matter" ON "task" USING btree ("firm_id","matter_id","id");