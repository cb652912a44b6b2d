CREATE TABLE "event_kind" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "event_kind_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "kind_id" uuid;--> statement-breakpoint
ALTER TABLE "event_series" ADD COLUMN "kind_id" uuid;--> statement-breakpoint
ALTER TABLE "date_rule" ADD COLUMN "event_kind_id" uuid;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD COLUMN "counted_event_id" uuid;--> statement-breakpoint
ALTER TABLE "event_kind" ADD CONSTRAINT "event_kind_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "event_kind_name" ON "event_kind" USING btree ("firm_id","name") WHERE deleted_at is null;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_kind" FOREIGN KEY ("firm_id","kind_id") REFERENCES "public"."event_kind"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_series" ADD CONSTRAINT "event_series_kind" FOREIGN KEY ("firm_id","kind_id") REFERENCES "public"."event_kind"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "date_rule" ADD CONSTRAINT "date_rule_event_kind" FOREIGN KEY ("firm_id","event_kind_id") REFERENCES "public"."event_kind"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_counted_event" FOREIGN KEY ("firm_id","counted_event_id") REFERENCES "public"."calendar_event"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "date_rule" ADD CONSTRAINT "date_rule_has_event_kind" CHECK ((trigger = 'event') = (event_kind_id is not null));