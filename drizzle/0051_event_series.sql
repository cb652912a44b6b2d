CREATE TABLE "event_series" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"matter_id" uuid,
	"lead_id" uuid,
	"title" text NOT NULL,
	"rrule" text NOT NULL,
	"first_day" date NOT NULL,
	"begins" text,
	"ends" text,
	"more_days" integer NOT NULL,
	"made_by_id" uuid,
	"made_until" date NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "event_series_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "event_series_is_about" CHECK (coalesce(matter_id, lead_id) is not null),
	CONSTRAINT "event_series_has_hours" CHECK (begins is not null or ends is null)
);
--> statement-breakpoint
CREATE TABLE "event_series_guest" (
	"firm_id" uuid NOT NULL,
	"series_id" uuid NOT NULL,
	"email" text NOT NULL,
	"member_id" uuid,
	CONSTRAINT "event_series_guest_firm_id_series_id_email_pk" PRIMARY KEY("firm_id","series_id","email")
);
--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "series_id" uuid;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "series_day" date;--> statement-breakpoint
ALTER TABLE "event_series" ADD CONSTRAINT "event_series_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_series" ADD CONSTRAINT "event_series_lead" FOREIGN KEY ("firm_id","lead_id") REFERENCES "public"."lead"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_series" ADD CONSTRAINT "event_series_made_by" FOREIGN KEY ("firm_id","made_by_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_series_guest" ADD CONSTRAINT "event_series_guest_series" FOREIGN KEY ("firm_id","series_id") REFERENCES "public"."event_series"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_series_guest" ADD CONSTRAINT "event_series_guest_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "event_series_of_matter" ON "event_series" USING btree ("firm_id","matter_id");--> statement-breakpoint
CREATE INDEX "event_series_of_lead" ON "event_series" USING btree ("firm_id","lead_id") WHERE lead_id is not null;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_series" FOREIGN KEY ("firm_id","series_id") REFERENCES "public"."event_series"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_event_of_series" ON "calendar_event" USING btree ("firm_id","series_id","series_day") WHERE series_id is not null;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_has_series_day" CHECK ((series_id is null) = (series_day is null));